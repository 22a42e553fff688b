/** A local instrument: its currency, its debtors, and how a mandate ends (docs/bank.md, Mandates). */
export interface LocalInstrument {
  readonly code: 'MASAV' | 'CORE' | 'B2B'
  readonly currency: 'ILS' | 'EUR'
  /** Whether the rulebooks of the SEPA direct debits apply. */
  readonly isSepa: boolean
  /** Whether it debits only accounts of organisations. */
  readonly isForOrganisations: boolean
  /**
   * Whether the debtor has to approve that the creditor ends an approved mandate.
   * Our choice: a bank debits a B2B mandate only if the debtor has confirmed it, so
   * the debtor also confirms the end.
   */
  readonly isEndedByDebtor: boolean
}

const instruments: readonly LocalInstrument[] = [
  {
    code: 'MASAV',
    currency: 'ILS',
    isSepa: false,
    isForOrganisations: false,
    isEndedByDebtor: false,
  },
  {
    code: 'CORE',
    currency: 'EUR',
    isSepa: true,
    isForOrganisations: false,
    isEndedByDebtor: false,
  },
  { code: 'B2B', currency: 'EUR', isSepa: true, isForOrganisations: true, isEndedByDebtor: true },
]

/** Finds an instrument by its code; undefined: this bank does not have it. */
export function findLocalInstrument(code: string | undefined): LocalInstrument | undefined {
  return instruments.find((instrument) => instrument.code === code)
}
