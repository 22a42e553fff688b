import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from './schema.ts'
import type { RegistryTransaction } from './transaction.ts'

/** How far a job has come that every process does and none does twice. */
export interface JobCursor {
  readonly value: string
  /** By how much its last move lies back, by the clock of the database. */
  readonly ageSeconds: number
}

/** Makes the cursor where there is none; another process may be faster. */
export async function beginCursor(
  db: Kysely<RegistrySchema>,
  name: string,
  value: string,
): Promise<void> {
  await db
    .insertInto('portal_state')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/** The cursor, whoever has it; undefined where there is none. */
export function readCursor(
  db: Kysely<RegistrySchema>,
  name: string,
): Promise<JobCursor | undefined> {
  return selectCursor(db, name).executeTakeFirst()
}

/** Takes the cursor for this transaction; undefined while another process has it. */
export function lockCursor(trx: RegistryTransaction, name: string): Promise<JobCursor | undefined> {
  return selectCursor(trx, name).forUpdate().skipLocked().executeTakeFirst()
}

function selectCursor(db: Kysely<RegistrySchema>, name: string) {
  const ageSeconds = sql<number>`extract(epoch from clock_timestamp() - changed_at)::float8`
  return db
    .selectFrom('portal_state')
    .select(['value', ageSeconds.as('ageSeconds')])
    .where('name', '=', name)
}

/** Moves a cursor that this transaction has locked. */
export async function moveCursor(
  trx: RegistryTransaction,
  name: string,
  value: string,
): Promise<void> {
  await trx
    .updateTable('portal_state')
    .set({ value, changed_at: sql`clock_timestamp()` })
    .where('name', '=', name)
    .execute()
}
