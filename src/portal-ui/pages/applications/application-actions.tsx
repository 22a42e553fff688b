import { Button, Group, Modal, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Application } from '../../../gateway/portal/schemas/applications.ts'
import { useApplicationDeletion, useApplicationUpdate } from '../../api/applications.ts'
import { ConfirmByTyping } from '../../components/confirm-by-typing.tsx'
import { Form } from '../../components/form.tsx'

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
  const form = useForm({ initialValues: { name: application.name } })
  const close = () => setIsOpen(false)
  const renaming = useApplicationUpdate(application.id, close)

  const open = () => {
    form.setValues({ name: application.name })
    form.clearErrors()
    renaming.reset()
    setIsOpen(true)
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
        <Form
          form={form}
          mutation={renaming}
          onSubmit={(values) => renaming.mutate(values)}
          buttons={
            <Group justify="flex-end" gap="sm">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={renaming.isPending}>
                Save name
              </Button>
            </Group>
          }
        >
          <TextInput
            label="Name"
            {...form.getInputProps('name')}
            maxLength={100}
            autoComplete="off"
            required
            data-autofocus
          />
        </Form>
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
