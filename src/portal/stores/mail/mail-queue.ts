// This folder keeps emails and what they report. This file has the queue: an email waits in it, encrypted, until a
// process sends it. `key-notices.ts` reads from the changes of the registry what developers get emails about, and
// `key-digests.ts` counts these emails and collects changes beyond five an hour. The texts and the sending are in
// `portal/mail/`.

import { type Kysely, sql } from 'kysely'
import type { PortalSchema, PortalTransaction } from '../schema.ts'

/** A mail that this process may send now. */
export interface ClaimedMail {
  readonly id: number
  readonly sealed: Buffer
  /** This attempt included. */
  readonly attempts: number
  readonly createdAt: Date
  readonly ageSeconds: number
}

/** Mails of all processes that wait to be sent. All times are by the database's clock. */
export interface MailQueue {
  /**
   * Takes up to `max` due mails, oldest first. They become due again for any
   * process after `forSeconds`. Two processes never take the same mail at once.
   */
  claim(options: { max: number; forSeconds: number }): Promise<ClaimedMail[]>
  /** The mail was sent, or never will be. */
  remove(id: number): Promise<void>
  /** Makes the mail due again in this number of seconds. */
  postpone(id: number, seconds: number): Promise<void>
}

export function createMailQueue({ db }: { db: Kysely<PortalSchema> }): MailQueue {
  return {
    async claim({ max, forSeconds }) {
      // One statement, so that it holds no lock while a mail server is slow. An array, because the planner may
      // run a subquery of a join more than once.
      const { rows } = await sql<ClaimedMail>`
        update mails
        set attempts = attempts + 1, due_at = now() + make_interval(secs => ${forSeconds})
        where id = any(array(
          select id from mails where due_at <= now() order by due_at limit ${max} for update skip locked
        ))
        returning id, sealed, attempts, created_at as "createdAt",
          extract(epoch from now() - created_at)::float8 as "ageSeconds"`.execute(db)
      return rows
    },

    async remove(id) {
      await db.deleteFrom('mails').where('id', '=', id).execute()
    },

    async postpone(id, seconds) {
      await db
        .updateTable('mails')
        .set({ due_at: sql`now() + make_interval(secs => ${seconds})` })
        .where('id', '=', id)
        .execute()
    },
  }
}

/** Queues an encrypted mail in the transaction that decides whether it is sent. */
export async function queueMail(trx: PortalTransaction, sealed: Buffer): Promise<void> {
  await trx.insertInto('mails').values({ sealed }).execute()
}
