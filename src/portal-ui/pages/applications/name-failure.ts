import { isProblem } from '../../api/client.ts'
import { fieldErrors, formError } from '../../components/field-errors.ts'

/**
 * Splits what a form with a name failed with: a name that is no name, or is
 * taken, or one too many is said at the name; anything else beside the form.
 */
export function nameFailure(error: Error | null): {
  readonly atName: string | undefined
  readonly elsewhere: Error | null
} {
  if (isProblem(error, 'CONFLICT')) {
    return { atName: error.problem.detail ?? error.problem.title, elsewhere: null }
  }
  return { atName: fieldErrors(error, ['name']).name, elsewhere: formError(error, ['name']) }
}
