/** What a payment product allows (docs/bank.md, Payments; the figures are our choice). */
export interface PaymentProduct {
  /** Lower case, as the path has it. */
  readonly name: string
  /** The only currency; undefined: any. */
  readonly currency: string | undefined
  /** Countries both accounts must be in; undefined: any. */
  readonly country: string | undefined
  /** The amount must stay below it. */
  readonly below: string | undefined
  /** The amount may reach it. */
  readonly most: string | undefined
  readonly settlement: 'instant' | 'gross' | 'batch'
  /** Whether an execution date other than today may be asked for. */
  readonly isDatable: boolean
  /** Whether it can be withdrawn once approved, until it is booked. */
  readonly isCancellable: boolean
  /** Whether the remittance information is mandatory. */
  readonly needsRemittance: boolean
  /** Whether the debtor's account must be named at initiation. */
  readonly needsDebtor: boolean
}

const israeli = {
  currency: 'ILS',
  country: 'IL',
  below: undefined,
  most: undefined,
  needsRemittance: true,
  needsDebtor: false,
} as const
const euro = {
  currency: 'EUR',
  country: undefined,
  below: undefined,
  most: '999999999.99',
  needsRemittance: false,
  needsDebtor: true,
} as const

const products: readonly PaymentProduct[] = [
  {
    ...israeli,
    name: 'masav',
    below: '1000000',
    settlement: 'batch',
    isDatable: true,
    isCancellable: true,
  },
  { ...israeli, name: 'zahav', settlement: 'gross', isDatable: false, isCancellable: false },
  {
    ...israeli,
    name: 'fp',
    most: '50000',
    settlement: 'instant',
    isDatable: true,
    isCancellable: false,
  },
  {
    ...euro,
    name: 'sepa-credit-transfers',
    settlement: 'batch',
    isDatable: true,
    isCancellable: true,
  },
  {
    ...euro,
    name: 'instant-sepa-credit-transfers',
    most: '100000',
    settlement: 'instant',
    isDatable: false,
    isCancellable: false,
  },
  {
    ...euro,
    name: 'target-2-payments',
    settlement: 'gross',
    isDatable: false,
    isCancellable: false,
  },
  {
    ...euro,
    name: 'cross-border-credit-transfers',
    currency: undefined,
    most: undefined,
    settlement: 'batch',
    isDatable: true,
    isCancellable: true,
  },
]

/** Finds a product by its name in the path; upper case is another name. Undefined: this bank does not have it. */
export function findPaymentProduct(name: string): PaymentProduct | undefined {
  return products.find((product) => product.name === name)
}
