import { Button, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useLocation } from 'wouter'
import type { Application } from '../../../gateway/portal/schemas/applications.ts'
import { useApplicationDeletion, useApplicationUpdate } from '../../api/applications.ts'
import { ConfirmByTyping } from '../../components/confirm-by-typing.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'

/** Rename and delete an application. */
export function ApplicationActions({ application }: { readonly application: Application }) {
  return (
    <>
      <Rename application={application} />
      <Delete application={application} />
    </>
  )
}

function Rename({ application: { id, name } }: { readonly application: Application }) {
  const form = useForm({ initialValues: { name } })
  const renaming = useApplicationUpdate(id, () => close())
  const [opened, { open, close }] = useDisclosure(false, {
    onOpen() {
      form.setValues({ name })
      form.clearErrors()
      renaming.reset()
    },
  })
  return (
    <>
      <Button variant="default" onClick={open}>
        Rename
      </Button>
      <FormDialog
        opened={opened}
        title="Rename application"
        form={form}
        mutation={renaming}
        onSubmit={(values) => renaming.mutate(values)}
        onCancel={close}
        action="Save name"
      >
        <TextInput
          label="Name"
          {...form.getInputProps('name')}
          maxLength={100}
          autoComplete="off"
          required
          data-autofocus
        />
      </FormDialog>
    </>
  )
}

function Delete({ application: { id, name } }: { readonly application: Application }) {
  const [, navigate] = useLocation()
  const form = useForm({ initialValues: { typed: '' } })
  const deletion = useApplicationDeletion(id, () => navigate('/applications'))
  const [opened, { open, close }] = useDisclosure(false, {
    onOpen() {
      form.reset()
      deletion.reset()
    },
  })
  return (
    <>
      <Button variant="light" color="red" onClick={open}>
        Delete
      </Button>
      <ConfirmByTyping
        opened={opened}
        title="Delete this application?"
        name={name}
        form={form}
        mutation={deletion}
        onSubmit={() => deletion.mutate()}
        onCancel={close}
        action="Delete application"
      >
        <Text>
          Its keys stop working at once. Subscriptions, usage history and call records are deleted
          with it. The gateway tells the bank to end the consents that its customers gave to it.
        </Text>
      </ConfirmByTyping>
    </>
  )
}
