import { Button } from '@mantine/core'
import { useState } from 'react'
import { fieldErrors, formError } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'

export interface NewPasswordFormProps {
  readonly action: string
  readonly onSubmit: (password: string) => void
  readonly isPending: boolean
  readonly error: Error | null
}

/** Asks for a new password, with the rules before and what is wrong beside the field. */
export function NewPasswordForm({ action, onSubmit, isPending, error }: NewPasswordFormProps) {
  const [password, setPassword] = useState('')
  const { password: fault } = fieldErrors(error, ['password'])
  return (
    <Form onSubmit={() => !isPending && onSubmit(password)} error={error}>
      {/* The mail link tells the server whose password it is, and nobody else; password managers look for this field. */}
      <input type="email" autoComplete="username" value="" readOnly hidden />
      <PasswordField
        label="New password"
        description="15 characters or more; several words make a good one. Nothing that is tried first: your name or address, repetitions, rows of keys, well-known passwords."
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={fault}
        autoComplete="new-password"
        maxLength={256}
        required
        withAsterisk={false}
      />
      <ProblemAlert error={formError(error, ['password'])} />
      <Button type="submit" loading={isPending}>
        {action}
      </Button>
    </Form>
  )
}
