import { isProblem } from '../../api/client.ts'
import { fieldErrors, formError } from '../../components/field-errors.ts'

/** Splits what a form with the current password failed with: a wrong one is said at its field, anything else beside the form. */
export function currentPasswordFailure(error: Error | null): {
  readonly atPassword: string | undefined
  readonly elsewhere: Error | null
} {
  if (isProblem(error, 'CREDENTIALS_INVALID')) {
    return { atPassword: 'This is not your current password.', elsewhere: null }
  }
  const fields = ['currentPassword'] as const
  return {
    atPassword: fieldErrors(error, fields).currentPassword,
    elsewhere: formError(error, fields),
  }
}
