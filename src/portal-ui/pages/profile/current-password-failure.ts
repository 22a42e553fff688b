import { isProblem } from '../../api/client.ts'
import { fieldErrors, formError } from '../../components/field-errors.ts'

/** Splits the error of a form with the current password: a wrong password shows at its field, any other error beside the form. */
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
