import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { t } from '../words.ts'

export interface PasswordFieldProps extends Omit<PasswordInputProps, 'error'> {
  /** The error to show. */
  readonly error?: string | undefined
  /** Kind of secret (default: password, which must be filled in). */
  readonly holds?: 'password' | 'key'
}

/**
 * A field for a secret: for a password, one that must be filled in. The keyboard reaches its show button, and it sets
 * `aria-invalid`, which Mantine's field does not.
 */
export function PasswordField({ error, holds = 'password', ...others }: PasswordFieldProps) {
  return (
    <PasswordInput
      required={holds === 'password'}
      {...others}
      error={error}
      aria-invalid={error === undefined ? undefined : true}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{
        'aria-label': t(holds === 'key' ? 'password.showKey' : 'password.show'),
      }}
    />
  )
}
