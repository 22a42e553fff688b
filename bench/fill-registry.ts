import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { generateKey } from '../src/gateway/registry/key-format.ts'
import { keyMac, parsePeppers } from '../src/gateway/registry/key-mac.ts'
import type { RegistrySchema } from '../src/gateway/registry/schema.ts'
import { openRegistryStores } from '../src/gateway/registry/stores.ts'
import { openDatabase } from '../src/platform/database.ts'
import { createLog } from '../src/platform/log.ts'
import { api } from './catalogue.ts'

export interface FillOptions {
  readonly databaseUrl: string
  readonly pepper: string
  readonly applications: number
  /** Of their subscription. */
  readonly plan: string
}

/** Registers applications with one subscription and one key each, in few statements; resolves to the keys. */
export async function fillRegistry(options: FillOptions): Promise<string[]> {
  const { databaseUrl, pepper, applications, plan } = options
  const log = createLog('error')
  const database = openDatabase({ url: databaseUrl, log, statementTimeoutMs: 600_000 })
  const peppers = parsePeppers(pepper)
  try {
    await openRegistryStores({
      database,
      peppers,
      keysPerApplication: 1,
      applicationsPerDeveloper: 1,
    })
    const keys = Array.from({ length: applications }, () => generateKey(randomBytes))
    const macs = keys.map(({ text }) => keyMac(peppers, peppers.current, text))
    const db = database.connect<RegistrySchema>()
    await db.transaction().execute(async (trx) => {
      const ids = await addApplications(trx, applications, plan)
      await sql`
        insert into api_keys (id, application_id, name, mac, pepper_version, last_four)
        select id, application_id, 'bench', mac, ${peppers.current}::int, last_four
        from unnest(
          ${keys.map(({ id }) => id)}::text[], ${ids}::uuid[], ${macs}::bytea[],
          ${keys.map(({ text }) => text.slice(-4))}::text[]
        ) as k (id, application_id, mac, last_four)`.execute(trx)
    })
    return keys.map(({ text }) => text)
  } finally {
    await database.close()
  }
}

/** Makes a developer with applications, each subscribed to the benchmark's version; returns the applications' ids. */
async function addApplications(
  trx: Kysely<RegistrySchema>,
  count: number,
  plan: string,
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
      select id, ${api.name}, ${api.version}, ${plan} from application
    )
    select id from application`.execute(trx)
  return rows.map(({ id }) => id)
}
