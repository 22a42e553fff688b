import { assertFound } from '../assert-found.ts'
import { onDay } from '../domain/bank-time.ts'
import { isUuid } from '../domain/identifiers.ts'
import { findLocalInstrument, type LocalInstrument } from '../domain/local-instruments.ts'
import { endOf, type MandateStatus } from '../domain/mandate.ts'
import {
  ceilingOf,
  firstDayOf,
  institutionOf,
  type MandateRequest,
} from '../domain/mandate-request.ts'
import { type Amount, compare, isAmount } from '../domain/money.ts'
import type { Account } from '../stores/accounts.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Mandate } from '../stores/mandates.ts'
import type { BookingWork } from './bank-work.ts'
import { bookTransfer } from './book-transfer.ts'
import { lockAccounts, type MovedAccounts } from './lock-accounts.ts'
import { lockMandate } from './lock-resource.ts'
import { moveMandate } from './move-mandate.ts'
import { covers } from './transfer-accounts.ts'

/** Why a bank returns a collection (ISO 20022, ExternalReturnReason1Code). */
export type CollectionReason =
  /** The mandate is not valid. */
  | 'MD01'
  /** Earlier than the mandate allows. */
  | 'DT01'
  /** More than the mandate allows. */
  | 'AM02'
  /** Not the currency of the instrument. */
  | 'AM03'
  /** Insufficient funds. */
  | 'AM04'
  /** Not the fixed amount. */
  | 'AM09'
  /** Not above zero, or more decimals than the currency has. */
  | 'AM12'
  /** An account is closed. */
  | 'AC04'
  /** An account is blocked. */
  | 'AC06'

/** A collection that the debtor's bank does not honour. */
export class CollectionRefused extends Error {
  readonly reason: CollectionReason

  constructor(reason: CollectionReason, text: string) {
    super(`${reason}: ${text}`)
    this.name = 'CollectionRefused'
    this.reason = reason
  }
}

/** A debit that a creditor presents. */
export interface Collection {
  /** `mandateResourceId` of the interface. */
  readonly id: string
  readonly amount: Amount
  /** At most 140 characters. */
  readonly remittance?: string
}

/** A collection that was booked. */
export interface Collected {
  readonly transactionId: string
  readonly accountId: string
  /** `YYYY-MM-DD`, of the bank. */
  readonly day: string
  /** `expired` after the single collection of a mandate, else `valid`. */
  readonly mandateStatus: MandateStatus
}

/**
 * Presents a debit on a mandate. Books it on the debtor's account, with the
 * creditor's name and reference, and on the creditor's account if it is at this bank.
 * Restarts the 36 months after which an unused mandate ends. A refused collection
 * changes nothing and does not count (our choice). Payments use the same funds, so the
 * caller should first book what is due (`catchUp` of the clockwork) in separate
 * transactions.
 *
 * @throws {CollectionRefused} with the first reason of: mandate, currency, amount, day, account, funds
 */
export async function collect(work: BookingWork, collection: Collection): Promise<Collected> {
  const { bank, stores, now } = work
  const { amount, remittance } = collection
  const mandate = isUuid(collection.id) ? await lockMandate(work, collection.id) : undefined
  if (mandate?.status !== 'valid') {
    throw new CollectionRefused(
      'MD01',
      mandate === undefined ? 'no mandate has this identifier' : `the mandate is ${mandate.status}`,
    )
  }
  const { body } = mandate
  const instrument = assertFound(findLocalInstrument(body.type.localInstrumentCode))
  const day = onDay(now, bank.timeZone)
  checkAmount(mandate, amount, instrument.currency)
  checkDay(body, day)
  const moved = await lockMoved(stores, mandate, instrument)
  const { debtor } = moved
  if (!covers(debtor, amount.amount)) {
    throw new CollectionRefused('AM04', 'insufficient funds')
  }
  const transactionId = await bookTransfer(bank, stores, moved, {
    day,
    amount: amount.amount,
    currency: amount.currency,
    creditorName: creditorNameOf(body),
    creditorIban: body.creditorAccount?.iban ?? null,
    remittance: remittance ?? null,
    endToEndId: null,
    purposeCode: null,
    mandateId: body.mandateId,
    at: new Date(now),
    debit: { bankCode: 'PMNT-RDDT-PMDD', proprietaryCode: 'DD-OUT' },
    credit: { bankCode: 'PMNT-IDDT-PMDD', proprietaryCode: 'DD-IN' },
  })
  await stores.mandates.update(mandate.id, { collectedOn: day, endsOn: endOf(body, day) })
  const isSingle = body.occurrences?.sequenceType === 'OOFF'
  const ended = isSingle ? await moveMandate(stores, mandate, 'expire', day) : undefined
  return { transactionId, accountId: debtor.id, day, mandateStatus: ended ?? mandate.status }
}

function checkAmount({ body, collectedOn }: Mandate, amount: Amount, currency: string): void {
  if (amount.currency !== currency) {
    throw new CollectionRefused('AM03', `this instrument collects in ${currency}`)
  }
  if (!isAmount(amount) || compare(amount.amount, '0') <= 0) {
    throw new CollectionRefused(
      'AM12',
      'the amount must be above zero, with no more decimals than its currency has',
    )
  }
  const ceiling = ceilingOf(body)
  if (ceiling !== undefined && compare(amount.amount, ceiling.amount) > 0) {
    throw new CollectionRefused('AM02', `the mandate allows at most ${ceiling.amount}`)
  }
  const { firstCollectionAmount, collectionAmount, type } = body
  const agreed =
    collectedOn === null ? (firstCollectionAmount ?? collectionAmount) : collectionAmount
  const isFixed = type.classificationCode === 'FIXE' && agreed !== undefined
  if (isFixed && compare(amount.amount, agreed.amount) !== 0) {
    throw new CollectionRefused('AM09', `the mandate is for ${agreed.amount}`)
  }
}

/** The last day needs no check: a mandate whose last day is over is not valid. */
function checkDay(body: MandateRequest, day: string): void {
  const first = firstDayOf(body)
  if (first !== undefined && day < first) {
    throw new CollectionRefused('DT01', `the first collection is on ${first}`)
  }
}

/** Locks the account that a mandate debits, and the creditor's if it is at this bank, until the transaction ends. */
async function lockMoved(
  stores: Stores,
  { body, psuId }: Mandate,
  { currency }: LocalInstrument,
): Promise<MovedAccounts> {
  const { creditorAccount } = body
  const accounts = await stores.accounts.byIban(body.debtorAccount.iban ?? '')
  const named = accounts.find((account) => account.currency === currency && account.psuId === psuId)
  const debtorAccountId = assertFound(named).id
  const moved = await lockAccounts(stores, { debtorAccountId, creditorAccount, currency })
  checkStatus(moved.debtor, 'the account')
  if (moved.creditor !== undefined) checkStatus(moved.creditor, 'the account of the creditor')
  return moved
}

function checkStatus({ status }: Account, name: string): void {
  if (status === 'blocked') throw new CollectionRefused('AC06', `${name} is blocked`)
  if (status === 'deleted') throw new CollectionRefused('AC04', `${name} is closed`)
}

/** The name of the creditor in an entry, at most 70 characters; for an institution without a name, its code. */
function creditorNameOf(body: MandateRequest): string | null {
  const name = body.creditor.name ?? institutionOf(body)
  return name === undefined ? null : [...name].slice(0, 70).join('')
}
