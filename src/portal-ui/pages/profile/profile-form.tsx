import { Button, Text } from '@mantine/core'
import { type GetInputPropsReturnType, useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import type { ProfileChange } from '../../../portal/api/schemas/accounts.ts'
import { useProfileChange } from '../../api/profile.ts'
import { fieldErrors } from '../../components/field-errors.ts'
import { filled } from '../../components/form.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { t } from '../../words.ts'
import { WhosePassword } from './whose-password.tsx'

type Field = Exclude<keyof ProfileChange, 'currentPassword' | 'name'>

export interface ProfileFormProps {
  /** The member this form changes. */
  readonly field: Field
  /** Label of both buttons: "Change address". */
  readonly action: string
  /** Message after success. */
  readonly done: string
  /** Renders the field with its value and its error. */
  readonly children: (input: GetInputPropsReturnType) => ReactNode
}

/** A button whose dialog changes a member of the profile and asks for the current password. */
export function ProfileForm({ field, action, done, children }: ProfileFormProps) {
  const change = useProfileChange()
  const form = useForm({
    initialValues: { value: '', currentPassword: '' },
    validate: { value: filled(), currentPassword: filled() },
  })
  const [opened, { open, close }] = useDisclosure(false, { onOpen: () => change.reset() })
  const leave = () => {
    form.reset()
    close()
  }
  // Password managers expect the old password before the new one.
  const current = (
    <PasswordField
      label={t('account.currentPassword')}
      {...form.getInputProps('currentPassword')}
      autoComplete="current-password"
      required
      withAsterisk={false}
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
        opened={opened}
        title={action}
        form={form}
        mutation={change}
        label={action}
        onSubmit={({ value, currentPassword }) =>
          change.mutate({ currentPassword, [field]: value }, { onSuccess: leave })
        }
        errorsOf={(error) => {
          const { [field]: value, currentPassword } = fieldErrors(error, [field, 'currentPassword'])
          return { value, currentPassword }
        }}
        onCancel={leave}
        action={action}
      >
        <WhosePassword />
        {field === 'password' ? current : null}
        {children(form.getInputProps('value'))}
        {field === 'password' ? null : current}
      </FormDialog>
    </>
  )
}
