import { Button, Group, Stack } from '@mantine/core'
import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { t } from '../words.ts'
import { Dialog } from './dialog.tsx'
import { ProblemAlert } from './problem-alert.tsx'

export interface ConfirmProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  /** What will happen. */
  readonly children: ReactNode
  /** Label of the button: "Suspend application". */
  readonly action: string
  /** Whether the action removes something; the button is red then. */
  readonly isDangerous?: boolean
  readonly onConfirm: () => void
  /** What it starts. */
  readonly mutation: Pick<UseMutationResult, 'isPending' | 'error'>
}

/** Asks for confirmation before an action that affects other people. */
export function Confirm(props: ConfirmProps) {
  const { opened, onClose, title, children, action, isDangerous = false } = props
  const { onConfirm, mutation } = props
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <Stack gap="md">
        {children}
        <ProblemAlert error={mutation.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button
            {...(isDangerous ? { color: 'red' } : {})}
            loading={mutation.isPending}
            onClick={onConfirm}
            data-autofocus
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
