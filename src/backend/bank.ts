import type { Brand } from '../catalogue/brand/brand.ts'
import type { Language } from '../messages/language.ts'
import type { PsuBehaviour } from './domain/psu.ts'
import type { BankStores } from './stores/bank-stores.ts'

/** Checks a customer's password and one-time password. The sandbox has one of each for all customers. */
export interface Credentials {
  isPassword(psuId: string, text: string): boolean
  isOneTimePassword(psuId: string, text: string): boolean
}

/** What the pages show to a tester. */
export interface SandboxOffer {
  readonly customers: readonly {
    readonly id: string
    readonly name: string
    /** What the customer does when asked to approve. */
    readonly behaviour: PsuBehaviour
  }[]
  readonly password: string
  readonly oneTimePassword: string
  /** The page where an approval ends if its request names no address. */
  readonly returnUrl: () => string
  /** The portal's page that lists the customers. */
  readonly customersUrl: () => string
  /** The name of a customer, an account or a card as a page in the language shows it. */
  readonly nameIn: (language: Language, name: string) => string
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
  /** How the pages present the bank; changes with a reload. */
  readonly brand: () => Brand
  /** Undefined: the pages suggest no customers, as at a real bank. */
  readonly sandbox?: SandboxOffer | undefined
}
