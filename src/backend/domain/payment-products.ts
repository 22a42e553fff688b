import type { Market } from './banking-days.ts'
import { paymentTransitions, type TransactionStatus } from './payment.ts'
import { after } from './transitions.ts'

/** The party that bears the charges (`chargeBearer` of the documents). */
export type ChargeBearer = 'DEBT' | 'CRED' | 'SHAR' | 'SLEV'

/** The rules of a payment product (docs/bank.md, Payments; the figures are our choice). */
export interface PaymentProduct {
  /** Lower case, as the path has it. */
  readonly name: string
  /** The only currency; undefined: any. */
  readonly currency: string | undefined
  /** Countries of both accounts; undefined: any. */
  readonly countries: ReadonlySet<string> | undefined
  /** The amount must be below this one. */
  readonly below: string | undefined
  /** Maximum amount, included. */
  readonly most: string | undefined
  readonly settlement: 'instant' | 'gross' | 'batch'
  /** The kind of credit transfer in entries (ISO 20022): domestic, SEPA or cross-border. */
  readonly transfer: 'DMCT' | 'ESCT' | 'XBCT'
  /** The calendar of its banking days; instant payments ignore it. */
  readonly market: Market
  /** Whether a payment may request a later execution date. */
  readonly isDatable: boolean
  /** Until when an approved payment can be cancelled. */
  readonly isCancellable: 'never' | 'untilExecuted' | 'untilSettled'
  /** Whether the remittance information is mandatory. */
  readonly needsRemittance: boolean
  /** Whether the initiation must name the debtor's account. */
  readonly needsDebtor: boolean
  /** Empty: the product ignores the member. */
  readonly chargeBearers: readonly ChargeBearer[]
  /** Members that the market's documents do not have for the product: ignored, but an error for strict applications. */
  readonly foreignMembers: readonly string[]
}

/** Members of the Single Euro Payments Area (EPC409-09), by the country codes of their IBANs. */
const sepaCountries = new Set(
  'AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE SI SK SM VA'.split(
    ' ',
  ),
)

const israeli = {
  currency: 'ILS',
  countries: new Set(['IL']),
  below: undefined,
  most: undefined,
  transfer: 'DMCT',
  market: 'IL',
  needsRemittance: true,
  needsDebtor: false,
  chargeBearers: [],
  foreignMembers: [
    'instructionIdentification',
    'debtorName',
    'creditorAgentName',
    'ultimateCreditor',
    'chargeBearer',
    'remittanceInformationStructured',
  ],
} as const
const euro = {
  currency: 'EUR',
  countries: sepaCountries,
  below: undefined,
  most: '999999999.99',
  transfer: 'ESCT',
  market: 'EUR',
  needsRemittance: false,
  needsDebtor: true,
  chargeBearers: ['SLEV'],
  foreignMembers: [],
} as const

const products: readonly PaymentProduct[] = [
  {
    ...israeli,
    name: 'masav',
    below: '1000000',
    settlement: 'batch',
    isDatable: true,
    isCancellable: 'untilSettled',
  },
  {
    ...israeli,
    name: 'zahav',
    settlement: 'gross',
    isDatable: false,
    isCancellable: 'untilExecuted',
    foreignMembers: [...israeli.foreignMembers, 'requestedExecutionDate', 'requestedExecutionTime'],
  },
  {
    ...israeli,
    name: 'fp',
    most: '50000',
    settlement: 'instant',
    isDatable: true,
    isCancellable: 'never',
  },
  {
    ...euro,
    name: 'sepa-credit-transfers',
    settlement: 'batch',
    isDatable: true,
    isCancellable: 'untilSettled',
  },
  {
    ...euro,
    name: 'instant-sepa-credit-transfers',
    most: '100000',
    settlement: 'instant',
    isDatable: false,
    isCancellable: 'never',
  },
  {
    ...euro,
    name: 'target-2-payments',
    countries: undefined,
    transfer: 'XBCT',
    settlement: 'gross',
    isDatable: false,
    isCancellable: 'never',
    chargeBearers: ['DEBT', 'SHAR'],
  },
  {
    ...euro,
    name: 'cross-border-credit-transfers',
    currency: undefined,
    countries: undefined,
    most: undefined,
    transfer: 'XBCT',
    settlement: 'batch',
    isDatable: true,
    isCancellable: 'untilExecuted',
    chargeBearers: ['DEBT', 'CRED', 'SHAR'],
  },
]

/** The names of all products, as paths have them. */
export const paymentProductNames: readonly string[] = products.map(({ name }) => name)

/** Finds a product by its name in the path, in lower case; undefined: this bank does not have it. */
export function findPaymentProduct(name: string): PaymentProduct | undefined {
  return products.find((product) => product.name === name)
}

/**
 * The status of a payment after a cancellation, which is always possible before the
 * approval, and afterwards as long as the product allows.
 *
 * @returns undefined if it is too late
 */
export function withdrawn(
  { isCancellable }: PaymentProduct,
  status: TransactionStatus,
): TransactionStatus | undefined {
  const isExecuted = status === 'ACSP'
  const isAllowed =
    status === 'RCVD' ||
    isCancellable === 'untilSettled' ||
    (isCancellable === 'untilExecuted' && !isExecuted)
  return isAllowed ? after(paymentTransitions, status, 'cancel') : undefined
}
