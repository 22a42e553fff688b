import type { Refusal } from '../../platform/http/problem.ts'
import type { SecurityFact } from '../../platform/log/security-events.ts'

/**
 * Ends a portal request with a refusal of the error table; the portal's error
 * handler renders it. If the refusal is a security event, the handler records
 * it, with the person and the address of the request.
 */
export class PortalError extends Error {
  readonly refusal: Refusal
  readonly fact: SecurityFact | undefined

  constructor(
    refusal: Refusal,
    { cause, fact }: { cause?: unknown; fact?: SecurityFact | undefined } = {},
  ) {
    super(refusal.detail ?? refusal.code, { cause })
    this.name = 'PortalError'
    this.refusal = refusal
    this.fact = fact
  }
}

/** The state of a resource, or of the account, forbids the change. @param rule tells clients which state */
export function conflict(rule: string, detail: string, members: object = {}): PortalError {
  return new PortalError({ code: 'CONFLICT', detail, members: { rule, ...members } })
}

/** One input is not valid. @param path JSON pointer @param rule completes "must be …" */
export function inputInvalid(path: string, rule: string): PortalError {
  return new PortalError({
    code: 'INPUT_INVALID',
    detail: `${path} must be ${rule}`,
    members: { errors: [{ path, rule }] },
  })
}

/**
 * The same answer for a resource that does not exist and for one of another
 * developer.
 *
 * @param fact what only the operator may see: the client asked for what it must not see
 */
export function notFound(fact?: SecurityFact): PortalError {
  return new PortalError(
    { code: 'NOT_FOUND', detail: 'Your account has nothing at this path.' },
    { fact },
  )
}

/** What was found. @throws {PortalError} NOT_FOUND without it */
export async function orNotFound<Found>(search: Promise<Found | undefined>): Promise<Found> {
  const found = await search
  if (found === undefined) throw notFound()
  return found
}
