import { Button, List, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import type { Developer } from '../../../gateway/portal/schemas/accounts.ts'
import { useAccountDeletion } from '../../api/profile.ts'
import { ConfirmByTyping } from '../../components/confirm-by-typing.tsx'
import { filled } from '../../components/form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { WhosePassword } from './whose-password.tsx'

/** Deletes the account after the developer has typed its address, and its password if it has one. */
export function DeleteAccount({
  developer: { email, signsInWith },
}: {
  readonly developer: Developer
}) {
  const hasPassword = signsInWith === 'password'
  const form = useForm({
    initialValues: { typed: '', currentPassword: '' },
    validate: hasPassword ? { currentPassword: filled('Enter your password.') } : {},
  })
  const deletion = useAccountDeletion()
  const [opened, { open, close }] = useDisclosure(false, {
    onClose() {
      form.reset()
      deletion.reset()
    },
  })
  return (
    <>
      <Button color="red" variant="outline" onClick={open}>
        Delete account …
      </Button>
      <ConfirmByTyping
        opened={opened}
        title="Delete your account"
        name={email}
        form={form}
        mutation={deletion}
        onSubmit={({ currentPassword }) => deletion.mutate(hasPassword ? { currentPassword } : {})}
        onCancel={close}
        action="Delete account"
      >
        <Text size="sm">This is deleted at once and permanently:</Text>
        <List size="sm">
          <List.Item>your name, address and password, and every session</List.Item>
          <List.Item>all your applications, with their keys and subscriptions</List.Item>
          <List.Item>their usage history and the records of their calls</List.Item>
        </List>
        <Text size="sm">
          The gateway then refuses calls with those keys and tells the bank to end the consents that
          its customers gave to you. The audit log records that an account was deleted, without its
          name and email address.
        </Text>
        {hasPassword ? (
          <>
            <WhosePassword />
            <PasswordField
              label="Current password"
              {...form.getInputProps('currentPassword')}
              autoComplete="current-password"
              required
            />
          </>
        ) : null}
      </ConfirmByTyping>
    </>
  )
}
