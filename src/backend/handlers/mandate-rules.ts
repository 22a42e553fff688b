import { BankError, type BankMessage } from '../bank-error.ts'
import { creditorOf } from '../domain/creditor-identifier.ts'
import { findLocalInstrument, type LocalInstrument } from '../domain/local-instruments.ts'
import { ceilingOf, institutionOf, type MandateRequest } from '../domain/mandate-request.ts'
import { type Amount, compare, isAmount } from '../domain/money.ts'
import { checkReference } from './references.ts'
import { checkSepaMandate, creditorIdentifierOf } from './sepa-mandate-rules.ts'

/**
 * Checks a request beyond its schema (docs/bank.md, Mandates).
 *
 * @returns the instrument of the mandate
 * @throws {BankError} 400 FORMAT_ERROR with all errors, else
 *   PARAMETER_NOT_SUPPORTED, SERVICE_INVALID, PERIOD_INVALID or PARAMETER_NOT_CONSISTENT
 */
export function checkMandate(body: MandateRequest, today: string): LocalInstrument {
  const instrument = findLocalInstrument(body.type.localInstrumentCode)
  const messages = [
    ...checkAccounts(body),
    ...checkParties(body, instrument),
    ...amountsOf(body).flatMap(([path, amount]) => checkAmount(path, amount)),
    ...(instrument?.isSepa === true ? checkSepaMandate(body) : []),
  ]
  if (messages.length > 0) throw new BankError('FORMAT_ERROR', messages)
  if (instrument === undefined) {
    throw new BankError('PARAMETER_NOT_SUPPORTED', [
      { path: 'type.localInstrumentProprietary', text: 'Only MASAV, CORE and B2B are offered' },
    ])
  }
  checkServiceLevel(body, instrument)
  checkPeriods(body, today)
  checkConsistency(body, instrument)
  return instrument
}

function checkAccounts({ debtorAccount, creditorAccount }: MandateRequest): BankMessage[] {
  const messages = checkReference(debtorAccount, 'debtorAccount')
  if (creditorAccount !== undefined) {
    messages.push(...checkReference(creditorAccount, 'creditorAccount'))
  }
  if (creditorAccount?.iban !== undefined && creditorAccount.iban === debtorAccount.iban) {
    messages.push({ path: 'creditorAccount', text: 'Must differ from the account of the debtor' })
  }
  if (debtorAccount.iban === undefined) {
    messages.push({ path: 'debtorAccount.iban', text: 'Is required: accounts here have an IBAN' })
  }
  return messages
}

function checkParties(
  body: MandateRequest,
  instrument: LocalInstrument | undefined,
): BankMessage[] {
  const { creditor, debtor } = body
  const messages: BankMessage[] = []
  if (debtor.name === undefined && debtor.identification === undefined) {
    messages.push({ path: 'debtor', text: 'Must have a name or an identification' })
  }
  if (creditor.name !== undefined) return messages
  if (instrument?.code === 'MASAV' && institutionOf(body) === undefined) {
    messages.push({ path: 'creditor', text: 'Must have a name or the code of its institution' })
  } else if (creditor.identification?.organisationId === undefined) {
    messages.push({ path: 'creditor', text: 'Must have a name or be an identified organisation' })
  }
  return messages
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

/** SEPA direct debits have the service level SEPA; MASAV has none. */
function checkServiceLevel({ type }: MandateRequest, { isSepa, code }: LocalInstrument): void {
  const { serviceLevelCode, serviceLevelProprietary } = type
  const invalid = (path: string) =>
    new BankError(
      'SERVICE_INVALID',
      [
        {
          path: `type.${path}`,
          text: isSepa ? `Must be SEPA for ${code}` : `${code} has no service levels`,
        },
      ],
      { status: 400 },
    )
  if (serviceLevelProprietary !== undefined) throw invalid('serviceLevelProprietary')
  if (serviceLevelCode !== undefined && !(isSepa && serviceLevelCode === 'SEPA')) {
    throw invalid('serviceLevelCode')
  }
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
  for (const [path, day] of Object.entries({ firstCollectionDate, finalCollectionDate })) {
    if (duration === undefined || day === undefined) continue
    if (day < duration.fromDate || (duration.toDate !== undefined && day > duration.toDate)) {
      throw invalid(path, 'Lies outside of the duration')
    }
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

function checkConsistency(body: MandateRequest, { currency }: LocalInstrument): void {
  const { occurrences, debtorAccount, collectionAmount, type } = body
  const inconsistent = (path: string, text: string) =>
    new BankError('PARAMETER_NOT_CONSISTENT', [{ path, text }])
  if (occurrences?.sequenceType === 'OOFF' && occurrences.frequencyType !== undefined) {
    throw inconsistent('occurrences.frequencyType', 'A single collection has no frequency')
  }
  if (debtorAccount.currency !== undefined && debtorAccount.currency !== currency) {
    throw inconsistent('debtorAccount.currency', `Must be ${currency} for this instrument`)
  }
  const ceiling = ceilingOf(body)
  for (const [path, amount] of amountsOf(body)) {
    if (amount.currency !== currency) {
      throw inconsistent(`${path}.currency`, `Must be ${currency} for this instrument`)
    }
    if (ceiling !== undefined && compare(amount.amount, ceiling.amount) > 0) {
      throw inconsistent(`${path}.amount`, 'Must be at most maximumAmount')
    }
  }
  if (type.classificationCode === 'FIXE' && collectionAmount === undefined) {
    throw inconsistent('collectionAmount', 'Is required for a fixed amount')
  }
}

/**
 * Identifies a creditor, without regard to case: by its creditor identifier, for
 * MASAV by the code of its institution, otherwise by its name.
 */
export function creditorKey(body: MandateRequest, { isSepa }: LocalInstrument): string {
  const identifier = isSepa ? creditorIdentifierOf(body).text : undefined
  const key = identifier === undefined ? institutionOf(body) : creditorOf(identifier)
  return (key ?? body.creditor.name ?? '').toLowerCase()
}
