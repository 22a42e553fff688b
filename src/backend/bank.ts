import type { Brand } from '../catalogue/brand/brand.ts'
import type { Language } from '../messages/language.ts'
import type { PsuBehaviour } from './domain/psu.ts'
import type { BankStores } from './stores/bank-stores.ts'

/** Checks a customer's password and one-time password. */
export interface Credentials {
  isPassword(psuId: string, text: string): boolean
  isOneTimePassword(psuId: string, text: string): boolean
}

/** What the pages tell a tester of the sandbox: who can sign in, and where the portal is. */
export interface SandboxOffer {
  readonly customers: readonly {
    readonly id: string
    readonly name: string
    /** What the customer does when asked to approve. */
    readonly behaviour: PsuBehaviour
  }[]
  /** The password of every customer. */
  readonly password: string
  /** The one-time password of every customer. */
  readonly oneTimePassword: string
  /** The page that a customer returns to if the request for approval names no address. */
  readonly returnUrl: () => string
  /** The portal's page that lists the customers. */
  readonly customersUrl: () => string
  /** Translates the name of a customer, an account or a card. */
  readonly nameIn: (language: Language, name: string) => string
}

/** The bank as its handlers, processes and pages use it. */
export interface Bank {
  readonly stores: BankStores
  readonly credentials: Credentials
  readonly randomUUID: () => string
  /** The IANA time zone of the bank's calendar days. */
  readonly timeZone: string
  /** Origin of the pages where a PSU approves, without a trailing slash. */
  readonly scaPublicUrl: string
  /** How the pages present the bank. A reload may change it. */
  readonly brand: () => Brand
  /** Undefined: the pages suggest no customers, like those of a real bank. */
  readonly sandbox?: SandboxOffer | undefined
}
