import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from './schema.ts'
import type { RegistryTransaction } from './transaction.ts'

/**
 * How far a job has come that several processes share. It is a row of
 * `portal_state`, named after the job. A process either locks it for a
 * transaction ({@link lockCursor}) or takes a turn ({@link takeTurn}).
 */
export interface JobCursor {
  /** The job's own text, as the id of the last row that it has seen. */
  readonly value: string
  /** Seconds since its last move or turn, by the clock of the database. */
  readonly ageSeconds: number
}

/** Creates the cursor with this value, unless it exists: another process may be first. */
export async function beginCursor(
  db: RegistryTransaction | Kysely<RegistrySchema>,
  name: string,
  value: string,
): Promise<void> {
  await db
    .insertInto('portal_state')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/** Reads the cursor, even while another process has locked it; undefined if it does not exist. */
export function readCursor(
  db: Kysely<RegistrySchema>,
  name: string,
): Promise<JobCursor | undefined> {
  return selectCursor(db, name).executeTakeFirst()
}

/** Locks the cursor until the transaction ends; undefined if it does not exist, or while another process has locked it. */
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

/** Sets the value of a cursor that this transaction has locked, or of which this process has the turn. */
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
 * Takes the turn of a job, unless a process took it or moved the cursor within
 * the last `seconds`. The turn holds no lock: a slow process may still be at
 * work when the next one begins, so the work must bear being done twice.
 *
 * @returns the cursor's value; undefined if it is not this process's turn, or the cursor does not exist
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
