import type { CallsOverride } from '../../catalogue/effective-limits.ts'

/** The application on whose behalf a call is made, as the registry knows it. Frozen. */
export interface Caller {
  readonly applicationId: string
  readonly keyId: string
  /** Suspended itself, or by its developer's suspension. */
  readonly isSuspended: boolean
  /** Whether the backend is told to take only signed calls of it. */
  readonly isStrict: boolean
  /** Plan names by `<api>@<version>`, active subscriptions only. */
  readonly plans: ReadonlyMap<string, string>
  /** Other numbers of calls than the plans', by `<api>@<version>`; those that have expired may be among them. Mostly empty. */
  readonly overrides: ReadonlyMap<string, readonly CallsOverride[]>
}

/**
 * Outcome of presenting a key. `invalid` covers unknown, malformed, expired
 * and revoked keys alike. `unreachable` means we could not find out and says
 * nothing about the key.
 */
export type Authentication = Caller | 'invalid' | 'unreachable'

/** Whose keys were: for what happens off the data path. */
export interface RevokedKeys {
  /**
   * Asks the database whose revoked key this is, so that its owner may be told
   * why it is refused. Undefined when it is no revoked key, or its secret is
   * wrong. Leaves no trace. Rejects when the database does not answer.
   */
  recogniseRevoked(key: string): Promise<Caller | undefined>
}

/** Whose keys are known without asking anybody: for what happens off the data path. */
export interface KeyMemory {
  /**
   * Tells from memory alone whose key this is or was, also when it has
   * expired: its owner may be told why it is refused. `invalid` when it is
   * malformed, known not to exist, or its secret is wrong, compared as
   * `authenticate` does; `unknown` when memory cannot tell. Leaves no trace.
   * Never throws.
   */
  recogniseCached(key: string): Caller | 'invalid' | 'unknown'
}

/** What the edge needs of the registry: one question on the data path. */
export interface KeyAuthenticator {
  /**
   * Tells whose key this is. Calls `done` exactly once, before returning when
   * the key is in memory. Never throws. A key with a wrong checksum is
   * `invalid` without asking the database.
   */
  authenticate(key: string, done: (outcome: Authentication) => void): void
}
