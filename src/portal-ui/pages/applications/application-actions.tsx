import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { Application } from '../../../gateway/portal/schemas/applications.ts'
import { useApplicationDeletion, useApplicationUpdate } from '../../api/applications.ts'
import { ConfirmByTyping } from '../../components/confirm-by-typing.tsx'
import { focusFirstInvalid } from '../../components/field-errors.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { nameFailure } from './name-failure.ts'

/** Rename and delete an application. */
export function ApplicationActions({ application }: { readonly application: Application }) {
  return (
    <>
      <Rename application={application} />
      <Delete application={application} />
    </>
  )
}

function Rename({ application }: { readonly application: Application }) {
  const [isOpen, setIsOpen] = useState(false)
  const [name, setName] = useState(application.name)
  const form = useRef<HTMLFormElement>(null)
  const close = () => setIsOpen(false)
  const renaming = useApplicationUpdate(application.id, close)
  const { atName, elsewhere } = nameFailure(renaming.error)

  const open = () => {
    setName(application.name)
    renaming.reset()
    setIsOpen(true)
  }
  const rename = () => {
    if (renaming.isPending) return
    renaming.mutate({ name }, { onError: () => focusFirstInvalid(form.current) })
  }

  return (
    <>
      <Button variant="default" onClick={open}>
        Rename
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title="Rename application"
        centered
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <form
          ref={form}
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            rename()
          }}
        >
          <Stack gap="md">
            <TextInput
              label="Name"
              value={name}
              onChange={(event) => {
                setName(event.currentTarget.value)
                renaming.reset()
              }}
              error={atName}
              maxLength={100}
              autoComplete="off"
              required
              data-autofocus
            />
            <ProblemAlert error={elsewhere} />
            <Group justify="flex-end" gap="sm">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={renaming.isPending}>
                Save name
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  )
}

function Delete({ application }: { readonly application: Application }) {
  const [isOpen, setIsOpen] = useState(false)
  const [, navigate] = useLocation()
  const deletion = useApplicationDeletion(application.id, () => navigate('/applications'))
  return (
    <>
      <Button
        variant="light"
        color="red"
        onClick={() => {
          deletion.reset()
          setIsOpen(true)
        }}
      >
        Delete
      </Button>
      <ConfirmByTyping
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        title="Delete this application?"
        name={application.name}
        action="Delete application"
        onConfirm={() => deletion.mutate()}
        isPending={deletion.isPending}
        error={deletion.error}
      >
        <Text>
          Its keys stop working at once. Subscriptions, usage history and call records are deleted
          with it.
        </Text>
      </ConfirmByTyping>
    </>
  )
}
