import { isProblem } from '../../api/client.ts'
import { fieldErrors, formError } from '../../components/field-errors.ts'

/**
 * Splits the error of a form with a name: an invalid or taken name, or one too
 * many, shows at the name field; any other error beside the form.
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
