import type { Kysely, Selectable } from 'kysely'
import { countOf, type Days, type EntryRange, type Piece, pieceOf } from './entry-range.ts'
import type { BankSchema, TransactionTable } from './schema.ts'

export type Transaction = Selectable<TransactionTable>

/**
 * The entries of payment accounts, to read. The booked ones of an account are
 * numbered 1, 2, … in the order of their days.
 */
export function createEntryStore(db: Kysely<BankSchema>) {
  function booked(accountId: string) {
    return db
      .selectFrom('transactions')
      .where('accountId', '=', accountId)
      .where('status', '=', 'booked')
  }

  /** By the day of their entry. */
  function pending(accountId: string, { from, to }: Days) {
    return db
      .selectFrom('transactions')
      .where('accountId', '=', accountId)
      .where('status', '=', 'pending')
      .where('day', '>=', from)
      .where('day', '<=', to)
  }

  return {
    /** The booked entries of an account in a period: two looks at an index. */
    async range(accountId: string, { from, to }: Days): Promise<EntryRange> {
      const latest = (operator: '<' | '<=', day: string) =>
        booked(accountId)
          .select('sequence')
          .where('day', operator, day)
          .orderBy('day', 'desc')
          .orderBy('sequence', 'desc')
          .limit(1)
      const row = await db
        .selectNoFrom([latest('<', from).as('after'), latest('<=', to).as('last')])
        .executeTakeFirstOrThrow()
      return { after: row.after ?? 0, last: row.last ?? 0 }
    },

    /** A piece of a range, newest first. */
    async page(accountId: string, range: EntryRange, piece: Piece): Promise<Transaction[]> {
      const { after, last } = pieceOf(range, piece)
      if (countOf({ after, last }) === 0) return []
      return booked(accountId)
        .selectAll()
        .where('sequence', '>', after)
        .where('sequence', '<=', last)
        .orderBy('sequence', 'desc')
        .execute()
    },

    /** A booked entry of an account, or undefined. */
    find(accountId: string, id: string): Promise<Transaction | undefined> {
      return booked(accountId).selectAll().where('id', '=', id).executeTakeFirst()
    },

    /** A piece of the pending entries, which are few, newest first. */
    pending(accountId: string, days: Days, { offset, limit }: Piece): Promise<Transaction[]> {
      return pending(accountId, days)
        .selectAll()
        .orderBy('day', 'desc')
        .orderBy('sequence', 'desc')
        .offset(offset)
        .limit(limit)
        .execute()
    },

    async countPending(accountId: string, days: Days): Promise<number> {
      const row = await pending(accountId, days)
        .select((count) => count.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return row.count
    },
  }
}
