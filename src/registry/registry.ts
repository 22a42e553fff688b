// This folder keeps applications, keys, subscriptions and operators' overrides in PostgreSQL, recognises keys for the
// gateway from memory, and records what happened. This file is all that the edge may know. Next, read
// `open-registry.ts`, which puts the parts together, and `transaction.ts`: every change leaves an audit entry and a
// line in the change table in the same transaction. `keys/` judges keys, `feed/` carries changes between processes,
// `processes/` keeps what processes report, `applications/` and `certificates/` are what a key may use, and `audit/`,
// `usage/` and `availability/` are records. The registry knows no HTTP, no counters and no portal, and plans only by
// name. The accounts, sessions and mails of the people behind the applications are the portal's (`portal/stores/`).

import type { CallsOverride } from '../catalogue/effective-limits.ts'
import type { Certificate } from '../certificates/certificate.ts'

/**
 * The application that makes a call, as the registry knows it. Frozen.
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
  /** Ids of its certificates for TLS, by thumbprint; also of expired ones, which still bind its keys. */
  readonly certificates: ReadonlyMap<string, string>
  /** Thumbprints of its certificates for signing. Expired and blocked ones are missing. */
  readonly seals: readonly string[]
  /** Origins to which its customers may be sent back after an approval; empty: any, unless it is strict. */
  readonly redirectOrigins: readonly string[]
  /** Addresses or CIDRs from which this key may be used; empty: from anywhere. */
  readonly allowedAddresses: readonly string[]
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

/** What identifies the certificate that a block is for. */
export type CertificateNames = Pick<Certificate, 'thumbprint' | 'signedDigest'>

/** Certificates of applications, as the data path uses them. Nothing here waits or throws. */
export interface CertificateRegister {
  /** Whether an operator has blocked this certificate. */
  isBlocked(certificate: CertificateNames): boolean
  /** Notes that a call used the certificate with this id; written up to ten seconds later. */
  noteUse(id: string): void
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
