import { Button, List, Text } from '@mantine/core'
import { useState } from 'react'
import { useAccountDeletion } from '../../api/profile.ts'
import { ConfirmByTyping } from '../../components/confirm-by-typing.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { PasswordField } from '../../components/password-field.tsx'
import { WhosePassword } from './whose-password.tsx'

/** Deletes the account after the developer has typed its address and password. */
export function DeleteAccount({ email }: { readonly email: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const [currentPassword, setCurrentPassword] = useState('')
  const [isTried, setIsTried] = useState(false)
  const deletion = useAccountDeletion()
  const { currentPassword: atPassword } = fieldErrors(deletion.error, ['currentPassword'])

  const close = () => {
    setIsOpen(false)
    setIsTried(false)
    setCurrentPassword('')
    deletion.reset()
  }

  return (
    <>
      <Button color="red" variant="outline" onClick={() => setIsOpen(true)}>
        Delete account …
      </Button>
      <ConfirmByTyping
        opened={isOpen}
        onClose={close}
        title="Delete your account"
        name={email}
        action="Delete account"
        onConfirm={() => {
          setIsTried(true)
          if (currentPassword !== '') deletion.mutate({ currentPassword })
        }}
        isPending={deletion.isPending}
        error={atPassword === undefined ? deletion.error : null}
      >
        <Text size="sm">Deleted at once and permanently:</Text>
        <List size="sm">
          <List.Item>your name, address and password, and every session</List.Item>
          <List.Item>all your applications, with their keys and subscriptions</List.Item>
          <List.Item>their usage history and the records of their calls</List.Item>
        </List>
        <Text size="sm">
          The gateway then refuses calls with those keys. The audit log keeps that an account was
          deleted, without name and address.
        </Text>
        <WhosePassword />
        <PasswordField
          label="Current password"
          value={currentPassword}
          onChange={(event) => {
            setCurrentPassword(event.currentTarget.value)
            deletion.reset()
          }}
          error={isTried && currentPassword === '' ? 'Enter your password.' : atPassword}
          autoComplete="current-password"
          required
        />
      </ConfirmByTyping>
    </>
  )
}
