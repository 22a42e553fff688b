import { Button } from '@mantine/core'
import { useState } from 'react'
import { fieldErrors, formError } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { newPasswordRules, PasswordLength } from '../../components/password-length.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'

export interface NewPasswordFormProps {
  readonly action: string
  readonly onSubmit: (password: string) => void
  readonly isPending: boolean
  readonly error: Error | null
}

/** Asks for a new password: rules above the field, the error below it. */
export function NewPasswordForm({ action, onSubmit, isPending, error }: NewPasswordFormProps) {
  const [password, setPassword] = useState('')
  const [sent, setSent] = useState('')
  const refused = fieldErrors(error, ['password']).password
  const fault = password === sent ? refused : undefined

  const submit = () => {
    if (isPending) return
    setSent(password)
    onSubmit(password)
  }

  return (
    <Form onSubmit={submit} error={error}>
      {/* Only the server knows whose mail link this is; password managers look for this field. */}
      <input type="email" autoComplete="username" value="" readOnly hidden />
      <PasswordField
        label="New password"
        description={newPasswordRules}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={fault}
        autoComplete="new-password"
        maxLength={256}
        required
        withAsterisk={false}
      />
      {fault === undefined ? <PasswordLength password={password} /> : null}
      <ProblemAlert error={formError(error, ['password'])} />
      <Button type="submit" loading={isPending}>
        {action}
      </Button>
    </Form>
  )
}
