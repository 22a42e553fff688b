import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Role } from '../../../src/platform/settings/settings.ts'
import { productionEnv } from '../../../test/support/fleet.ts'
import { type Probe, prepareProbe } from '../../../test/support/read-probe.ts'
import type { RunningTollgate } from '../../../test/support/tollgate.ts'
import { ample, type BenchPlan, spent, writeCatalogue } from '../catalogue.ts'
import { type PinnedOptions, startPinned } from '../process.ts'
import { servingOptions } from '../serving-options.ts'
import { targetCore } from '../two-cores.ts'
import { root } from '../workbench.ts'
import type { Peer, World } from './peer.ts'

const program = join(root, 'src', 'cli', 'main.ts')

/** Secrets of the benchmark's gateways: one registry, one pepper. */
export const secrets = productionEnv()

/** How long after the last answer its record and usage are written (src/gateway/operate/call-recorder.ts). */
export const settleMs = 3_300

/** Until nine pairs of application and operation in ten have their identity, about as under a load that never rests. */
export const warmSeconds = 12

export interface TollgateOptions {
  readonly name: string
  /** Embedded in the process, instead of PostgreSQL and Redis. (Default: false) */
  readonly isEmbedded?: boolean
  /** (Default: the gateway alone) */
  readonly roles?: readonly Role[]
  /** What is published. (Default: what the benchmark publishes, with these plans) */
  readonly configDir?: string
  /** (Default: those of the world.) */
  readonly plans?: readonly BenchPlan[]
  /** (Default: a fresh one.) */
  readonly dataDir?: string
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>
  readonly readLog?: PinnedOptions['readError']
}

/** A running gateway. */
export interface TollgatePeer extends Peer {
  readonly dataDir: string
  /** Origins by the name in the ready line. */
  readonly urls: RunningTollgate['urls']
  readonly readProbe: Probe
}

/** The environment of a gateway in production's shape: everything on, the log at errors. */
export function tollgateEnv(world: World, options: TollgateOptions) {
  const { bench, backendUrl, databaseUrl, redisUrl } = world
  const folder = mkdtempSync(join(bench.folder, 'tollgate-'))
  const stores = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }
  return {
    ...secrets,
    DATA_DIR: options.dataDir ?? join(folder, 'data'),
    CONFIG_DIR: options.configDir ?? writeCatalogue(folder, options.plans ?? [ample, spent]),
    BACKEND_URL: backendUrl,
    LOG_LEVEL: 'error',
    GATEWAY_PORT: '0',
    MANAGEMENT_PORT: '0',
    RECORD_CALLS: 'true',
    // What unknown keys cost is to be measured, not refused. One developer has all applications here, whose calls in
    // progress would soon be too many for one.
    AUTH_FAILURES_PER_MINUTE: '1000000',
    CALLS_PER_DEVELOPER: '1000000',
    ...(options.isEmbedded === true ? {} : stores),
    ...options.env,
  }
}

/** The whole pipeline: key, subscription, exact count, headers, identity, metrics, usage and records. */
export async function startTollgatePeer(
  world: World,
  options: TollgateOptions,
): Promise<TollgatePeer> {
  const { name, roles = ['gateway'], readLog } = options
  const env = tollgateEnv(world, options)
  const probe = prepareProbe(world.bench.folder)
  const target = await startPinned({
    core: targetCore,
    command: process.execPath,
    args: [
      ...servingOptions,
      ...probe.nodeOptions,
      ...world.nodeOptions,
      program,
      'start',
      ...roles,
    ],
    env: { ...env, ...probe.env },
    ready: /^tollgate ready (.+)/,
    ...(readLog && { readError: readLog }),
  })
  world.bench.undo(() => target.stop())
  const urls = Object.fromEntries(target.address.split(' ').map((part) => part.split('=')))
  return {
    name,
    url: urls.gateway,
    urls,
    target,
    dataDir: env.DATA_DIR,
    readProbe: () => probe.read(target.pid),
  }
}
