import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { openDatabase } from '../../src/platform/database/database.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { openStores, type Stores } from '../../src/portal/stores/stores.ts'
import { parsePeppers } from '../../src/registry/keys/key-mac.ts'
import { type Client, createClient } from './calling.ts'
import {
  administer,
  type PostgresServer,
  postgresMissing,
  startPostgres,
  startStandby,
  type Test,
} from './database.ts'
import { type Ledger, startLedger } from './ledger-backend.ts'
import { type RedisServer, redisMissing, testRedis } from './redis-server.ts'
import {
  newApplication,
  spawnTollgate,
  type TestPlan,
  type TollgateProcess,
  testConfigDir,
} from './tollgate.ts'
import { until } from './until.ts'

/** Gateway processes as production runs them: one PostgreSQL, one Redis, a backend elsewhere. */
export interface Fleet {
  readonly gateways: readonly TollgateProcess[]
  /** One for each gateway. */
  readonly clients: readonly Client[]
  readonly ledger: Ledger
  readonly redis: RedisServer
  readonly postgres: PostgresServer
  /** Undefined unless asked for. */
  readonly standby: PostgresServer | undefined
  readonly stores: Stores
  /** Settings of the processes; commands run with them need the same. */
  readonly env: Readonly<Record<string, string>>
}

export interface FleetOptions {
  readonly size: number
  readonly plan?: TestPlan
  /** Whether PostgreSQL has a standby, which all processes know. (Default: none) */
  readonly standby?: 'synchronous' | 'asynchronous'
  /** Added to the environment of the processes. */
  readonly env?: Readonly<Record<string, string>>
}

/** Says why a fleet cannot run here, for the option `skip` of a test; false when it can. */
export function fleetMissing(): string | false {
  return redisMissing() || postgresMissing()
}

/** What production must be given: the secrets and no draining, which is for balancers. */
export function productionEnv() {
  const { privateKey } = generateKeyPairSync('ed25519')
  return {
    KEY_PEPPER: randomBytes(32).toString('base64url'),
    IDENTITY_PRIVATE_KEY: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    DRAIN_SECONDS: '0',
  } as const satisfies Readonly<Record<string, string>>
}

/** A Redis and a PostgreSQL that end with the test, and the settings that lead to them. */
export async function startStores(t: Test) {
  const redis = await testRedis(t)
  const postgres = await startPostgres(t)
  return { redis, postgres, env: { DATABASE_URL: postgres.url, REDIS_URL: redis.url } }
}

/** How many connections gateways have to it. */
export async function gatewayConnections({ url }: PostgresServer): Promise<number> {
  const { count } = await administer(
    url,
    "select count(*)::int from pg_stat_activity where application_name like 'tollgate gateway%'",
  )
  return Number(count)
}

/** Starts the stores, the ledger and `size` gateways; all of it ends with the test. */
export async function startFleet(t: Test, options: FleetOptions): Promise<Fleet> {
  const { size } = options
  const ledger = await startLedger(t)
  const { redis, postgres, env: ofStores } = await startStores(t)
  const standby =
    options.standby &&
    (await startStandby(t, postgres, { isSynchronous: options.standby === 'synchronous' }))
  const env = {
    ...productionEnv(),
    ...ofStores,
    ...(standby && { DATABASE_URL: withServers(postgres, standby) }),
    BACKEND_URL: ledger.url,
    GATEWAY_PROCESSES: String(size),
    CONFIG_DIR: testConfigDir(t, options.plan),
    ...options.env,
  }
  const stores = await storesOf(t, env)
  const gateways = await Promise.all(
    Array.from({ length: size }, () => spawnTollgate(t, ['gateway'], env)),
  )
  const clients = gateways.map(({ urls }) => createClient(t, urls.gateway))
  return { gateways, clients, ledger, redis, postgres, standby, stores, env }
}

/**
 * Waits until every gateway has received every change made so far. It receives
 * changes in their order, so a last one is enough. A change that a gateway receives
 * of after it looked a key up makes that entry stale; if PostgreSQL is away when
 * the key is looked up again, the call gets 503.
 */
export async function everyGatewayHasHeard(fleet: Fleet): Promise<void> {
  const { key, keyId } = await newApplication(fleet.stores, 'changed last')
  await everyGatewayAnswers(fleet, key, 200)
  await fleet.stores.keys.revoke({ id: keyId, by: 'test' })
  await everyGatewayAnswers(fleet, key, 401)
}

/** Calls every gateway with the key until it answers with this status. */
export async function everyGatewayAnswers(
  { clients }: Fleet,
  key: string,
  status: number,
): Promise<void> {
  for (const client of clients) {
    await until(
      `the gateway answers ${status}`,
      async () => (await client.call({ key })).status === status,
    )
  }
}

/** The URL of a database that several servers hold. */
function withServers(first: PostgresServer, second: PostgresServer): string {
  return first.url.replace(/(:\d+)\//, `$1,${new URL(second.url).host}/`)
}

/** The registry in a real PostgreSQL, as a command sees it. */
export async function storesOf(
  t: Test,
  env: { readonly DATABASE_URL: string; readonly KEY_PEPPER: string },
): Promise<Stores> {
  const log = createLog('silent')
  const database = openDatabase({
    url: env.DATABASE_URL,
    log,
    connectionsMax: 2,
  })
  t.teardown(() => database.close())
  return openStores({
    database,
    peppers: parsePeppers(env.KEY_PEPPER),
    keysPerApplication: 10,
    applicationsPerDeveloper: 1000,
  })
}
