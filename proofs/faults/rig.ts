import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { onboard } from '../../src/portal/stores/accounts/onboard.ts'
import type { Stores } from '../../src/portal/stores/stores.ts'
import { type PostgresServer, startPostgres, type Test } from '../../test/support/database.ts'
import { productionEnv, storesOf } from '../../test/support/fleet.ts'
import { configDir } from '../../test/support/published-catalogue.ts'
import { spawnTollgate, type TollgateProcess } from '../../test/support/tollgate.ts'
import { startChild } from './child.ts'
import type { Trouble } from './fault-proxy.ts'
import { gatewayCount, gatewayIndexes } from './gateways.ts'
import type { CallerOrder } from './load.ts'
import type { ProxyOrder } from './proxies.ts'

/** Four gateways as production runs them, each behind proxies of its own, with the books beside them. */
export interface Rig {
  readonly gateways: readonly TollgateProcess[]
  readonly postgres: PostgresServer
  readonly stores: Stores
  /** Where the ledger writes. */
  readonly ledger: string
  /** A folder for what an experiment writes. */
  readonly folder: string
  /** What a gateway is started with, by its index. */
  readonly env: (gateway: number) => Readonly<Record<string, string>>
  /** Between a gateway and its Redis. */
  readonly redisProxies: readonly ProxyHandle[]
  /** Between a gateway and PostgreSQL. */
  readonly postgresProxies: readonly ProxyHandle[]
  order(order: CallerOrder): Promise<void>
  /** An application on a plan, which counts by itself. */
  newApplication(plan: PlanName): Promise<{ readonly key: string; readonly applicationId: string }>
  /** Kills a gateway and starts another one in its place, at the same addresses. */
  replace(gateway: number): Promise<void>
}

export interface ProxyHandle {
  readonly port: number
  trouble(trouble: Trouble): Promise<void>
  target(port: number): Promise<void>
}

export interface RigOptions {
  /** Where the books are kept for later reading. (Default: a temporary folder.) */
  readonly books?: string | undefined
  /** Redis behind the proxies; or the whole REDIS_URL, then without any. */
  readonly redis: { readonly port: number } | { readonly url: string }
  /** Added to the environment of one gateway. */
  readonly env?: (gateway: number) => Readonly<Record<string, string>>
}

/** The plans of the experiments. Windows of `whole` do not end during one. */
const plans = {
  whole: { calls: 100, window: 'P365D' },
  wide: { calls: 10_000_000, window: 'P365D' },
  s2: { calls: 100, window: 'PT2S' },
  s3: { calls: 100, window: 'PT3S' },
  s4: { calls: 100, window: 'PT4S' },
  ten: { calls: 10, window: 'PT2S' },
} as const

export type PlanName = keyof typeof plans

/** Starts it all; it ends with the scope. */
export async function startRig(t: Test, { books, redis, env: more }: RigOptions): Promise<Rig> {
  if (books !== undefined) mkdirSync(books, { recursive: true })
  const folder = mkdtempSync(join(books ?? tmpdir(), 'tg-faults-'))
  if (books === undefined) t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const ledger = join(folder, 'ledger')
  const ledgerProcess = startChild(t, 'ledger.ts', [ledger, String(gatewayCount)])
  const ledgerPorts = (await messageOf(ledgerProcess)) as number[]
  const postgres = await startPostgres(t)
  const proxies = startChild(t, 'proxies.ts')
  const targets = [
    ...gatewayIndexes.map(() => ('port' in redis ? redis.port : 0)),
    ...gatewayIndexes.map(() => Number(new URL(postgres.url).port)),
  ]
  const opened = messageOf(proxies)
  proxies.send({ order: 'open', targets } satisfies ProxyOrder)
  const ports = (await opened) as number[]
  const handles = ports.map((port, at): ProxyHandle => {
    async function tell(order: ProxyOrder): Promise<void> {
      const done = messageOf(proxies)
      proxies.send(order)
      await done
    }
    return {
      port,
      trouble: (trouble) => tell({ order: 'trouble', at, trouble }),
      target: (next) => tell({ order: 'target', at, port: next }),
    }
  })
  const shared = {
    ...productionEnv(),
    GATEWAY_PROCESSES: String(gatewayCount),
    CONFIG_DIR: configWithPlans(folder),
    AUTH_FAILURES_PER_MINUTE: '1000000',
    LOG_LEVEL: 'warn',
  }
  const env = (gateway: number): Readonly<Record<string, string>> => ({
    ...shared,
    DATABASE_URL: throughPort(postgres.url, ports[gatewayCount + gateway] ?? 0),
    REDIS_URL: 'url' in redis ? redis.url : `redis://127.0.0.1:${ports[gateway]}`,
    BACKEND_URL: `http://127.0.0.1:${ledgerPorts[gateway]}`,
    ...more?.(gateway),
  })
  const stores = await storesOf(t, { ...shared, DATABASE_URL: postgres.url })
  const gateways: TollgateProcess[] = []
  // One after the other: four at once are slower on two cores than they wait for their database.
  for (const index of gatewayIndexes) gateways.push(await spawnTollgate(t, ['gateway'], env(index)))
  const callers = startChild(t, 'callers.ts')
  let orders = 0
  let applications = 0

  return {
    gateways,
    postgres,
    stores,
    ledger,
    folder,
    env,
    redisProxies: handles.slice(0, gatewayCount),
    postgresProxies: handles.slice(gatewayCount),
    order(order) {
      orders += 1
      const id = orders
      return new Promise((resolve) => {
        function onMessage(done: unknown): void {
          if (done !== id) return
          callers.off('message', onMessage)
          resolve()
        }
        callers.on('message', onMessage)
        callers.send({ id, order })
      })
    },
    newApplication(plan) {
      applications += 1
      return onboard(stores, {
        email: `tester-${applications}@tollgate.example`,
        developerName: 'Tester',
        applicationName: `${plan} ${applications}`,
        subscriptions: [{ api: 'xs2a', version: '1.7.0', plan }],
        by: 'test',
      })
    },
    async replace(gateway) {
      const former = gateways[gateway]
      if (former === undefined) throw new Error('no such gateway')
      former.signal('SIGKILL')
      await former.ended
      gateways[gateway] = await spawnTollgate(t, ['gateway'], {
        ...env(gateway),
        GATEWAY_PORT: new URL(former.urls.gateway).port,
        MANAGEMENT_PORT: new URL(former.urls.management).port,
      })
    },
  }
}

/** The next message of a child. */
function messageOf(child: ReturnType<typeof startChild>): Promise<unknown> {
  return new Promise((resolve) => child.once('message', resolve))
}

function throughPort(url: string, port: number): string {
  const through = new URL(url)
  through.port = String(port)
  return through.href
}

/** The published configuration with one plan for each kind of experiment. */
function configWithPlans(folder: string): string {
  const config = join(folder, 'config')
  cpSync(configDir, config, { recursive: true })
  const published = readFileSync(join(config, 'plans', 'default.yaml'), 'utf8')
  for (const [name, { calls, window }] of Object.entries(plans)) {
    const text = published
      .replace(/calls: \d+/, `calls: ${calls}`)
      .replace(/window: \w+/, `window: ${window}`)
    writeFileSync(join(config, 'plans', `${name}.yaml`), text)
  }
  return config
}

/** The limit of a plan, as its documents would be read by a human. */
export function limitOf(plan: PlanName): { readonly calls: number; readonly seconds: number } {
  const { calls, window } = plans[plan]
  return { calls, seconds: window === 'P365D' ? 365 * 86_400 : Number(window.slice(2, -1)) }
}

/** Gives the ledger time to write what it has received. */
export async function ledgerWritten(): Promise<void> {
  await delay(100)
}
