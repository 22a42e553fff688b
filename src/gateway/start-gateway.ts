import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { DataFolder } from '../platform/data-folder.ts'
import type { Logger } from '../platform/log.ts'
import type { Settings } from '../platform/settings.ts'
import type { Counter } from './counters/counter.ts'
import { createMemoryCounter } from './counters/memory-counter.ts'
import { createRedisCounter } from './counters/redis-counter.ts'
import { createEdge } from './edge/create-edge.ts'
import type { IdentitySigner } from './edge/identity.ts'
import { createCallObserver } from './operate/call-observer.ts'
import type { GatewayMetrics } from './operate/metrics.ts'
import type { Publisher } from './publisher.ts'
import type { Registry } from './registry/open-registry.ts'

/** Opens the counter the settings name: Redis, or in the process with a journal in the data folder. */
export function openCounter(options: {
  readonly settings: Settings
  readonly dataFolder: DataFolder | undefined
  readonly metrics: GatewayMetrics
  readonly log: Logger
}): Promise<Counter> {
  const { settings, dataFolder, metrics, log } = options
  const onStoreDuration = (seconds: number): void => metrics.observeStore(seconds)
  if (settings.redisUrl !== undefined) {
    return createRedisCounter({
      url: settings.redisUrl,
      processes: settings.gatewayProcesses,
      evictionAllowed: settings.redisEvictionAllowed,
      log,
      onStoreDuration,
    })
  }
  if (dataFolder === undefined) throw new Error('no data folder for the journal of the counters')
  return createMemoryCounter({
    journalPath: join(dataFolder.path, 'counters.journal'),
    log,
    onStoreDuration,
  })
}

export interface GatewayServices {
  readonly settings: Settings
  readonly publisher: Publisher
  readonly registry: Registry
  readonly counter: Counter
  readonly identity: IdentitySigner
  readonly metrics: GatewayMetrics
  readonly backendUrl: string
  readonly portalUrl: () => string
  readonly log: Logger
}

/** Puts the gateway role together; its listener is bound by the caller. */
export async function createGatewayRole(
  services: GatewayServices,
): Promise<{ readonly app: FastifyInstance; close(): Promise<void> }> {
  const { settings, publisher, registry, counter, metrics, log } = services
  const monotonic = (): number => performance.now()
  metrics.watchStore('counters', () => counter.isUp())
  metrics.watchStore('registry', () => registry.isUp())
  registry.onChange('counter', ({ detail }) => {
    // An operator reset it: what this process knows to be empty may be full again.
    const bucket = detail?.['bucket']
    if (bucket !== undefined) counter.forget(bucket)
  })
  registry.onChange('configuration', () => void publisher.reload())
  return createEdge({
    published: publisher.current,
    registry,
    counter,
    identity: services.identity,
    observer: createCallObserver({ metrics, log, monotonic }),
    backendUrl: services.backendUrl,
    portalUrl: services.portalUrl,
    authFailuresPerMinute: settings.authFailuresPerMinute,
    connectionLimits: settings,
    trustedProxies: settings.trustedProxies,
    now: Date.now,
    monotonic,
    randomUUID,
  })
}
