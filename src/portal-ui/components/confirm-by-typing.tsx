import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { ProblemAlert } from './problem-alert.tsx'

export interface ConfirmByTypingProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly title: string
  /** What will be gone. */
  readonly children: ReactNode
  /** What has to be typed, letter by letter as it is read. */
  readonly name: string
  /** Of the button: "Delete application". */
  readonly action: string
  readonly onConfirm: () => void
  readonly isPending: boolean
  readonly error: Error | null
}

/** Asks for the name of what is about to be deleted before the button works. */
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

/** A browser shows spaces in a row as one, and composed letters like their parts; nobody can type the difference. */
function asRead(text: string): string {
  return text.normalize('NFC').trim().replaceAll(/\s+/g, ' ')
}
