import { PortalError } from '../api/portal-error.ts'

/** A link that was used, has expired or never was: one answer. */
export function linkInvalid(): PortalError {
  return new PortalError({
    code: 'LINK_INVALID',
    detail: 'The link was already used or has expired. Request a new one.',
  })
}
