import { ApiFailure } from '../api/client.ts'

/**
 * The sentences of an INPUT_INVALID by field, to show next to the fields:
 * `{name: 'Must be 1 to 100 characters.'}`. Empty for any other error.
 *
 * @param fields names of the members of the body that have a field
 */
export function fieldErrors<Field extends string>(
  error: Error | null | undefined,
  fields: readonly Field[],
): Partial<Record<Field, string>> {
  if (!(error instanceof ApiFailure)) return {}
  const found: Partial<Record<Field, string>> = {}
  for (const { path, rule } of error.problem.errors ?? []) {
    const field = fields.find((name) => path === `/${name}` || path.startsWith(`/${name}/`))
    if (field !== undefined) found[field] ??= `Must be ${rule}.`
  }
  return found
}

/** The error if no field shows it, for the problem alert of the form; otherwise null. */
export function formError<Field extends string>(
  error: Error | null | undefined,
  fields: readonly Field[],
): Error | null {
  if (error === null || error === undefined) return null
  return Object.keys(fieldErrors(error, fields)).length > 0 ? null : error
}

/** Focuses the first invalid field of a form after the next render. */
export function focusFirstInvalid(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => {
    form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  })
}
