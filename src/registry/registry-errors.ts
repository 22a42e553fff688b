import { CompleteError } from '../platform/log/complete-error.ts'

/** The kinds of entities in error messages. */
export type EntityKind =
  | 'developer'
  | 'application'
  | 'subscription'
  | 'key'
  | 'override'
  | 'maintenance'
  | 'limit-request'
  | 'certificate'
  | 'delivery'

/** No entity has that id. */
export class RegistryNotFound extends Error {
  readonly kind: EntityKind
  readonly id: string

  constructor(kind: EntityKind, id: string) {
    super(`no ${kind} "${id}"`)
    this.name = 'RegistryNotFound'
    this.kind = kind
    this.id = id
  }
}

/** The rule that a change would break. */
export type ConflictRule =
  | 'email-taken'
  | 'name-taken'
  | 'already-subscribed'
  | 'subscription-ended'
  | 'applications-limit'
  | 'keys-limit'
  | 'key-inactive'
  | 'key-overlap'
  | 'key-not-itself'
  | 'override-active'
  | 'grant-below-limit'
  | 'limit-request-open'
  | 'limit-request-outdated'
  | 'limit-request-closed'
  | 'certificates-limit'
  | 'certificate-twice'
  | 'certificate-blocked'
  | 'application-suspended'
  | 'staff-id-taken'
  | 'own-application'
  | 'last-factor'
  | 'factor-exists'
  | 'passkeys-limit'
  | 'no-webhook'
  | 'deliveries-waiting'

/** The current state does not allow the change, which had no effect. The message is suitable for the person who asked. */
export class RegistryConflict extends CompleteError {
  readonly rule: ConflictRule
  /** For the rules that end in `limit`: the maximum. */
  readonly limit: number | undefined

  constructor(
    rule: ConflictRule,
    message: string,
    options: { limit?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'RegistryConflict'
    this.rule = rule
    this.limit = options.limit
  }
}

/** A value that the entity cannot have. */
export class RegistryInputInvalid extends CompleteError {
  readonly field: string

  /** @param allowed completes "must be …" */
  constructor(field: string, allowed: string, options: { cause?: unknown } = {}) {
    super(`${field} must be ${allowed}`, options)
    this.name = 'RegistryInputInvalid'
    this.field = field
  }
}
