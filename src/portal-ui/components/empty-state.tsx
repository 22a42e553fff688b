import { Paper, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export interface EmptyStateProps {
  /** Names what does not exist yet. */
  readonly title: string
  /** Says what it is for and how to create it. */
  readonly children: ReactNode
  /** A button or link that creates it. */
  readonly action?: ReactNode
}

/** Takes the place of an empty list or plot. */
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
