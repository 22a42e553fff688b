import { type Kysely, sql } from 'kysely'
import { authorisationMs } from '../domain/authorisation.ts'
import type { Parent } from './authorisations.ts'
import type { BankSchema } from './schema.ts'

/** A planned change. */
export interface Due {
  /** `answer`: the PSU answers on a device, or the time of the authorisation runs out; `step`: a payment takes a step. */
  readonly kind: 'answer' | 'step'
  /** Id of the authorisation or payment. */
  readonly id: string
  /** The planned time. */
  readonly at: Date
}

const tables = { payment: 'payments', consent: 'consents', mandate: 'mandates' } as const

export function createDueStore(db: Kysely<BankSchema>) {
  return {
    /**
     * The first planned change, except for these ids; undefined if nothing is
     * planned. At the same instant steps come before answers, and older rows
     * before newer ones. An index gives the first row of each part.
     */
    async next(except: readonly string[]): Promise<Due | undefined> {
      const isOther = sql`id <> all(${except}::uuid[])`
      const { rows } = await sql<Due>`
        select kind, id, at from (
          (select 'step' as kind, id, due_at as at, number
            from bank.payments where due_at is not null and ${isOther}
            order by due_at, number limit 1)
          union all
          (select 'answer', id, answers_at, number
            from bank.authorisations where status = 'started' and answers_at is not null and ${isOther}
            order by answers_at, number limit 1)
          union all
          (select 'answer', id, created_at + ${authorisationMs / 1000} * interval '1 second', number
            from bank.authorisations where status not in ('finalised', 'failed', 'exempted') and ${isOther}
            order by created_at, number limit 1)
        ) as first order by at, kind desc, number limit 1`.execute(db)
      return rows[0]
    },

    /**
     * Locks the resource of a change until the transaction ends, without waiting.
     *
     * @returns false while another transaction has locked it
     */
    async lock({ kind, id }: Parent): Promise<boolean> {
      const row = await db
        .selectFrom(tables[kind])
        .select('id')
        .where('id', '=', id)
        .forNoKeyUpdate()
        .skipLocked()
        .executeTakeFirst()
      return row !== undefined
    },
  }
}
