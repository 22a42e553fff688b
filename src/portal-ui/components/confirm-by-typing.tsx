import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { ProblemAlert } from './problem-alert.tsx'

export interface ConfirmByTypingProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly title: string
  /** What will be deleted. */
  readonly children: ReactNode
  /** The text to type, exactly as shown. */
  readonly name: string
  /** Label of the button: "Delete application". */
  readonly action: string
  readonly onConfirm: () => void
  readonly isPending: boolean
  readonly error: Error | null
}

/** Enables the button only after the developer has typed the name of what it deletes. */
export function ConfirmByTyping(props: ConfirmByTypingProps) {
  const { opened, onClose, title, children, name, action, onConfirm, isPending, error } = props
  const [typed, setTyped] = useState('')
  useEffect(() => {
    if (opened) setTyped('')
  }, [opened])
  const isSame = asRead(typed) === asRead(name)
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isSame && !isPending) onConfirm()
        }}
      >
        <Stack gap="md">
          {children}
          <TextInput
            label={
              <>
                Type <bdi>{name}</bdi> to confirm
              </>
            }
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          <ProblemAlert error={error} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Keep it
            </Button>
            <Button type="submit" color="red" disabled={!isSame} loading={isPending}>
              {action}
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            This cannot be undone.
          </Text>
        </Stack>
      </form>
    </Modal>
  )
}

/** Browsers show repeated spaces as one and composed letters like their parts, so people cannot type the difference. */
function asRead(text: string): string {
  return text.normalize('NFC').trim().replaceAll(/\s+/g, ' ')
}
