import { type Kysely, type Selectable, sql } from 'kysely'
import type { BankSchema, CardAccountTable, CardTransactionTable } from './schema.ts'

export type CardAccount = Selectable<CardAccountTable>
export type CardTransaction = Selectable<CardTransactionTable>

/** What the balances of a card account are made of; debits are negative. */
export interface CardFigures {
  /** Invoiced and not due before the given day. */
  readonly invoiced: string
  /** Booked since the last invoice. */
  readonly nonInvoiced: string
  readonly pending: string
}

/** Which entries of a card account are wanted; the day is the booking day, of pending ones the day of the purchase. */
export interface CardTransactionFilter {
  readonly cardAccountId: string
  readonly status: 'booked' | 'pending'
  readonly from: string
  readonly to: string
}

/** Card accounts and their entries. */
export function createCardAccountStore(db: Kysely<BankSchema>) {
  function matching({ cardAccountId, status, from, to }: CardTransactionFilter) {
    const day = status === 'booked' ? 'bookingDay' : 'transactionDay'
    return db
      .selectFrom('cardTransactions')
      .where('cardAccountId', '=', cardAccountId)
      .where('status', '=', status)
      .where(day, '>=', from)
      .where(day, '<=', to)
  }

  return {
    /** All card accounts of a person, in the order of their positions. */
    ofPsu(psuId: string): Promise<CardAccount[]> {
      return db
        .selectFrom('cardAccounts')
        .selectAll()
        .where('psuId', '=', psuId)
        .orderBy('position')
        .execute()
    },

    /** Those of the ids that exist, in the order of their positions. */
    byIds(ids: readonly string[]): Promise<CardAccount[]> {
      if (ids.length === 0) return Promise.resolve([])
      return db
        .selectFrom('cardAccounts')
        .selectAll()
        .where('id', 'in', ids)
        .orderBy('position')
        .execute()
    },

    /** The figures of each card account; invoices due before `today` are paid. */
    async figures(ids: readonly string[], today: string): Promise<Map<string, CardFigures>> {
      if (ids.length === 0) return new Map()
      const rows = await db
        .selectFrom('cardTransactions')
        .select([
          'cardAccountId',
          sql<string>`coalesce(sum(amount) filter (where invoiced and due_day >= ${today}::date), 0)`.as(
            'invoiced',
          ),
          sql<string>`coalesce(sum(amount) filter (where status = 'booked' and not invoiced), 0)`.as(
            'nonInvoiced',
          ),
          sql<string>`coalesce(sum(amount) filter (where status = 'pending'), 0)`.as('pending'),
        ])
        .where('cardAccountId', 'in', ids)
        .groupBy('cardAccountId')
        .execute()
      return new Map(rows.map((row) => [row.cardAccountId, row]))
    },

    /** Entries newest first: `limit` of them after skipping `offset`. */
    transactions(
      filter: CardTransactionFilter,
      page: { readonly offset: number; readonly limit: number },
    ): Promise<CardTransaction[]> {
      return matching(filter)
        .selectAll()
        .orderBy('transactionDay', 'desc')
        .orderBy('sequence', 'desc')
        .offset(page.offset)
        .limit(page.limit)
        .execute()
    },

    /** How many entries match. */
    async countTransactions(filter: CardTransactionFilter): Promise<number> {
      const row = await matching(filter)
        .select((count) => count.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return row.count
    },
  }
}
