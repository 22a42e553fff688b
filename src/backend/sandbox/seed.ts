// This folder makes the bank a sandbox: fictional customers, their accounts and entries, and ways into every state.
// This file writes `personas.ts` and `entries.ts` into the tables at the first start. `sandbox-routes.ts` serves only
// the portal, which shows the customers (`describe-sandbox.ts`) and creates ready consents; `ways.ts` is the text of
// the portal's page and of docs/sandbox.md. The rest of the bank works without this folder.

import { createHash } from 'node:crypto'
import { Big } from 'big.js'
import type { Kysely } from 'kysely'
import type { Database } from '../../platform/database/database.ts'
import { addDays, addMonths, onDay } from '../domain/bank-time.ts'
import { connectBank } from '../stores/bank-stores.ts'
import type { BankSchema } from '../stores/schema.ts'
import { sandboxEntries, sandboxPurchases, sandboxStandingOrders } from './entries.ts'
import { type SandboxAccount, type SandboxPsu, sandboxPsus } from './personas.ts'

export interface SeedOptions {
  readonly database: Database
  /** Milliseconds since 1970; entries lead up to this day. */
  readonly now: () => number
  readonly timeZone: string
}

/**
 * Creates the customers, accounts, cards and entries of the sandbox in one
 * transaction, unless it already has customers. The migrations must have run. Two
 * processes may do this at once: the second changes nothing.
 */
export async function seedSandbox({ database, now, timeZone }: SeedOptions): Promise<void> {
  await connectBank(database)
    .transaction()
    .execute((db) => seedPeople(db, { now: now(), timeZone }))
}

/** Creates the missing customers in the caller's transaction. */
export async function seedPeople(
  db: Kysely<BankSchema>,
  { now, timeZone }: { readonly now: number; readonly timeZone: string },
): Promise<void> {
  const today = onDay(now, timeZone)
  for (const psu of sandboxPsus) {
    const { id, alias, name, behaviour, corporateId = null } = psu
    const seeded = await db
      .insertInto('psus')
      .values({ id, alias, name, behaviour, corporateId })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (seeded === undefined) continue
    for (const [position, account] of psu.accounts.entries()) {
      await seedAccount(db, psu, { account, position, today, changedAt: new Date(now) })
    }
    await seedCard(db, psu, { today, now })
  }
}

interface AccountSeed {
  readonly account: SandboxAccount
  readonly position: number
  readonly today: string
  readonly changedAt: Date
}

async function seedAccount(
  db: Kysely<BankSchema>,
  psu: SandboxPsu,
  { account, position, today, changedAt }: AccountSeed,
): Promise<void> {
  const entries = sandboxEntries(account, today)
  const opening = {
    day: addMonths(today, -13),
    amount: account.opening,
    name: psu.name,
    iban: null,
    remittance: 'Opening balance',
    purposeCode: null,
    bankCode: 'PMNT-MCOP-OTHR',
    status: 'booked',
  } as const
  // A balance is the sum of bookings, so the opening balance is a booking too.
  const all = new Big(account.opening).eq(0) ? entries : [opening, ...entries]
  let booked = new Big(0)
  const last = { booked: 0, pending: 0 }
  const rows = all.map((entry, index) => {
    const isBooked = entry.status === 'booked'
    if (isBooked) booked = booked.plus(entry.amount)
    last[entry.status] += 1
    return {
      id: stableUuid(`${account.id} entry ${index}`),
      accountId: account.id,
      sequence: last[entry.status],
      status: entry.status,
      day: entry.day,
      valueDay: isBooked ? entry.day : addDays(entry.day, 2),
      amount: entry.amount,
      currency: account.currency,
      counterpartyName: entry.name,
      counterpartyIban: entry.iban,
      remittance: entry.remittance,
      endToEndId: null,
      purposeCode: entry.purposeCode,
      bankCode: entry.bankCode,
      proprietaryCode: null,
      balanceAfter: isBooked ? booked.toFixed(2) : null,
      paymentId: null,
    }
  })
  const { id, iban, currency, cashAccountType, name, product, usage, status, creditLimit } = account
  await db
    .insertInto('accounts')
    .values({
      id,
      iban,
      currency,
      cashAccountType,
      name,
      product,
      usage,
      status,
      creditLimit,
      psuId: psu.id,
      position,
      ownerName: psu.name,
      bic: 'TESTILITXXX',
      booked: booked.toFixed(2),
      changedAt,
      lastSequence: last.booked,
      lastDay: all.findLast((entry) => entry.status === 'booked')?.day ?? null,
      displayName: account.displayName ?? null,
      details: account.details ?? null,
      linkedAccounts: account.linkedAccounts ?? null,
    })
    .execute()
  if (rows.length > 0) await db.insertInto('transactions').values(rows).execute()
  const orders = sandboxStandingOrders(account, today).map(
    ({ name: creditorName, iban: creditorIban, ...order }) => ({
      ...order,
      id: stableUuid(`${account.id} ${order.remittance}`),
      accountId: account.id,
      currency,
      creditorName,
      creditorIban,
    }),
  )
  if (orders.length > 0) await db.insertInto('standingOrders').values(orders).execute()
}

/** Invoices close on the last day of a month and are due on the 10th of the next. */
async function seedCard(
  db: Kysely<BankSchema>,
  psu: SandboxPsu,
  { today, now }: { readonly today: string; readonly now: number },
): Promise<void> {
  const { card, accounts } = psu
  const [account] = accounts
  if (card === undefined || account === undefined) return
  await db
    .insertInto('cardAccounts')
    .values({
      ...card,
      psuId: psu.id,
      position: 0,
      iban: account.iban,
      currency: account.currency,
      name: 'Gold card',
      product: 'Charge card',
      usage: account.usage,
      status: 'enabled',
      ownerName: psu.name,
      creditLimit: '20000',
    })
    .execute()
  const firstOfMonth = `${today.slice(0, 8)}01`
  const last = { booked: 0, pending: 0 }
  const rows = sandboxPurchases(today).map((purchase, index) => {
    const { original } = purchase
    const bookingDay = addDays(purchase.day, 2)
    const isBooked = bookingDay <= today
    const status = isBooked ? ('booked' as const) : ('pending' as const)
    last[status] += 1
    return {
      id: stableUuid(`${card.id} entry ${index}`),
      cardAccountId: card.id,
      sequence: last[status],
      status,
      transactionDay: purchase.day,
      // Today's purchase must not be in the future, however early in the day the bank starts.
      acceptedAt: new Date(Math.min(Date.parse(`${purchase.day}T12:22:10Z`), now)),
      bookingDay: isBooked ? bookingDay : null,
      dueDay: isBooked ? addDays(addMonths(`${bookingDay.slice(0, 8)}01`, 1), 9) : null,
      invoiced: isBooked && bookingDay < firstOfMonth,
      amount: purchase.amount,
      currency: account.currency,
      originalAmount: original?.amount ?? null,
      originalCurrency: original?.currency ?? null,
      exchangeRate: original?.rate ?? null,
      markupFee: original?.fee ?? null,
      markupFeePercentage: original?.feePercentage ?? null,
      acceptorName: purchase.acceptor,
      acceptorTown: purchase.town,
      acceptorCountry: purchase.country,
      merchantCategory: purchase.category,
      terminalId: purchase.terminal,
    }
  })
  await db.insertInto('cardTransactions').values(rows).execute()
}

/** A UUID derived from a name; the same name always gives the same UUID (RFC 9562, version 8). */
function stableUuid(name: string): string {
  const bytes = createHash('sha256').update(name).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-')
}
