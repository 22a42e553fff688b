import { ApiFailure, isProblem } from '../api/client.ts'
import { problemSentence, ruleSentence } from '../problem-words.ts'
import { t } from '../words.ts'

/**
 * The sentences of an error to show next to the fields it concerns: those of an
 * INPUT_INVALID (`{name: 'Must be 1 to 100 characters.'}`), a name that is
 * taken or one too many, a wrong current password, a wrong code. Empty for any other error.
 *
 * @param fields names of the members of the body that have a field
 */
export function fieldErrors(
  error: Error | null,
  fields: readonly string[],
): Record<string, string | undefined> {
  if (!(error instanceof ApiFailure)) return {}
  if (isProblem(error, 'CONFLICT') && fields.includes('name')) {
    return { name: problemSentence(error.problem) }
  }
  if (isProblem(error, 'CREDENTIALS_INVALID') && fields.includes('currentPassword')) {
    return { currentPassword: t('field.wrongPassword') }
  }
  if (isProblem(error, 'SECOND_FACTOR_INVALID') && fields.includes('code')) {
    return { code: problemSentence(error.problem) }
  }
  const found: Record<string, string | undefined> = {}
  for (const { path, rule } of error.problem.errors ?? []) {
    const field = fields.find((name) => path === `/${name}` || path.startsWith(`/${name}/`))
    if (field !== undefined) found[field] ??= ruleSentence(rule)
  }
  return found
}

/** Focuses the first invalid field of a form after the next render. */
export function focusFirstInvalid(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => {
    form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  })
}
