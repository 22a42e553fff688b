import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { openDatabase } from '../../src/platform/database/database.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { openStores } from '../../src/portal/stores/stores.ts'
import { generateKey } from '../../src/registry/keys/key-format.ts'
import { keyMac, parsePeppers } from '../../src/registry/keys/key-mac.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { api } from './catalogue.ts'

export interface FillOptions {
  readonly databaseUrl: string
  readonly pepper: string
  readonly applications: number
  /** Plan of their subscription. */
  readonly plan: string
  /** What they subscribe to. (Default: what the benchmark publishes) */
  readonly version?: { readonly name: string; readonly version: string }
}

/** Registers applications with one subscription and one key each, in few statements; resolves to the keys. */
export async function fillRegistry(options: FillOptions): Promise<string[]> {
  const { pepper, applications } = options
  const peppers = parsePeppers(pepper)
  const keys = Array.from({ length: applications }, () => generateKey(randomBytes))
  const macs = keys.map(({ text }) => keyMac(peppers, peppers.current, text))
  await onRegistry(options, (db) =>
    db.transaction().execute(async (trx) => {
      const ids = await addApplications(trx, applications, options)
      await sql`
        insert into api_keys (id, application_id, name, mac, pepper_version, last_four)
        select id, application_id, 'bench', mac, ${peppers.current}::int, last_four
        from unnest(
          ${keys.map(({ id }) => id)}::text[], ${ids}::uuid[], ${macs}::bytea[],
          ${keys.map(({ text }) => text.slice(-4))}::text[]
        ) as k (id, application_id, mac, last_four)`.execute(trx)
    }),
  )
  return keys.map(({ text }) => text)
}

const keysPerApplication = 10
/** An embedded database does nothing else meanwhile. */
const batchApplications = 5_000

/** Registers this number of unusable keys, ten per application, to fill the tables and their indexes. */
export async function addFillers(options: FillOptions): Promise<void> {
  const { applications } = options
  await onRegistry(options, async (db) => {
    for (let made = 0; made < applications; made += batchApplications) {
      const count = Math.min(batchApplications, applications - made)
      await db.transaction().execute(async (trx) => {
        const ids = await addApplications(trx, count, options)
        await sql`
          insert into api_keys (id, application_id, name, mac, pepper_version, last_four)
          select substr(md5(a.id || ' ' || n), 1, 12), a.id, 'key ' || n,
            sha256(convert_to(a.id || ' ' || n, 'UTF8')), 1, 'none'
          from unnest(${ids}::uuid[]) as a (id), generate_series(1, ${keysPerApplication}::int) n
        `.execute(trx)
      })
    }
    await sql`analyze`.execute(db)
  })
}

/** Brings the tables up to date and runs `work` on them. */
async function onRegistry(
  { databaseUrl, pepper }: FillOptions,
  work: (db: Kysely<RegistrySchema>) => Promise<void>,
): Promise<void> {
  const log = createLog('error')
  const database = openDatabase({ url: databaseUrl, log, statementTimeoutMs: 600_000 })
  try {
    const limits = { keysPerApplication: 1, applicationsPerDeveloper: 1 }
    await openStores({ database, peppers: parsePeppers(pepper), ...limits })
    await work(database.connect<RegistrySchema>())
  } finally {
    await database.close()
  }
}

/** Makes a developer with applications, each subscribed to the benchmark's version; returns the applications' ids. */
async function addApplications(
  trx: Kysely<RegistrySchema>,
  count: number,
  { plan, version = api }: Pick<FillOptions, 'plan' | 'version'>,
): Promise<string[]> {
  const email = `${randomBytes(8).toString('hex')}@bench.example`
  const { rows } = await sql<{ id: string }>`
    with developer as (insert into developers (email, name) values (${email}, 'Bench') returning id),
    application as (
      insert into applications (developer_id, name)
      select developer.id, 'application ' || n from developer, generate_series(1, ${count}::int) n
      returning id
    ),
    subscription as (
      insert into subscriptions (application_id, api, version, plan)
      select id, ${version.name}, ${version.version}, ${plan} from application
    )
    select id from application`.execute(trx)
  return rows.map(({ id }) => id)
}
