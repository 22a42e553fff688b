import { Button, Text } from '@mantine/core'
import { type GetInputPropsReturnType, useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useProfileChange } from '../../api/profile.ts'
import { fieldErrors } from '../../components/field-errors.ts'
import { filled } from '../../components/form.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { t } from '../../words.ts'
import { WhosePassword } from './whose-password.tsx'

export interface ProfileFormProps {
  /** The member of the profile that the form changes. */
  readonly member: 'email' | 'password'
  /** Label of the button that opens the dialog, its title, and label of the button that submits: "Change address". */
  readonly action: string
  /** Message beside the button after success. */
  readonly done: string
  /** Renders the field of the new value; `input` is for its input. */
  readonly children: (input: GetInputPropsReturnType) => ReactNode
}

/** A button whose dialog changes the address or the password, and asks for the current password. */
export function ProfileForm({ member, action, done, children }: ProfileFormProps) {
  const change = useProfileChange()
  const form = useForm({
    initialValues: { value: '', currentPassword: '' },
    validate: { value: filled(), currentPassword: filled() },
  })
  const [isOpen, { open, close }] = useDisclosure(false, { onOpen: () => change.reset() })
  const leave = () => {
    form.reset()
    close()
  }
  const newValue = children(form.getInputProps('value'))
  const currentPassword = (
    <PasswordField
      label={t('account.currentPassword')}
      {...form.getInputProps('currentPassword')}
      autoComplete="current-password"
    />
  )

  return (
    <>
      <Button variant="default" onClick={open}>
        {action}
      </Button>
      <Text size="sm" role="status" c="green" mt="xs">
        {change.isSuccess ? done : ''}
      </Text>
      <FormDialog
        opened={isOpen}
        title={action}
        label={action}
        action={action}
        form={form}
        mutation={change}
        onSubmit={({ value, currentPassword }) =>
          change.mutate({ currentPassword, [member]: value }, { onSuccess: leave })
        }
        errorsOf={(error) => {
          const { [member]: value, ...found } = fieldErrors(error, [member, 'currentPassword'])
          return { value, ...found }
        }}
        onCancel={leave}
      >
        <WhosePassword />
        {member === 'password' ? (
          // Password managers expect the old password before the new one.
          <>
            {currentPassword}
            {newValue}
          </>
        ) : (
          <>
            {newValue}
            {currentPassword}
          </>
        )}
      </FormDialog>
    </>
  )
}
