import { type Kysely, type Selectable, sql } from 'kysely'
import { countOf, type Days, type EntryRange, type Piece, pieceOf } from './entry-range.ts'
import type { BankSchema, TransactionTable } from './schema.ts'

export type Transaction = Selectable<TransactionTable>

/** Which entries of accounts are wanted; the day is the booking day, of pending ones the entry day. */
export interface TransactionFilter extends Days {
  readonly accountIds: readonly string[]
  readonly status: 'booked' | 'pending'
}

/** Who reads reports of an account. */
export interface Reader {
  readonly applicationId: string
  readonly psuId: string
  readonly accountId: string
}

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

  function matching({ accountIds, status, from, to }: TransactionFilter) {
    return db
      .selectFrom('transactions')
      .where('accountId', 'in', accountIds)
      .where('status', '=', status)
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
     * A piece of what matches, newest first. Takes the longer the more there
     * is: for pending entries, which are few, and for those of several accounts,
     * which have no numbers in common.
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

    /** The number of the last entry that a reader has been reported, 0 when it has had no report. */
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
     * Takes down that a reader is reported all there is, and returns what of it
     * is new. One statement, so that of reports at the same time exactly one has an entry.
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
