import type { CallsOverride } from '../../catalogue/effective-limits.ts'

/**
 * The application that makes a call, as the registry knows it. Frozen. The
 * registry (this folder) stores developers, applications, keys, subscriptions
 * and operators' overrides in PostgreSQL. It recognises API keys for the
 * gateway from memory, reports every change to all processes and keeps the
 * audit.
 */
export interface Caller {
  readonly applicationId: string
  /** Chosen by its developer; 1 to 100 characters. */
  readonly applicationName: string
  readonly developerId: string
  readonly keyId: string
  /** Suspended itself or through its developer. */
  readonly isSuspended: boolean
  /** Whether the backend must accept only signed calls of this application. */
  readonly isStrict: boolean
  /** Plan names by `<api>@<version>`; active subscriptions only. */
  readonly plans: ReadonlyMap<string, string>
  /** Overrides of the plans' numbers of calls, by `<api>@<version>`; may include expired ones. Usually empty. */
  readonly overrides: ReadonlyMap<string, readonly CallsOverride[]>
}

/**
 * Result of presenting a key. `invalid` covers unknown, malformed, expired and
 * revoked keys. `unreachable` means that the registry could not be asked; it
 * implies nothing about the key.
 */
export type Authentication = Caller | 'invalid' | 'unreachable'

/** Owners of revoked keys, for use off the data path. */
export interface RevokedKeys {
  /**
   * Asks the database for the owner of a revoked key, to explain the refusal to
   * that owner. Undefined when the key is not revoked or its secret is wrong.
   * Changes nothing. Rejects when the database does not answer.
   */
  recogniseRevoked(key: string): Promise<Caller | undefined>
}

/** Owners of cached keys, for use off the data path. */
export interface KeyMemory {
  /**
   * Finds the owner of a key from memory alone, even if the key has expired, to
   * explain the refusal to that owner. `invalid` when the key is malformed,
   * known not to exist, or has a wrong secret, compared as in `authenticate`.
   * `unknown` when memory does not contain it. Changes nothing and never
   * throws.
   */
  recogniseCached(key: string): Caller | 'invalid' | 'unknown'
}

/** What the edge needs from the registry: one question on the data path. */
export interface KeyAuthenticator {
  /**
   * Finds the owner of a key. Calls `done` exactly once, before returning when
   * the key is in memory. Never throws. A key with a wrong checksum is
   * `invalid` without a database look-up.
   */
  authenticate(key: string, done: (outcome: Authentication) => void): void
}
