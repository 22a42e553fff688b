import { PortalError } from '../api/portal-error.ts'

/** What the provider said cannot be accepted. @param detail sentences of our own: the provider's words are never shown */
export function refused(detail: string, cause?: unknown): PortalError {
  return new PortalError(
    { code: 'PROVIDER_REFUSED', detail },
    { cause, fact: { event: 'sign-in.refused', reason: 'provider' } },
  )
}

/** The provider does not answer, or not as a provider does. */
export function unavailable(cause: unknown): PortalError {
  return new PortalError(
    {
      code: 'PROVIDER_UNAVAILABLE',
      headers: { 'retry-after': '10' },
    },
    { cause },
  )
}
