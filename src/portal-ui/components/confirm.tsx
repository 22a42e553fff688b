import { Button, Group, Modal, Stack } from '@mantine/core'
import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { t } from '../words.ts'
import { ProblemAlert } from './problem-alert.tsx'

export interface ConfirmProps {
  readonly opened: boolean
  readonly onClose: () => void
  /** Called once it is gone and the focus is back, or lost with what had it. */
  readonly onClosed?: () => void
  readonly title: ReactNode
  /** What will happen. */
  readonly children: ReactNode
  /** Label of the button: "Suspend application". */
  readonly action: string
  /** Whether the action removes something; the button is red then. */
  readonly isDangerous?: boolean
  /**
   * Label of the button that changes nothing, which then has the focus.
   * (Default: Cancel, and the focus is on the action)
   */
  readonly stay?: string
  readonly onConfirm: () => void
  /** What it starts, unless it is over at once. */
  readonly mutation?: Pick<UseMutationResult, 'isPending' | 'error'>
}

/** Asks for confirmation before an action that affects other people or loses something. */
export function Confirm(props: ConfirmProps) {
  const { opened, onClose, title, children, action, isDangerous = false } = props
  const { stay, onConfirm, onClosed = () => {}, mutation } = props
  return (
    <Modal opened={opened} onClose={onClose} onExitTransitionEnd={onClosed} title={title}>
      <Stack gap="md">
        {children}
        <ProblemAlert error={mutation?.error ?? null} />
        <Group justify="flex-end" gap="sm">
          <Button
            variant="default"
            onClick={onClose}
            data-autofocus={stay === undefined ? undefined : true}
          >
            {stay ?? t('common.cancel')}
          </Button>
          <Button
            {...(isDangerous ? { color: 'red' } : {})}
            loading={mutation?.isPending ?? false}
            onClick={onConfirm}
            data-autofocus={stay === undefined ? true : undefined}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
