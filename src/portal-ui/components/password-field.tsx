import { PasswordInput, type PasswordInputProps } from '@mantine/core'

export interface PasswordFieldProps extends Omit<PasswordInputProps, 'error'> {
  /** What is wrong with the value. */
  readonly error?: string | undefined
  /** What it holds: "password" unless told. */
  readonly holds?: 'password' | 'key'
}

/** A field for a secret, with a button that the keyboard reaches to read it; says itself that it is invalid, which Mantine's does not. */
export function PasswordField({ error, holds = 'password', ...others }: PasswordFieldProps) {
  return (
    <PasswordInput
      {...others}
      error={error}
      aria-invalid={error === undefined ? undefined : true}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': `Show the ${holds}` }}
    />
  )
}
