import { ApiFailure } from '../api/client.ts'

/**
 * What an INPUT_INVALID says about single fields, as sentences to show next to
 * them: `{name: 'Must be 1 to 100 characters.'}`. Empty for any other error.
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

/** The error where no field shows it: to hand to a problem alert beside the form. */
export function formError<Field extends string>(
  error: Error | null | undefined,
  fields: readonly Field[],
): Error | null {
  if (error === null || error === undefined) return null
  return Object.keys(fieldErrors(error, fields)).length > 0 ? null : error
}

/** Moves the focus to the first field of a form that is marked invalid, once it shows. */
export function focusFirstInvalid(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => {
    form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  })
}
