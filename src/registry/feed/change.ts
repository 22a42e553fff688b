// This folder carries changes between processes. Read this file first: it lists every change. `record-change.ts` writes
// one in the transaction that makes it, `read-changes.ts` has the queries that read them, `change-table.ts` reads them
// and writes what is not a change of the registry's rows, and `change-feed.ts` follows them in a process. A change says
// what is different; each listener decides what follows.

import type { LogChange } from '../../platform/log/log-switch.ts'

/** A change that every process follows, as the table of changes keeps it. */
export type Change =
  | DeveloperChange
  | ApplicationChange
  | KeyChange
  | CertificateChange
  | CounterChange
  | ConfigurationChange

export type ChangeKind = Change['kind']
export type ChangeOf<Kind extends ChangeKind> = Extract<Change, { readonly kind: Kind }>

interface DeveloperChange {
  readonly kind: 'developer'
  readonly action: 'create' | 'update' | 'suspend' | 'resume' | 'delete' | 'reset-factor'
  readonly developerId: string
}

type ApplicationChange =
  | {
      readonly kind: 'application'
      readonly action: 'create' | 'update' | 'suspend' | 'resume' | 'delete'
      readonly developerId: string
      readonly applicationId: string
    }
  | {
      readonly kind: 'application'
      readonly action: 'override'
      readonly applicationId: string
    }
  | {
      readonly kind: 'subscription'
      readonly action: 'create' | 'update' | 'end'
      readonly applicationId: string
    }

interface KeyChange {
  readonly kind: 'key'
  readonly action: 'issue' | 'replace' | 'revoke' | 'update'
  readonly applicationId: string
  readonly keyId: string
  readonly detail: KeyChangeDetail
}

/** What changed about a key; a member that did not change is absent. */
export interface KeyChangeDetail {
  /** Id of the key that took over. */
  readonly replacedBy?: string
  /** The key is for a page of the portal. */
  readonly forPage?: true
  /** The key replaced itself. */
  readonly byItself?: true
  readonly mayReplaceItself?: boolean
  /** How many addresses are allowed now; 0: all. */
  readonly allowedAddresses?: number
}

type CertificateChange =
  | {
      readonly kind: 'certificate'
      readonly action: 'add' | 'remove'
      readonly applicationId: string
    }
  | {
      readonly kind: 'certificate'
      readonly action: 'block' | 'unblock'
      readonly detail: CertificateNames
    }
  | {
      /** Besides, one for each application that has the certificate. */
      readonly kind: 'certificate'
      readonly action: 'block' | 'unblock'
      readonly applicationId: string
    }
  | {
      /** The sandbox has another list of revoked certificates. */
      readonly kind: 'certificate'
      readonly action: 'list'
    }

/** By what a certificate is blocked. */
export interface CertificateNames {
  readonly thumbprint: string
  readonly signedDigest: string
}

type CounterChange =
  | {
      /** An operator has set a count back: a bucket remembered as empty may be full again. */
      readonly kind: 'counter'
      readonly action: 'reset'
      readonly applicationId: string
      readonly detail: {
        readonly bucket: string
        /** The epoch of the bucket that begins with the reset; undefined from a release before 0.3.0. */
        readonly epoch?: string
      }
    }
  | {
      /** Asks each process which numbers its calls got. */
      readonly kind: 'counter'
      readonly action: 'prove'
      readonly detail: { readonly proof: string }
    }

type ConfigurationChange =
  | {
      readonly kind: 'configuration'
      readonly action: 'reload'
      readonly detail: ReloadRequest
    }
  | {
      readonly kind: 'configuration'
      readonly action: 'log'
      readonly detail: LogChange
    }

/** The actor that asks for a reload, and further facts for the audit. */
export interface ReloadRequest {
  readonly by: string
  readonly forced?: 'true'
}

/**
 * Whether a change asks processes to do something at that moment. A process that
 * learns of any other one later must still follow it.
 */
export function isMomentary({ action }: Pick<Change, 'action'>): boolean {
  return action === 'prove' || action === 'log'
}

/** What a change is about. Ids that do not apply are absent. */
export interface ChangeSubject {
  readonly kind: ChangeKind
  readonly developerId?: string
  readonly applicationId?: string
  readonly keyId?: string
}
