import { Text } from '@mantine/core'
import { type GetInputPropsReturnType, useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import type { ProfileChange } from '../../../gateway/portal/schemas/accounts.ts'
import { useProfileChange } from '../../api/profile.ts'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form, filled } from '../../components/form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { WhosePassword } from './whose-password.tsx'

type Field = Exclude<keyof ProfileChange, 'currentPassword'>

export interface ProfileFormProps {
  /** The member this form changes. */
  readonly field: Field
  /** What the field shows first. */
  readonly initial: string
  /** Label of the button: "Change name". */
  readonly action: string
  /** Message after success. */
  readonly done: string
  /** Renders the field with its value and its error. */
  readonly children: (input: GetInputPropsReturnType) => ReactNode
}

/** Changes one member of the profile; always asks for the current password. */
export function ProfileForm({ field, initial, action, done, children }: ProfileFormProps) {
  const change = useProfileChange()
  const form = useForm({
    initialValues: { value: initial, currentPassword: '' },
    validate: { value: filled(), currentPassword: filled() },
  })
  // Password managers expect the old password before the new one.
  const current = (
    <PasswordField
      label="Current password"
      {...form.getInputProps('currentPassword')}
      autoComplete="current-password"
      required
    />
  )

  return (
    <Form
      form={form}
      mutation={change}
      label={action}
      onSubmit={({ value, currentPassword }) =>
        change.mutate(
          { currentPassword, [field]: value },
          // A name stays in its field.
          {
            onSuccess: () =>
              form.setValues({ value: initial === '' ? '' : value, currentPassword: '' }),
          },
        )
      }
      errorsOf={(error) => {
        const { [field]: value, currentPassword } = fieldErrors(error, [field, 'currentPassword'])
        return { value, currentPassword }
      }}
      action={action}
      beside={
        <Text size="sm" role="status" c="green">
          {change.isSuccess ? done : ''}
        </Text>
      }
    >
      <WhosePassword />
      {field === 'password' ? current : null}
      {children(form.getInputProps('value'))}
      {field === 'password' ? null : current}
    </Form>
  )
}
