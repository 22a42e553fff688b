import type { BankStores } from './stores/bank-stores.ts'

/** Tells whether a person knows its secrets. The sandbox has one of each for everybody. */
export interface Credentials {
  isPassword(psuId: string, text: string): boolean
  isOneTimePassword(psuId: string, text: string): boolean
  /** What pages tell a tester; undefined where secrets are secret. */
  readonly hints: { readonly password: string; readonly oneTimePassword: string } | undefined
}

/** What handlers, processes and pages work with. */
export interface Bank {
  readonly stores: BankStores
  readonly credentials: Credentials
  readonly randomUUID: () => string
  /** IANA zone whose calendar days the bank counts. */
  readonly timeZone: string
  /** Origin of the pages where a PSU approves, without a trailing slash. */
  readonly scaPublicUrl: string
}
