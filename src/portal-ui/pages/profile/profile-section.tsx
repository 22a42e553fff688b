import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './profile-section.module.css'

export interface ProfileSectionProps {
  readonly title: string
  /** What it is about, beside or above the form. */
  readonly lead: ReactNode
  readonly children: ReactNode
}

/** One section of the profile: text beside its form, or above it on a phone. */
export function ProfileSection({ title, lead, children }: ProfileSectionProps) {
  return (
    <Paper withBorder p="lg" component="section" className={classes['section'] ?? ''}>
      <Stack gap={6}>
        <Title order={2} size="h3">
          {title}
        </Title>
        <Text size="sm" c="dimmed" component="div">
          {lead}
        </Text>
      </Stack>
      <div className={classes['form']}>{children}</div>
    </Paper>
  )
}
