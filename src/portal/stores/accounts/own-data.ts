import { type Kysely, sql } from 'kysely'
import type { PortalSchema } from '../schema.ts'
import { auditOwn } from './audit-own.ts'
import { type OwnTable, ownTables } from './own-tables.ts'

/** A row as the file holds it: names in camelCase, times in ISO 8601. */
export type OwnRow = Readonly<Record<string, unknown>>

/** A piece of an export: rows of one part. A part without rows has one piece without rows. */
export interface OwnPart {
  readonly name: string
  readonly rows: readonly OwnRow[]
}

/** All data of a developer in the database. */
export interface OwnData {
  /** Writes to the audit that the developer exported the data. */
  noteExport(developerId: string): Promise<void>
  /**
   * Reads the data by pages of 1,000 rows, each with its own statement, so that
   * memory never holds all rows and other readers come in between. Rows that
   * are written meanwhile may be missing.
   */
  read(developerId: string): AsyncGenerator<OwnPart>
}

export function createOwnData({ db }: { readonly db: Kysely<PortalSchema> }): OwnData {
  async function* rowsOf(
    { table, owner, orderBy, columns }: OwnTable,
    ownerId: string,
  ): AsyncGenerator<OwnRow[]> {
    const order = sql.join(refsOf(orderBy))
    // As text: a JavaScript date has no microseconds, and would return rows twice.
    const place = sql.join(refsOf(orderBy).map((column) => sql`${column}::text`))
    const read = (after: readonly string[] | undefined) =>
      sql<{ readonly place: string[] }>`
        select ${sql.join(refsOf(columns))}, array[${place}] as place
        from ${sql.table(table)} where ${sql.ref(owner)} = ${ownerId}
        ${after === undefined ? sql`` : sql`and (${order}) > (${sql.join(after)})`}
        order by ${order} limit ${pageLength}`.execute(db)
    yield* pages(
      read,
      ({ place }) => place,
      ({ place: _, ...row }) => row,
    )
  }

  async function applicationsOf(developerId: string): Promise<string[]> {
    const found = await db
      .selectFrom('applications')
      .select('id')
      .where('developer_id', '=', developerId)
      .orderBy('created_at')
      .execute()
    return found.map(({ id }) => id)
  }

  return {
    async noteExport(developerId) {
      await db.transaction().execute((trx) => auditOwn(trx, developerId, 'developer.export-data'))
    },

    async *read(developerId) {
      const applications = await applicationsOf(developerId)
      for (const [name, own] of Object.entries(ownTables)) {
        const owners = own.owner === 'application_id' ? applications : [developerId]
        if (owners.length === 0) yield { name, rows: [] }
        for (const owner of owners) {
          for await (const rows of rowsOf(own, owner)) yield { name, rows }
        }
      }
      const codes = await db
        .selectFrom('recovery_codes')
        .select(({ fn }) => fn.countAll<number>().as('left'))
        .where('developer_id', '=', developerId)
        .execute()
      yield { name: 'recoveryCodes', rows: codes.map(({ left }) => ({ left: Number(left) })) }
      const parties = await partiesOf(db, developerId)
      for await (const rows of auditOf(db, parties)) yield { name: 'audit', rows }
      for await (const rows of eventsOf(db, parties)) yield { name: 'securityEvents', rows }
    },
  }
}

/** Columns of an {@link OwnTable}. */
function refsOf(columns: string) {
  return columns.split(' ').map((column) => sql.ref(column))
}

/** The names of a developer, and of everything that belongs to the developer, in the audit and in security events. */
interface Parties {
  /** `developer:<id>`, and `staff:<id>` of an operator. */
  readonly self: readonly string[]
  /** These, and the names of applications, keys, subscriptions, certificates and overrides. */
  readonly all: readonly string[]
}

async function partiesOf(db: Kysely<PortalSchema>, developerId: string): Promise<Parties> {
  const { rows } = await sql<{ name: string; isSelf: boolean }>`
    with own as (select id from applications where developer_id = ${developerId})
    select 'developer:' || ${developerId}::text as name, true as "isSelf"
    union all select 'staff:' || id, true from staff where developer_id = ${developerId}
    union all select 'application:' || id, false from own
    union all select 'key:' || id, false from api_keys where application_id in (select id from own)
    union all select 'subscription:' || id, false from subscriptions where application_id in (select id from own)
    union all select 'certificate:' || id, false from certificates where application_id in (select id from own)
    union all select 'override:' || id, false from limit_overrides where application_id in (select id from own)
    `.execute(db)
  return {
    self: rows.filter(({ isSelf }) => isSelf).map(({ name }) => name),
    all: rows.map(({ name }) => name),
  }
}

/** Entries of other people without their identity and address. */
function auditOf(db: Kysely<PortalSchema>, { self, all }: Parties): AsyncGenerator<OwnRow[]> {
  return pagesById((after) =>
    sql<WithId>`
    select audit.id, audit.at, case when is_own or actor = 'system' then actor else 'operator' end as actor, action, subject, detail,
      case when is_own then request_id end as request_id,
      case when is_own then facts ->> 'address' end as address,
      case when is_own then facts ->> 'agent' end as agent
    from (select *, actor = any(${self}) as is_own from audit
      where (actor = any(${self}) or subject = any(${all})) and id > ${after}
      order by id limit ${pageLength}) audit
    left join audit_personal on audit_personal.entry_id = audit.id
    order by audit.id`.execute(db),
  )
}

function eventsOf(db: Kysely<PortalSchema>, { self, all }: Parties): AsyncGenerator<OwnRow[]> {
  return pagesById((after) =>
    sql<WithId>`
    select id, at, event, reason,
      case when actor is null or actor = 'system' or actor = any(${all}) then actor else 'operator' end as actor,
      subject, key_id,
      case when actor is null or actor = any(${all}) then address end as address,
      case when actor is null or actor = any(${all}) then agent end as agent,
      request_id, detail
    from security_events
    where (actor = any(${all}) or subject = any(${all}) or actor = any(${self})) and id > ${after}
    order by id limit ${pageLength}`.execute(db),
  )
}

const pageLength = 1_000

interface WithId {
  readonly id: string
}

/** Without the ids, which are places in the table. */
function pagesById(
  read: (after: string) => Promise<{ readonly rows: WithId[] }>,
): AsyncGenerator<OwnRow[]> {
  return pages(
    (after: string | undefined) => read(after ?? '0'),
    ({ id }) => id,
    ({ id: _, ...row }) => row,
  )
}

/** Reads page after page, each after the last row of the previous one; at least one page, even without rows. */
async function* pages<Row, Place>(
  read: (after: Place | undefined) => Promise<{ readonly rows: readonly Row[] }>,
  placeOf: (row: Row) => Place,
  shown: (row: Row) => Readonly<Record<string, unknown>>,
): AsyncGenerator<OwnRow[]> {
  let after: Place | undefined
  for (;;) {
    const { rows } = await read(after)
    yield rows.map((row) => inCamelCase(shown(row)))
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageLength) return
    after = placeOf(last)
  }
}

function inCamelCase(row: Readonly<Record<string, unknown>>): OwnRow {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )
}
