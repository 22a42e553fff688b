import { type Kysely, sql, type Transaction } from 'kysely'
import type { RegistrySchema } from '../schema.ts'
import type { Change } from './change.ts'

// A reader of the table of changes keeps a horizon: every transaction below this number had ended when it read, so it can
// bring no further change. Transactions do not commit in the order of the changes' ids, so a cursor over ids would
// miss some.

/** A change as the table keeps it for an hour. */
export type KeptChange = Change & {
  readonly id: number
  /** The transaction that made it, a 64-bit number as text. */
  readonly xid: string
  /** Milliseconds since 1970, with fractions, by the clock of the database. */
  readonly madeAt: number
}

/** Changes since the last read, and where the next read continues. */
export interface ChangePage {
  readonly changes: readonly KeptChange[]
  /** A 64-bit number as text. */
  readonly horizon: string
  /** Time of the read, by the clock of the database. */
  readonly at: Date
  /** Which server answered, and since when it runs. */
  readonly server: string
}

/** A change in one column, next to its id, transaction and time. Members without a value are absent. */
const changeColumns = sql`c.id, c.xid::text as xid, extract(epoch from c.created_at)::float8 * 1000 as "madeAt",
  jsonb_strip_nulls(jsonb_build_object('kind', c.kind, 'action', c.action, 'detail', c.detail,
    'keyId', c.key_id, 'developerId', c.developer_id, 'applicationId', c.application_id)) as change`

interface ChangeRow {
  readonly id: number
  readonly xid: string
  readonly madeAt: number
  readonly change: Change
}

/** The columns of a left join that found no change. */
type NoChange = { readonly [Column in keyof ChangeRow]: null }

function kept(rows: readonly (ChangeRow | NoChange)[]): KeptChange[] {
  return rows.flatMap((row) =>
    row.id === null
      ? []
      : [{ ...row.change, id: row.id, xid: row.xid, madeAt: Number(row.madeAt) }],
  )
}

/**
 * Reads every committed change of transactions at or after `horizon`, in the
 * order of their ids; the caller drops those that it has already seen, whose
 * transactions had ended before the horizon could move past them. Without
 * `horizon`, reads only the horizon. On a standby, fails as an outage.
 */
export async function readChanges(
  db: Kysely<RegistrySchema>,
  horizon: string | undefined,
): Promise<ChangePage> {
  // One statement, so one snapshot: the new horizon belongs to exactly these rows. A standby, which a pooler may have
  // put behind an open connection, has no number to give and answers 25006, as to a write.
  const { rows } = await sql<
    { horizon: string; at: Date; server: string } & (ChangeRow | NoChange)
  >`
    select s.horizon, s.at, s.server, s.refusal, ${changeColumns}
    from (
      select pg_snapshot_xmin(pg_current_snapshot())::text as horizon, now() as at,
        pg_postmaster_start_time()::text as server,
        case when pg_is_in_recovery() then pg_current_xact_id() end as refusal
    ) s
    left join changes c on c.xid >= ${horizon ?? null}::text::xid8
    order by c.id`.execute(db)
  const [first] = rows
  if (first === undefined) throw new Error('a left join from one row returned none')
  return { horizon: first.horizon, at: first.at, server: first.server, changes: kept(rows) }
}

/** Changes of transactions that have ended, and where the next read continues. */
export interface SettledChanges {
  readonly changes: readonly KeptChange[]
  /** This page and earlier ones hold every change of transactions below this number. A 64-bit number as text. */
  readonly next: string
  /** Whether more changes may be waiting. */
  readonly isFull: boolean
}

/**
 * Reads changes of transactions from `horizon` up to the oldest one that is still
 * running, whose changes come with a later read, in the order of the
 * transactions: each change once, for a horizon that is kept in the database.
 *
 * @param max at least; the changes of a transaction stay together
 */
export async function readSettledChanges(
  trx: Transaction<RegistrySchema>,
  { horizon, max }: { readonly horizon: string; readonly max: number },
): Promise<SettledChanges> {
  const { rows } = await sql<{ horizon: string } & (ChangeRow | NoChange)>`
    with s as (select pg_snapshot_xmin(pg_current_snapshot()) as horizon),
    c as (
      select c.* from changes c, s where c.xid >= ${horizon}::text::xid8 and c.xid < s.horizon
      order by c.xid fetch first ${sql.lit(max)} rows with ties
    )
    select s.horizon::text as horizon, ${changeColumns} from s left join c on true
    order by c.xid, c.id`.execute(trx)
  const last = rows.at(-1)
  if (last === undefined) throw new Error('a left join from one row returned none')
  const isFull = rows.length >= max
  return {
    isFull,
    next: isFull && last.xid !== null ? String(BigInt(last.xid) + 1n) : last.horizon,
    changes: kept(rows),
  }
}

/** The point after which all changes of current and future transactions are. */
export async function presentHorizon(
  db: Kysely<RegistrySchema> | Transaction<RegistrySchema>,
): Promise<string> {
  const { rows } = await sql<{ horizon: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon`.execute(db)
  return rows[0]?.horizon ?? '0'
}
