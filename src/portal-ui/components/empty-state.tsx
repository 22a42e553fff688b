import { Paper, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export interface EmptyStateProps {
  /** Says what is missing: "No API keys yet". */
  readonly title: string
  /** What it is for and how to create it, or how to search otherwise. */
  readonly children: ReactNode
  /** A button or link that creates it, or leads back. */
  readonly action?: ReactNode
}

/** What an empty list or chart shows in place of its content. */
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
