import type { Refusal } from '../../platform/problem.ts'

/** Ends a portal request with a refusal of the error table; the portal's error handler renders it. */
export class PortalError extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal, options: { cause?: unknown } = {}) {
    super(refusal.detail ?? refusal.code, options)
    this.name = 'PortalError'
    this.refusal = refusal
  }
}

/** One input is not valid. @param path JSON pointer @param rule completes "must be …" */
export function inputInvalid(path: string, rule: string): PortalError {
  return new PortalError({
    code: 'INPUT_INVALID',
    detail: `${path} must be ${rule}`,
    members: { errors: [{ path, rule }] },
  })
}

/** The same answer for a resource that does not exist and for one of another developer. */
export function notFound(): PortalError {
  return new PortalError({ code: 'NOT_FOUND', detail: 'Your account has nothing at this path.' })
}
