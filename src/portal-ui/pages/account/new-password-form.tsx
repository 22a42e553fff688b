import { useForm } from '@mantine/form'
import type { UseMutationResult } from '@tanstack/react-query'
import type { Verification } from '../../../gateway/portal/schemas/accounts.ts'
import { Form } from '../../components/form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { newPasswordRules, PasswordLength } from '../../components/password-length.tsx'
import { t } from '../../words.ts'

export interface NewPasswordFormProps {
  /** Of the link in a mail. */
  readonly token: string
  readonly mutation: UseMutationResult<unknown, Error, Verification>
}

/** Asks for a new password: rules above the field, the error below it. */
export function NewPasswordForm({ token, mutation }: NewPasswordFormProps) {
  const form = useForm({ initialValues: { password: '' } })
  return (
    <Form
      form={form}
      mutation={mutation}
      onSubmit={({ password }) => mutation.mutate({ token, password })}
      action={t('account.setPassword')}
    >
      {/* Only the server knows whose mail link this is; password managers look for this field. */}
      <input type="email" autoComplete="username" value="" readOnly hidden />
      <PasswordField
        label={t('account.newPassword')}
        description={newPasswordRules()}
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
