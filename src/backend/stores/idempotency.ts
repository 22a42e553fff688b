import type { Kysely } from 'kysely'
import type { BankSchema } from './schema.ts'

/** Identifies a POST of a TPP. */
export interface IdempotencyKey {
  readonly applicationId: string
  readonly path: string
  readonly requestId: string
}

/** The stored answer of an earlier POST with the same key. */
export interface EarlierPost {
  readonly bodySha256: Buffer
  readonly answer: string
}

/** Milliseconds for which the bank repeats the answer to a POST (our choice). */
const repeatMs = 24 * 3_600_000

/** The answers of the last day, by X-Request-ID. */
export function createIdempotencyStore(db: Kysely<BankSchema>) {
  return {
    /**
     * Takes the key for a new POST. If another transaction has the key, waits: when
     * that commits, returns its answer; when it rolls back, takes the key.
     *
     * @returns the answer of the earlier POST, or undefined for the first one in 24 h
     */
    async take(
      key: IdempotencyKey,
      bodySha256: Buffer,
      now: Date,
    ): Promise<EarlierPost | undefined> {
      const taken = await db
        .insertInto('idempotency')
        .values({ ...key, bodySha256, answer: null, createdAt: now })
        .onConflict((conflict) =>
          conflict
            .columns(['applicationId', 'path', 'requestId'])
            .doUpdateSet({ bodySha256, answer: null, createdAt: now })
            .where('idempotency.createdAt', '<=', new Date(now.getTime() - repeatMs)),
        )
        .returning('requestId')
        .executeTakeFirst()
      if (taken !== undefined) return undefined
      const earlier = await db
        .selectFrom('idempotency')
        .select(['bodySha256', 'answer'])
        .where((all) => all.and({ ...key }))
        .executeTakeFirstOrThrow()
      if (earlier.answer === null) throw new Error('a committed POST has left no answer')
      return { bodySha256: earlier.bodySha256, answer: earlier.answer }
    },

    /** Stores the answer, in the transaction that took the key. */
    async storeAnswer(key: IdempotencyKey, answer: string): Promise<void> {
      await db
        .updateTable('idempotency')
        .set({ answer })
        .where((all) => all.and({ ...key }))
        .execute()
    },

    /** Deletes answers older than a day. */
    async deleteOld(now: Date): Promise<void> {
      await db
        .deleteFrom('idempotency')
        .where('createdAt', '<=', new Date(now.getTime() - repeatMs))
        .execute()
    },
  }
}
