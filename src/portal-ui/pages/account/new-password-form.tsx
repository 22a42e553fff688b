import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Form, type FormProps } from '../../components/form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { newPasswordRules, PasswordLength } from '../../components/password-length.tsx'

export interface NewPasswordFormProps {
  readonly action: string
  readonly mutation: FormProps<{ password: string }>['mutation']
  readonly onSubmit: (password: string) => void
}

/** Asks for a new password: rules above the field, the error below it. */
export function NewPasswordForm({ action, mutation, onSubmit }: NewPasswordFormProps) {
  const form = useForm({ initialValues: { password: '' } })
  return (
    <Form
      form={form}
      mutation={mutation}
      onSubmit={({ password }) => onSubmit(password)}
      buttons={
        <Button type="submit" loading={mutation.isPending}>
          {action}
        </Button>
      }
    >
      {/* Only the server knows whose mail link this is; password managers look for this field. */}
      <input type="email" autoComplete="username" value="" readOnly hidden />
      <PasswordField
        label="New password"
        description={newPasswordRules}
        {...form.getInputProps('password')}
        autoComplete="new-password"
        maxLength={256}
        required
        withAsterisk={false}
      />
      {form.errors['password'] === undefined ? (
        <PasswordLength password={form.values.password} />
      ) : null}
    </Form>
  )
}
