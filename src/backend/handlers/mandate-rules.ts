import { BankError, type BankMessage } from '../bank-error.ts'
import type { MandateReason } from '../domain/mandate.ts'
import type { MandateRequest, Party } from '../domain/mandate-request.ts'
import { type Amount, compare, isAmount } from '../domain/money.ts'
import type { Account } from '../stores/accounts.ts'
import { checkReference } from './references.ts'

/** What a local instrument collects in, and from whom. */
interface Instrument {
  readonly currency: string
  /** Whether only accounts of organisations can be debited. */
  readonly isForOrganisations: boolean
}

const instruments: Readonly<Record<string, Instrument>> = {
  MASAV: { currency: 'ILS', isForOrganisations: false },
  CORE: { currency: 'EUR', isForOrganisations: false },
  B2B: { currency: 'EUR', isForOrganisations: true },
}

/**
 * Checks a request beyond its schema (docs/bank.md, Mandates).
 *
 * @throws {BankError} 400 FORMAT_ERROR with everything that is wrong, else
 *   PARAMETER_NOT_SUPPORTED, PERIOD_INVALID or PARAMETER_NOT_CONSISTENT
 */
export function checkMandate(body: MandateRequest, today: string): Instrument {
  const messages = [
    ...checkReference(body.debtorAccount, 'debtorAccount'),
    ...(body.creditorAccount === undefined
      ? []
      : checkReference(body.creditorAccount, 'creditorAccount')),
    ...checkParty(body.creditor, 'creditor'),
    ...checkParty(body.debtor, 'debtor'),
    ...amountsOf(body).flatMap(([path, amount]) => checkAmount(path, amount)),
  ]
  if (body.debtorAccount.iban === undefined) {
    messages.push({ path: 'debtorAccount.iban', text: 'Is required: accounts here have an IBAN' })
  }
  if (messages.length > 0) throw new BankError('FORMAT_ERROR', messages)
  const instrument = instruments[body.type.localInstrumentCode ?? '']
  if (instrument === undefined) {
    throw new BankError('PARAMETER_NOT_SUPPORTED', [
      { path: 'type.localInstrumentProprietary', text: 'Only MASAV, CORE and B2B are offered' },
    ])
  }
  checkPeriods(body, today)
  checkAmounts(body, instrument.currency)
  return instrument
}

function amountsOf(body: MandateRequest): [string, Amount][] {
  const { firstCollectionAmount, collectionAmount, maximumAmount } = body
  return Object.entries({ firstCollectionAmount, collectionAmount, maximumAmount }).flatMap(
    ([path, amount]) => (amount === undefined ? [] : [[path, amount] satisfies [string, Amount]]),
  )
}

function checkAmount(path: string, amount: Amount): BankMessage[] {
  return isAmount(amount)
    ? []
    : [{ path: `${path}.amount`, text: `Has more decimals than ${amount.currency} has` }]
}

function checkParty({ name, identification }: Party, path: string): BankMessage[] {
  if (name !== undefined || identification !== undefined) return []
  return [{ path, text: 'Must have a name or an identification' }]
}

function checkPeriods({ occurrences }: MandateRequest, today: string): void {
  if (occurrences === undefined) return
  const { sequenceType, duration, firstCollectionDate, finalCollectionDate } = occurrences
  const invalid = (path: string, text: string) =>
    new BankError('PERIOD_INVALID', [{ path: `occurrences.${path}`, text }])
  if (firstCollectionDate !== undefined && firstCollectionDate < today) {
    throw invalid('firstCollectionDate', 'Lies in the past')
  }
  if (duration?.toDate !== undefined && duration.toDate < duration.fromDate) {
    throw invalid('duration.toDate', 'Lies before fromDate')
  }
  const last = finalCollectionDate ?? duration?.toDate
  if (last !== undefined && last < today) {
    throw invalid(
      finalCollectionDate === undefined ? 'duration.toDate' : 'finalCollectionDate',
      'Lies in the past',
    )
  }
  if (
    finalCollectionDate !== undefined &&
    firstCollectionDate !== undefined &&
    finalCollectionDate < firstCollectionDate
  ) {
    throw invalid('finalCollectionDate', 'Lies before firstCollectionDate')
  }
  if (sequenceType !== 'OOFF') return
  if (duration?.toDate !== undefined && duration.toDate !== duration.fromDate) {
    throw invalid('duration.toDate', 'A single collection has one day')
  }
  if (finalCollectionDate !== undefined && finalCollectionDate !== firstCollectionDate) {
    throw invalid('finalCollectionDate', 'A single collection has one day')
  }
}

function checkAmounts(body: MandateRequest, currency: string): void {
  const { maximumAmount } = body
  const inconsistent = (path: string, text: string) =>
    new BankError('PARAMETER_NOT_CONSISTENT', [{ path, text }])
  for (const [path, amount] of amountsOf(body)) {
    if (amount.currency !== currency) {
      throw inconsistent(`${path}.currency`, `Must be ${currency} for this instrument`)
    }
    // A maximum of zero is none.
    const isLimited = maximumAmount !== undefined && compare(maximumAmount.amount, '0') > 0
    if (isLimited && compare(amount.amount, maximumAmount.amount) > 0) {
      throw inconsistent(`${path}.amount`, 'Must be at most maximumAmount')
    }
  }
  if (body.type.classificationCode === 'FIXE' && body.collectionAmount === undefined) {
    throw inconsistent('collectionAmount', 'Is required for a fixed amount')
  }
}

/** Why the bank rejects a mandate on an account, or undefined where it does not. */
export function rejectionOf(account: Account, instrument: Instrument): MandateReason | undefined {
  if (account.status === 'deleted') return 'AC04'
  if (account.status === 'blocked') return 'AC06'
  if (account.cashAccountType !== 'CACC') return 'AG01'
  return instrument.isForOrganisations && account.usage !== 'ORGA' ? 'MD09' : undefined
}

/** What makes a creditor the same one: its identification, else its name; without regard to case. */
export function creditorKey({ name, identification }: Party): string {
  const others = identification?.organisationId?.others ?? identification?.privateId?.others ?? []
  return (others[0]?.identification ?? name ?? JSON.stringify(identification)).toLowerCase()
}
