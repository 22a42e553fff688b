import { Button, Group, Stack, Text } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import type { ProfileChange } from '../../../gateway/portal/schemas/accounts.ts'
import { useProfileChange } from '../../api/profile.ts'
import { fieldErrors, focusFirstInvalid, formError } from '../../components/field-errors.ts'
import { PasswordField } from '../../components/password-field.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { currentPasswordFailure } from './current-password-failure.ts'
import { WhosePassword } from './whose-password.tsx'

type Field = Exclude<keyof ProfileChange, 'currentPassword'>

export interface ProfileFormProps {
  /** The member this form changes. */
  readonly field: Field
  readonly value: string
  /** Label of the button: "Change name". */
  readonly action: string
  /** Message after success. */
  readonly done: string
  readonly onDone?: () => void
  /** Renders the field with the error of its value. */
  readonly children: (error: string | undefined) => ReactNode
}

/** Changes one member of the profile; always asks for the current password. */
export function ProfileForm({ field, value, action, done, onDone, children }: ProfileFormProps) {
  const [currentPassword, setCurrentPassword] = useState('')
  const [isTried, setIsTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const change = useProfileChange()
  const { atPassword, elsewhere } = currentPasswordFailure(change.error)
  const atField = fieldErrors(change.error, [field])[field]

  const given = (text: string) => (isTried && text === '' ? 'Fill in this field.' : undefined)

  const submit = () => {
    if (change.isPending) return
    setIsTried(true)
    if (value === '' || currentPassword === '') {
      focusFirstInvalid(form.current)
      return
    }
    change.mutate(
      { currentPassword, [field]: value },
      {
        onSuccess: () => {
          setIsTried(false)
          setCurrentPassword('')
          onDone?.()
        },
        onError: () => focusFirstInvalid(form.current),
      },
    )
  }

  // Password managers expect the old password before the new one.
  const current = (
    <PasswordField
      label="Current password"
      value={currentPassword}
      onChange={(event) => setCurrentPassword(event.currentTarget.value)}
      error={given(currentPassword) ?? atPassword}
      autoComplete="current-password"
      required
    />
  )

  return (
    <form
      ref={form}
      noValidate
      aria-label={action}
      onChange={() => {
        if (!change.isPending && !change.isIdle) change.reset()
      }}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack gap="md">
        <WhosePassword />
        {field === 'password' ? current : null}
        {children(given(value) ?? atField)}
        {field === 'password' ? null : current}
        <ProblemAlert error={formError(elsewhere, [field])} />
        <Group gap="md">
          <Button type="submit" loading={change.isPending}>
            {action}
          </Button>
          <Text size="sm" role="status" c="green">
            {change.isSuccess ? done : ''}
          </Text>
        </Group>
      </Stack>
    </form>
  )
}
