import { randomUUID } from 'node:crypto'
import type { BookingWork } from '../../src/backend/processes/bank-work.ts'
import { createClockwork } from '../../src/backend/processes/clockwork.ts'
import { createBankStores } from '../../src/backend/stores/bank-stores.ts'
import type { TestAnswer, TestBank } from './bank.ts'

/** People of the sandbox who own the account that each request names. */
export const noa = { 'psu-id': '305567661' }
export const anton = { 'psu-id': 'anton.brueckner' }
export const brueckner = { 'psu-id': 'brueckner.bau' }

/** A monthly water bill through the Israeli clearing house. */
export const masav = {
  mandateId: 'GWW-2026-004411',
  type: { localInstrumentCode: 'MASAV', categoryPurposeCode: 'OTHR' },
  occurrences: {
    sequenceType: 'RCUR',
    frequencyType: 'Monthly',
    firstCollectionDate: '2026-12-10',
    finalCollectionDate: '2028-12-10',
  },
  maximumAmount: { currency: 'ILS', amount: '900.00' },
  creditor: {
    name: 'Galil Water Works',
    identification: { organisationId: { others: [{ identification: '30417' }] } },
  },
  debtor: { name: 'Noa Levi' },
  debtorAccount: { iban: 'IL030205710000000200285' },
}

const sepa = {
  creditorSchemeIdentification: identified('DE98ZZZ09999999999'),
  creditor: { name: 'Atelier Lumière' },
  creditorAccount: { iban: 'FR1420041010050500013M02606' },
}

/** SEPA direct debits, core and business-to-business. */
export const core = {
  ...sepa,
  mandateId: 'RF-88120',
  type: { localInstrumentCode: 'CORE', serviceLevelCode: 'SEPA' },
  debtor: { name: 'Anton Brueckner' },
  debtorAccount: { iban: 'DE89370400440532013000' },
}
export const b2b = {
  ...sepa,
  mandateId: 'B-1',
  type: { localInstrumentCode: 'B2B' },
  debtor: { name: 'Brueckner Bau' },
  debtorAccount: { iban: 'DE62370400440532013001' },
}

/** The party that a creditor identifier stands in. */
export function identified(identification: string, schemeNameProprietary = 'SEPA') {
  return { identification: { privateId: { others: [{ identification, schemeNameProprietary }] } } }
}

/** Asks for a mandate with its own reference. */
export function createMandate(
  bank: TestBank,
  body: object,
  headers: Readonly<Record<string, string | undefined>> = {},
): Promise<TestAnswer> {
  return bank.call({
    operation: 'createMandate',
    headers,
    body: { mandateId: randomUUID().slice(0, 30), ...body },
  })
}

/** The answer to a question about its status. */
export async function statusOf(bank: TestBank, resourceId: string): Promise<TestAnswer['body']> {
  return (await bank.call({ operation: 'getMandateStatus', path: { resourceId } })).body
}

/**
 * Makes a mandate with its own reference, which the debtor approves in the app.
 *
 * @returns its `mandateResourceId`
 */
export async function approvedMandate(
  bank: TestBank,
  body: object,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const mandateId = randomUUID().slice(0, 30)
  const { body: created } = await createMandate(bank, { ...body, mandateId }, headers)
  bank.clock.now += 2000
  const { mandateStatus } = await statusOf(bank, created.mandateResourceId)
  if (mandateStatus !== 'valid') throw new Error(JSON.stringify(created))
  return created.mandateResourceId
}

/** Works on mandates as the bank does, at the time of its clock, each piece in its own transaction. */
export function workAtBank({ database, clock }: TestBank) {
  const bank = { stores: createBankStores(database), randomUUID, timeZone: 'Asia/Jerusalem' }
  const clockwork = createClockwork(bank)
  return {
    clockwork,
    stores: bank.stores,
    async work<Result>(piece: (work: BookingWork) => Promise<Result>): Promise<Result> {
      await clockwork.catchUp(clock.now)
      return bank.stores.transaction((stores) => piece({ bank, stores, now: clock.now }))
    },
  }
}
