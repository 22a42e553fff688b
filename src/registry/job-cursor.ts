import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from './schema.ts'
import type { RegistryTransaction } from './transaction.ts'

/** The progress of a job that several processes share and each step of which runs once. */
export interface JobCursor {
  readonly value: string
  /** Time since its last move, by the clock of the database. */
  readonly ageSeconds: number
}

/** Creates the cursor if it does not exist; another process may do so first. */
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

/** Reads the cursor, even if another process has locked it; undefined if it does not exist. */
export function readCursor(
  db: Kysely<RegistrySchema>,
  name: string,
): Promise<JobCursor | undefined> {
  return selectCursor(db, name).executeTakeFirst()
}

/** Locks the cursor for this transaction; undefined while another process has it. */
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

/** Moves a cursor that this transaction has locked, or whose turn this process has. */
export async function moveCursor(
  trx: RegistryTransaction | Kysely<RegistrySchema>,
  name: string,
  value: string,
): Promise<void> {
  await trx
    .updateTable('portal_state')
    .set({ value, changed_at: sql`clock_timestamp()` })
    .where('name', '=', name)
    .execute()
}

/**
 * Takes a turn of work that several processes share, unless another took
 * one within `seconds`. The turn holds no lock: what it writes must be written
 * once by other means.
 *
 * @returns the cursor's value; undefined: not this process's turn
 */
export async function takeTurn(
  db: Kysely<RegistrySchema>,
  name: string,
  seconds: number,
): Promise<string | undefined> {
  const taken = await db
    .updateTable('portal_state')
    .set({ changed_at: sql`clock_timestamp()` })
    .where('name', '=', name)
    .where('changed_at', '<=', sql<Date>`clock_timestamp() - make_interval(secs => ${seconds})`)
    .returning('value')
    .executeTakeFirst()
  return taken?.value
}
