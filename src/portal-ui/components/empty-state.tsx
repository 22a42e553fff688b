import { Paper, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export interface EmptyStateProps {
  /** What is not there yet. */
  readonly title: string
  /** What it is good for and how to get there. */
  readonly children: ReactNode
  /** The way there: a button or a link. */
  readonly action?: ReactNode
}

/** Stands where a list or plot would stand if there was anything to show. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <Paper withBorder p="xl" radius="md">
      <Stack gap="xs" align="flex-start" maw="40rem">
        <Text fw={600}>{title}</Text>
        <Text c="dimmed" component="div">
          {children}
        </Text>
        {action}
      </Stack>
    </Paper>
  )
}
