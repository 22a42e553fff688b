import { type Kysely, type RawBuilder, sql } from 'kysely'
import { DatabaseError } from 'pg'

/** The database speaks PostgreSQL's protocol, but lacks something that Tollgate builds on. */
export class UnfitDatabase extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`DATABASE_URL: ${reason}`, options)
    this.name = 'UnfitDatabase'
  }
}

const versionMin = 150_000

/**
 * Refuses what would start, but miss changes: gateways learn of a revocation by
 * the numbers of transactions, which some databases that resemble PostgreSQL do
 * not have, or do not count up.
 *
 * @throws {UnfitDatabase}
 */
export async function refuseUnfitDatabase(db: Kysely<unknown>): Promise<void> {
  // A transaction gets its number here as by its first write, and the horizon passes both alike: no row needs to be
  // written at each start.
  const { xid } = await ask<{ xid: string }>(db, sql`select pg_current_xact_id()::text as xid`)
  const { next } = await ask<{ next: string }>(
    db,
    sql`select pg_snapshot_xmax(pg_current_snapshot())::text as next`,
  )
  if (BigInt(next) <= BigInt(xid)) refuse(undefined)
  // Last: databases that resemble PostgreSQL name any version.
  const { version, number } = await ask<{ version: string; number: string }>(
    db,
    sql`select current_setting('server_version_num') as version, current_setting('server_version') as number`,
  )
  if (Number(version) < versionMin) {
    throw new UnfitDatabase(`is PostgreSQL ${number}; Tollgate needs 15 or newer`)
  }
}

/** The only row of a statement without tables. */
async function ask<Row>(db: Kysely<unknown>, statement: RawBuilder<unknown>): Promise<Row> {
  const { rows } = await statement.$castTo<Row>().execute(db).catch(refuse)
  const [row] = rows
  return row ?? refuse(undefined)
}

function refuse(cause: unknown): never {
  // No such function, no right to call it, not supported or not built: an answer of the database, not an outage.
  if (cause !== undefined && !isAnswer(cause)) throw cause
  throw new UnfitDatabase(
    'this database has no transaction horizon (pg_current_snapshot): gateways would miss revocations. Use PostgreSQL 15 or newer',
    { cause },
  )
}

/** CockroachDB says XXUUU. The rest of its class are internal errors, of PostgreSQL and of poolers too. */
function isAnswer(error: unknown): boolean {
  return error instanceof DatabaseError && /^(42|0A|22|XXUUU)/.test(error.code ?? '')
}
