import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
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
  readonly isPending: boolean
  readonly error: Error | null
}

/** Asks for confirmation before an action that affects other people. */
export function Confirm(props: ConfirmProps) {
  const { opened, onClose, title, children, action, isDangerous = false } = props
  const { onConfirm, isPending, error } = props
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">
        {children}
        <ProblemAlert error={error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            {...(isDangerous ? { color: 'red' } : {})}
            loading={isPending}
            onClick={onConfirm}
            data-autofocus
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
