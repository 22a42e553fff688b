import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Lets everybody see at once whether somebody has answered on a device. */
export const answersMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`
create index authorisations_answers on bank.authorisations (answers_at)
  where status = 'started'`.execute(database)
  },
}
