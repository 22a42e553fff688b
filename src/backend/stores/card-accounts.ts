import { type Kysely, type Selectable, sql } from 'kysely'
import { countOf, type Days, type EntryRange, type Piece, pieceOf } from './entry-range.ts'
import type { BankSchema, CardAccountTable, CardTransactionTable } from './schema.ts'

export type CardAccount = Selectable<CardAccountTable>
export type CardTransaction = Selectable<CardTransactionTable>

/** The figures behind a card account's balances; debits are negative. */
export interface CardFigures {
  /** Invoiced, and not due before the given day. */
  readonly invoiced: string
  /** Booked since the last invoice. */
  readonly nonInvoiced: string
  readonly pending: string
}

/** Card accounts and their entries. Booked entries have numbers 1, 2, … in the order of their booking days. */
export function createCardAccountStore(db: Kysely<BankSchema>) {
  const byPosition = () => db.selectFrom('cardAccounts').selectAll().orderBy('position')

  function entries(cardAccountId: string, status: 'booked' | 'pending') {
    return db
      .selectFrom('cardTransactions')
      .where('cardAccountId', '=', cardAccountId)
      .where('status', '=', status)
  }

  /** Pending entries by the day of the purchase. */
  function pending(cardAccountId: string, { from, to }: Days) {
    return entries(cardAccountId, 'pending')
      .where('transactionDay', '>=', from)
      .where('transactionDay', '<=', to)
  }

  return {
    /** All card accounts of a person, by position. */
    ofPsu(psuId: string): Promise<CardAccount[]> {
      return byPosition().where('psuId', '=', psuId).execute()
    },

    /** The card accounts with these ids that exist, by position. */
    byIds(ids: readonly string[]): Promise<CardAccount[]> {
      if (ids.length === 0) return Promise.resolve([])
      return byPosition().where('id', 'in', ids).execute()
    },

    /** The figures of each card account; invoices due before `today` are paid. */
    async figures(ids: readonly string[], today: string): Promise<Map<string, CardFigures>> {
      if (ids.length === 0) return new Map()
      const rows = await db
        .selectFrom('cardTransactions')
        .select([
          'cardAccountId',
          sql<string>`coalesce(sum(amount) filter (where invoiced), 0)`.as('invoiced'),
          sql<string>`coalesce(sum(amount) filter (where status = 'booked' and not invoiced), 0)`.as(
            'nonInvoiced',
          ),
          sql<string>`coalesce(sum(amount) filter (where status = 'pending'), 0)`.as('pending'),
        ])
        .where('cardAccountId', 'in', ids)
        .where((any) => any.or([any('invoiced', '=', false), any('dueDay', '>=', today)]))
        .groupBy('cardAccountId')
        .execute()
      return new Map(rows.map((row) => [row.cardAccountId, row]))
    },

    /** The booked entries of a card account in a period: two index look-ups. */
    async range(cardAccountId: string, { from, to }: Days): Promise<EntryRange> {
      const latest = (operator: '<' | '<=', day: string) =>
        entries(cardAccountId, 'booked')
          .select('sequence')
          .where('bookingDay', operator, day)
          .orderBy('bookingDay', 'desc')
          .orderBy('sequence', 'desc')
          .limit(1)
      const row = await db
        .selectNoFrom([latest('<', from).as('after'), latest('<=', to).as('last')])
        .executeTakeFirstOrThrow()
      return { after: row.after ?? 0, last: row.last ?? 0 }
    },

    /** One page of a range, newest first. */
    async page(cardAccountId: string, range: EntryRange, piece: Piece): Promise<CardTransaction[]> {
      const { after, last } = pieceOf(range, piece)
      if (countOf({ after, last }) === 0) return []
      return entries(cardAccountId, 'booked')
        .selectAll()
        .where('sequence', '>', after)
        .where('sequence', '<=', last)
        .orderBy('sequence', 'desc')
        .execute()
    },

    /** One page of the pending entries, which are few, newest first. */
    pending(cardAccountId: string, days: Days, piece: Piece): Promise<CardTransaction[]> {
      return pending(cardAccountId, days)
        .selectAll()
        .orderBy('transactionDay', 'desc')
        .orderBy('sequence', 'desc')
        .offset(piece.offset)
        .limit(piece.limit)
        .execute()
    },

    async countPending(cardAccountId: string, days: Days): Promise<number> {
      const row = await pending(cardAccountId, days)
        .select((count) => count.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return row.count
    },
  }
}
