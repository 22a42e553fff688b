import { type Kysely, type Selectable, sql } from 'kysely'
import { countOf, type Days, type EntryRange, type Piece, pieceOf } from './entry-range.ts'
import type { BankSchema, TransactionTable } from './schema.ts'

export type Transaction = Selectable<TransactionTable>

/** Selects entries of accounts. The day is the booking day; for pending entries it is the entry day. */
export interface TransactionFilter extends Days {
  readonly accountIds: readonly string[]
  readonly status: 'booked' | 'pending'
}

/** The reader of an account's reports. */
export interface Reader {
  readonly applicationId: string
  readonly psuId: string
  readonly accountId: string
}

/**
 * Reads the entries of payment accounts. Booked entries of an account have
 * numbers 1, 2, … in day order.
 */
export function createEntryStore(db: Kysely<BankSchema>) {
  function booked(accountId: string) {
    return db
      .selectFrom('transactions')
      .where('accountId', '=', accountId)
      .where('status', '=', 'booked')
  }

  function matching({ accountIds, status, from, to }: TransactionFilter) {
    return db
      .selectFrom('transactions')
      .where('accountId', 'in', accountIds)
      .where('status', '=', status)
      .where('day', '>=', from)
      .where('day', '<=', to)
  }

  return {
    /** The booked entries of an account in a period: two index look-ups. */
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

    /** One page of a range, newest first. */
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

    /** The booked entry of an account with a number, or undefined. */
    numbered(accountId: string, sequence: number): Promise<Transaction | undefined> {
      return booked(accountId).selectAll().where('sequence', '=', sequence).executeTakeFirst()
    },

    /** A booked entry of one of the accounts, or undefined. */
    find(accountIds: readonly string[], id: string): Promise<Transaction | undefined> {
      return db
        .selectFrom('transactions')
        .selectAll()
        .where('accountId', 'in', accountIds)
        .where('status', '=', 'booked')
        .where('id', '=', id)
        .executeTakeFirst()
    },

    /**
     * One page of the matching entries, newest first. Its time grows with the
     * number of matches, so it serves only pending entries, which are few, and
     * entries of several accounts, which share no numbers.
     */
    matching(filter: TransactionFilter, { offset, limit }: Piece): Promise<Transaction[]> {
      return matching(filter)
        .selectAll()
        .orderBy('day', 'desc')
        .orderBy('accountId')
        .orderBy('sequence', 'desc')
        .offset(offset)
        .limit(limit)
        .execute()
    },

    /** How many entries match. */
    async countMatching(filter: TransactionFilter): Promise<number> {
      const row = await matching(filter)
        .select((count) => count.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return row.count
    },

    /** The number of the last entry reported to a reader; 0 before the first report. */
    async reported({ applicationId, psuId, accountId }: Reader): Promise<number> {
      const row = await db
        .selectFrom('deltaReports')
        .select('lastSequence')
        .where('applicationId', '=', applicationId)
        .where('psuId', '=', psuId)
        .where('accountId', '=', accountId)
        .executeTakeFirst()
      return row?.lastSequence ?? 0
    },

    /**
     * Records that the reader gets all entries up to now, and returns the range
     * of new ones. One statement, so that exactly one of several simultaneous
     * reports contains an entry.
     */
    takeDelta({ applicationId, psuId, accountId }: Reader): Promise<EntryRange> {
      return db
        .insertInto('deltaReports')
        .columns(['applicationId', 'psuId', 'accountId', 'afterSequence', 'lastSequence'])
        .expression((any) =>
          any
            .selectFrom('accounts')
            .select([
              any.val(applicationId).as('applicationId'),
              any.val(psuId).as('psuId'),
              'id',
              any.lit(0).as('afterSequence'),
              'lastSequence',
            ])
            .where('id', '=', accountId),
        )
        .onConflict((conflict) =>
          conflict.columns(['applicationId', 'psuId', 'accountId']).doUpdateSet({
            afterSequence: sql<number>`delta_reports.last_sequence`,
            lastSequence: sql<number>`greatest(delta_reports.last_sequence, excluded.last_sequence)`,
          }),
        )
        .returning(['afterSequence as after', 'lastSequence as last'])
        .executeTakeFirstOrThrow()
    },
  }
}
