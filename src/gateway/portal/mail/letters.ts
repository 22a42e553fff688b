/**
 * Every mail the portal writes. Tokens go into links and nowhere else. Names of
 * applications and keys were typed by somebody: they appear in bodies only,
 * made inert, and a letter to an address nobody has confirmed holds none.
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

/** Which of the mails a developer can do without; the names of the preferences. */
export const optionalMails = ['keys', 'limits', 'deprecations'] as const
export type OptionalMail = (typeof optionalMails)[number]

/** To an address that has no account: the link sets its password. */
export interface SignUpLetter {
  readonly kind: 'sign-up'
  readonly token: string
}

/**
 * `known-address`: somebody signs up with an address that has an account.
 * `sign-in-paused`: too many failures, the password is refused until a reset.
 * `approved`: an operator let the account in.
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

/** To the new address: the link puts it in place of the old one. */
export interface EmailChangeLetter {
  readonly kind: 'email-change'
  readonly token: string
}

/** To the old address, once the new one is in its place. */
export interface AddressChangedLetter {
  readonly kind: 'address-changed'
  readonly at: Date
}

/** What a mail tells of a key; never the key itself. */
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
  /** Until when the old key works; null: it does not any more. */
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

/** A version ends, or is announced to. */
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
  /** Until the end; undefined while none is announced. */
  readonly daysLeft: number | undefined
  /** Those still subscribed. */
  readonly applications: readonly {
    readonly id: string
    readonly name: string
    /** To this version in the last 30 days. */
    readonly calls: number
  }[]
}
