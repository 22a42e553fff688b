/**
 * Every mail that the portal writes. Tokens appear only in links. Developers
 * type the names of applications and keys, so these appear only in bodies, made
 * inert, and never in a letter to an unconfirmed address.
 */
export type Letter =
  | SignUpLetter
  | PlainLetter
  | PasswordResetLetter
  | PasswordChangedLetter
  | EmailChangeLetter
  | AddressChangedLetter
  | KeyLetter
  | KeyReplacedLetter
  | LimitsLetter
  | DeprecationLetter

/** The mails that a developer can switch off; also the names of the preferences. */
export const optionalMails = ['keys', 'limits', 'deprecations'] as const
export type OptionalMail = (typeof optionalMails)[number]

/** To an address that has no account: the link sets its password. */
export interface SignUpLetter {
  readonly kind: 'sign-up'
  readonly token: string
}

/**
 * `known-address`: a sign-up used an address that already has an account.
 * `sign-in-paused`: after too many failures the password needs a reset.
 * `approved`: an operator approved the account.
 */
export interface PlainLetter {
  readonly kind: 'known-address' | 'sign-in-paused' | 'approved'
}

/** The link sets a new password. */
export interface PasswordResetLetter {
  readonly kind: 'password-reset'
  readonly token: string
}

export interface PasswordChangedLetter {
  readonly kind: 'password-changed'
  readonly at: Date
}

/** To the new address: its link replaces the old address. */
export interface EmailChangeLetter {
  readonly kind: 'email-change'
  readonly token: string
}

/** To the old address, after the new one has replaced it. */
export interface AddressChangedLetter {
  readonly kind: 'address-changed'
  readonly at: Date
}

/** What a mail shows of a key; never the key itself. */
export interface KeyFacts {
  readonly developerId: string
  readonly applicationId: string
  readonly applicationName: string
  readonly keyName: string
  /** `tg_<id>_…<last four>`. */
  readonly hint: string
  readonly at: Date
}

export interface KeyLetter extends KeyFacts {
  readonly kind: 'key-issued' | 'key-revoked'
}

/** A rotation: one mail for both keys. */
export interface KeyReplacedLetter extends KeyFacts {
  readonly kind: 'key-replaced'
  readonly newHint: string
  /** Until when the old key works; null: it no longer works. */
  readonly worksUntil: Date | null
}

/** The daily digest: calls refused by a limit. */
export interface LimitsLetter {
  readonly kind: 'limits-reached'
  readonly developerId: string
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string
  readonly applications: readonly {
    readonly id: string
    readonly name: string
    readonly operations: readonly {
      readonly api: string
      readonly version: string
      readonly operation: string
      readonly refused: number
    }[]
  }[]
}

/** A version is deprecated or about to end. */
export interface DeprecationLetter {
  readonly kind: 'deprecation'
  readonly developerId: string
  readonly api: string
  readonly version: string
  /** Days as `YYYY-MM-DD`, UTC. */
  readonly deprecated: string | undefined
  readonly sunset: string | undefined
  readonly retired: string | undefined
  readonly successor: string | undefined
  /** Until the end; undefined while no end is announced. */
  readonly daysLeft: number | undefined
  /** Those still subscribed. */
  readonly applications: readonly {
    readonly id: string
    readonly name: string
    /** To this version in the last 30 days. */
    readonly calls: number
  }[]
}
