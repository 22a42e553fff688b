// npm run prove -- bench-scale [--gateways 10,30,100 --seconds 20 --calls 500 --pooler]: what many gateways ask of one
// PostgreSQL and one Redis, at rest and under load, whether limits stay exact and how soon each knows of a revocation
// (docs/stores.md). The gateways are complete, but run in this one process: a hundred processes do not fit into a test
// machine. So their own processor time is shared work, and calls here are few; what the stores do is what they would do.
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startTollgate } from '../../src/main.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { readSettings } from '../../src/platform/settings/settings.ts'
import { burst, type Client, createClient } from '../../test/support/calling.ts'
import { administer, startPostgres } from '../../test/support/database.ts'
import { productionEnv, storesOf } from '../../test/support/fleet.ts'
import { startLedger } from '../../test/support/ledger-backend.ts'
import { testRedis } from '../../test/support/redis-server.ts'
import { standInTest } from '../../test/support/stand-in-test.ts'
import { newApplication, testConfigDir } from '../../test/support/tollgate.ts'
import { figure } from '../figure.ts'
import { startPooler } from '../support/pooler.ts'
import { print, printTable } from './report.ts'

const limit = 100
const { values } = parseArgs({
  options: {
    gateways: { type: 'string', default: '10,30,100' },
    seconds: { type: 'string', default: '20' },
    calls: { type: 'string', default: '500' },
    pooler: { type: 'boolean', default: false },
  },
})
const sizes = values.gateways.split(',').map(Number)
const seconds = Number(values.seconds)
const callsPerSecond = Number(values.calls)
if (
  ![...sizes, seconds, callsPerSecond].every((number) => Number.isInteger(number) && number > 0)
) {
  throw new Error(
    '--gateways, --seconds and --calls are whole numbers above 0 (e.g. --gateways 10,30)',
  )
}

const rows: string[][] = []
for (const size of sizes) rows.push(await measure(size))
print(
  `\n${callsPerSecond} calls a second in all, ${seconds} s each; ${values.pooler ? 'through PgBouncer with 10 connections' : 'without a pooler'}`,
)
printTable(
  [
    'gateways',
    'PostgreSQL: connections',
    'transactions/s at rest',
    'core at rest, %',
    'under load, %',
    'Redis: connections',
    'commands/s at rest',
    'core at rest, %',
    'under load, %',
    'MB a gateway',
    `admitted of ${limit}`,
    'revoked everywhere, ms',
  ],
  rows,
)
for (const [gateways, , atRest, , , , commands] of rows)
  figure(
    `${gateways} gateways at rest: ${atRest} transactions/s of PostgreSQL, ${commands} commands/s of Redis`,
  )

async function measure(size: number): Promise<string[]> {
  const t = standInTest()
  try {
    const postgres = await startPostgres(t, { connectionsMax: 1_000 })
    const redis = await testRedis(t)
    const env = {
      ...productionEnv(),
      DATABASE_URL: values.pooler ? await startPooler(t, postgres, { poolSize: 10 }) : postgres.url,
      REDIS_URL: redis.url,
      BACKEND_URL: (await startLedger(t)).url,
      GATEWAY_PROCESSES: String(size),
      LOG_LEVEL: 'error',
      AUTH_FAILURES_PER_MINUTE: '1000000',
      CONFIG_DIR: testConfigDir(t, { calls: limit, window: 'P1D' }),
      GATEWAY_PORT: '0',
      MANAGEMENT_PORT: '0',
    }
    const settings = readSettings(env)
    const before = process.memoryUsage.rss()
    const clients: Client[] = []
    for (let number = 0; number < size; number += 1) {
      const gateway = await startTollgate({
        settings,
        roles: new Set(['gateway'] as const),
        log: createLog('error'),
        version: 'bench',
        revision: 'unknown',
        isTerminal: false,
      })
      t.teardown(() => gateway.close())
      const url = /gateway=(\S+)/.exec(gateway.readyLine)?.[1] ?? ''
      clients.push(createClient(t, url, 8))
    }
    const megabytes = (process.memoryUsage.rss() - before) / size / 1e6
    const stores = await storesOf(t, env)

    const use = async () => {
      const info = await redis.cli('INFO', 'all')
      const figure = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(info)?.[1])
      const { transactions } = await administer(
        postgres.url,
        'select sum(xact_commit + xact_rollback)::int as transactions from pg_stat_database',
      )
      return {
        transactions: Number(transactions),
        databaseSeconds: await processorSeconds(postgres.url),
        commands: figure('total_commands_processed'),
        redisSeconds: figure('used_cpu_sys') + figure('used_cpu_user'),
        redisConnections: figure('connected_clients'),
      }
    }
    const during = async (work: () => Promise<unknown>) => {
      const from = await use()
      await work()
      const to = await use()
      return {
        transactions: (to.transactions - from.transactions) / seconds,
        database: ((to.databaseSeconds - from.databaseSeconds) / seconds) * 100,
        commands: (to.commands - from.commands) / seconds,
        redis: ((to.redisSeconds - from.redisSeconds) / seconds) * 100,
      }
    }
    await delay(35_000) // connections of the start end after 30 s without use
    const rest = await during(() => delay(seconds * 1_000))
    const { connections } = await administer(
      postgres.url,
      `select count(*)::int as connections from pg_stat_activity where application_name like 'tollgate gateway%'`,
    )
    const { redisConnections } = await use()

    const exact = await newApplication(stores, 'exact')
    const answers = await burst(clients, limit + 2 * size, exact)
    const admitted = answers.filter(({ status }) => status === 200).length

    const keys = await Promise.all(
      Array.from({ length: 20 }, (_, at) => newApplication(stores, `busy ${at}`)),
    )
    const load = await during(() =>
      call(
        clients,
        keys.map(({ key }) => key),
      ),
    )
    const revokedMs = await revoke(stores, clients, await newApplication(stores, 'revoked'))
    return [
      String(size),
      String(connections),
      ...[rest.transactions, rest.database, load.database].map((figure) => figure.toFixed(1)),
      String(redisConnections),
      ...[rest.commands, rest.redis, load.redis].map((figure) => figure.toFixed(1)),
      megabytes.toFixed(0),
      String(admitted),
      String(revokedMs),
    ]
  } finally {
    await t.end()
  }
}

/** Processor time of the server and its connections, in seconds. Those that have ended count in their parent. */
async function processorSeconds(url: string): Promise<number> {
  const { pids, parent } = await administer(
    url,
    `select array_agg(pid)::int[] as pids,
      (regexp_match(pg_read_file('postmaster.pid'), '^\\d+'))[1]::int as parent from pg_stat_activity`,
  )
  const ticks = [...(pids as number[]), Number(parent)].reduce((sum, pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      const own = Number(fields[11]) + Number(fields[12])
      return sum + own + (pid === parent ? Number(fields[13]) + Number(fields[14]) : 0)
    } catch {
      // It ended meanwhile.
      return sum
    }
  }, 0)
  return ticks / 100
}

/** Calls all gateways in turn at the same pace. */
async function call(clients: readonly Client[], keys: readonly string[]): Promise<void> {
  const pending: Promise<unknown>[] = []
  const from = performance.now()
  for (let number = 0; number < callsPerSecond * seconds; number += 1) {
    const dueMs = (number * 1_000) / callsPerSecond - (performance.now() - from)
    if (dueMs > 1) await delay(dueMs)
    const key = keys[number % keys.length] ?? ''
    pending.push(clients[number % clients.length]?.call({ key }) ?? Promise.resolve())
  }
  await Promise.all(pending)
}

/** @returns the milliseconds from the revocation to the last call that a gateway admitted */
async function revoke(
  stores: Awaited<ReturnType<typeof storesOf>>,
  clients: readonly Client[],
  { key, keyId }: { readonly key: string; readonly keyId: string },
): Promise<number> {
  await burst(clients, clients.length, { key })
  await stores.keys.revoke({ id: keyId, by: 'bench' })
  const at = Date.now()
  const last = clients.map(async (client) => {
    let admittedAt = at
    for (;;) {
      const answer = await client.call({ key })
      if (answer.status === 401) return admittedAt - at
      admittedAt = answer.begunAt
      await delay(20)
    }
  })
  return Math.max(...(await Promise.all(last)))
}
