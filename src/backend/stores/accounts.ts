import { type Kysely, type Selectable, sql } from 'kysely'
import type { AccountTable, BankSchema, StandingOrderTable, TransactionTable } from './schema.ts'

export type Account = Selectable<AccountTable>
export type Transaction = Selectable<TransactionTable>
export type StandingOrder = Selectable<StandingOrderTable>

/** What the balances of an account are made of, beside what it has booked. */
export interface AccountFigures {
  /** Sum booked on or after the given day. */
  readonly bookedSince: string
  /** Sums of pending credits and debits (the latter negative). */
  readonly pendingIn: string
  readonly pendingOut: string
}

/** One entry to book; the sign of the amount tells debit (negative) from credit. */
export interface Booking {
  readonly id: string
  readonly accountId: string
  readonly day: string
  readonly amount: string
  readonly currency: string
  readonly counterpartyName: string | null
  readonly counterpartyIban: string | null
  readonly remittance: string | null
  readonly endToEndId: string | null
  readonly purposeCode: string | null
  readonly bankCode: string
  readonly proprietaryCode: string | null
  readonly paymentId: string
  readonly at: Date
}

/** Which entries of an account are wanted; the day is the booking day, of pending ones the entry day. */
export interface TransactionFilter {
  readonly accountId: string
  readonly status: 'booked' | 'pending'
  readonly from: string
  readonly to: string
}

/** Payment accounts with their entries and standing orders. */
export function createAccountStore(db: Kysely<BankSchema>) {
  function matching({ accountId, status, from, to }: TransactionFilter) {
    return db
      .selectFrom('transactions')
      .where('accountId', '=', accountId)
      .where('status', '=', status)
      .where('day', '>=', from)
      .where('day', '<=', to)
  }

  return {
    /** All accounts of a person, in the order of their positions. */
    ofPsu(psuId: string): Promise<Account[]> {
      return db
        .selectFrom('accounts')
        .selectAll()
        .where('psuId', '=', psuId)
        .orderBy('position')
        .execute()
    },

    /** Those of the ids that exist, in the order of their positions. */
    byIds(ids: readonly string[]): Promise<Account[]> {
      if (ids.length === 0) return Promise.resolve([])
      return db
        .selectFrom('accounts')
        .selectAll()
        .where('id', 'in', ids)
        .orderBy('position')
        .execute()
    },

    /** The accounts with an IBAN, one per currency. */
    byIban(iban: string): Promise<Account[]> {
      return db
        .selectFrom('accounts')
        .selectAll()
        .where('iban', '=', iban)
        .orderBy('position')
        .execute()
    },

    /** Holds the accounts until the transaction ends; always in the same order, so that two bookings never wait for each other. */
    lock(ids: readonly string[]): Promise<Account[]> {
      return db
        .selectFrom('accounts')
        .selectAll()
        .where('id', 'in', ids)
        .orderBy('id')
        .forUpdate()
        .execute()
    },

    /** The figures of each account; `since` is the day from which bookings count as of today. */
    async figures(ids: readonly string[], since: string): Promise<Map<string, AccountFigures>> {
      if (ids.length === 0) return new Map()
      const rows = await db
        .selectFrom('transactions')
        .select([
          'accountId',
          sql<string>`coalesce(sum(amount) filter (where status = 'booked' and day >= ${since}::date), 0)`.as(
            'bookedSince',
          ),
          sql<string>`coalesce(sum(amount) filter (where status = 'pending' and amount > 0), 0)`.as(
            'pendingIn',
          ),
          sql<string>`coalesce(sum(amount) filter (where status = 'pending' and amount < 0), 0)`.as(
            'pendingOut',
          ),
        ])
        .where('accountId', 'in', ids)
        .groupBy('accountId')
        .execute()
      return new Map(rows.map((row) => [row.accountId, row]))
    },

    /** Entries newest first: `limit` of them after skipping `offset`. */
    transactions(
      filter: TransactionFilter,
      page: { readonly offset: number; readonly limit: number },
    ): Promise<Transaction[]> {
      return matching(filter)
        .selectAll()
        .orderBy('day', 'desc')
        .orderBy('sequence', 'desc')
        .offset(page.offset)
        .limit(page.limit)
        .execute()
    },

    /** How many entries match. */
    async countTransactions(filter: TransactionFilter): Promise<number> {
      const row = await matching(filter)
        .select((count) => count.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return row.count
    },

    /** A booked entry of the account, or undefined. */
    transaction(accountId: string, id: string): Promise<Transaction | undefined> {
      return db
        .selectFrom('transactions')
        .selectAll()
        .where('accountId', '=', accountId)
        .where('status', '=', 'booked')
        .where('id', '=', id)
        .executeTakeFirst()
    },

    standingOrders(accountId: string): Promise<StandingOrder[]> {
      return db
        .selectFrom('standingOrders')
        .selectAll()
        .where('accountId', '=', accountId)
        .orderBy('startDay')
        .orderBy('id')
        .execute()
    },

    /** Books one entry: moves what the account has booked and writes the entry with the balance after it. The account must be locked. */
    async book({ at, ...booking }: Booking): Promise<void> {
      const { booked } = await db
        .updateTable('accounts')
        .set({ booked: sql<string>`booked + ${booking.amount}::numeric`, changedAt: at })
        .where('id', '=', booking.accountId)
        .returning('booked')
        .executeTakeFirstOrThrow()
      const { last } = await db
        .selectFrom('transactions')
        .select(sql<number>`coalesce(max(sequence), 0)`.as('last'))
        .where('accountId', '=', booking.accountId)
        .executeTakeFirstOrThrow()
      await db
        .insertInto('transactions')
        .values({
          ...booking,
          sequence: last + 1,
          status: 'booked',
          valueDay: booking.day,
          balanceAfter: booked,
        })
        .execute()
    },
  }
}
