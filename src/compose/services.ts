import { Registry as MetricsRegistry } from 'prom-client'
import { type AuditKeeper, keepAudit } from '../gateway/operate/keep-audit.ts'
import { keepPublished } from '../gateway/operate/keep-published.ts'
import {
  createGatewayMetrics,
  type GatewayMetrics,
  type RecordingMetrics,
  type SpanMetrics,
} from '../gateway/operate/metrics.ts'
import { createProcessMetrics, type ProcessMetrics } from '../gateway/operate/process-metrics.ts'
import type { JobMetrics } from '../platform/process/job-metrics.ts'
import type { Settings } from '../platform/settings/settings.ts'
import type { ReloadRequest } from '../registry/feed/change.ts'
import type { Counting } from '../registry/processes/processes.ts'
import type { RegistrySchema } from '../registry/schema.ts'
import { keepRecords } from '../registry/usage/keep-records.ts'
import { counterStore } from './counter-store.ts'
import { type CountingClaim, claimCounting } from './counting-claim.ts'
import type { ProcessIdentity } from './presence.ts'
import type { Publisher, ReloadCause } from './publisher.ts'
import { type Foundation, openStores, type Stores } from './stores.ts'
import { warnOfAuditRole } from './warn-of-audit-role.ts'

/** What the gateway and the portal share. Each process that runs one of the roles opens it once. */
export interface Services extends Stores {
  readonly metrics: GatewayMetrics & RecordingMetrics & SpanMetrics
  readonly processMetrics: ProcessMetrics
  readonly publisher: Publisher
  /** Undefined: this process admits no calls, or no other process can use its database. */
  readonly claim: CountingClaim | undefined
  readonly audit: Pick<AuditKeeper, 'seal'>
}

export interface ServicesOptions extends Foundation {
  readonly processIdentity: ProcessIdentity
  readonly publisher: Publisher
  readonly metricsRegistry: MetricsRegistry
  readonly jobs: JobMetrics
  /** Whether this process admits calls. Otherwise it only shows counts. */
  readonly admits: boolean
}

/**
 * Opens what a process has once, for all its roles: the claim to count, the
 * cleanup of records, the chain over the audit and the stores. Also applies a
 * configuration that another process announces.
 *
 * @throws named errors: secrets, stores, counters that other processes do not
 * share
 */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { settings, database, events, jobs, log, lifetime, publisher, admits } = options
  const processMetrics = createProcessMetrics(options.metricsRegistry)
  // A process that takes no calls exports none: its zeros would hide that all gateways are gone.
  const metrics = createGatewayMetrics(admits ? options.metricsRegistry : new MetricsRegistry())
  const stores = await openStores({
    ...options,
    metrics,
    processMetrics,
    // A gateway serves known keys without PostgreSQL; a portal shows little but documents.
    needsRegistry: !admits,
  })
  const counts = admits ? countingOf(settings) : undefined
  let claim: CountingClaim | undefined
  if (counts !== undefined) {
    const report = { ...options.processIdentity, ...publisher.state(), counts }
    const { processes } = stores.registry
    claim = await claimCounting({ processes, report, log, lifetime })
  }
  await warnOfAuditRole(options)
  if (admits) {
    const { keys } = stores.registry
    const upkeep = keepRecords({ db: database.connect<RegistrySchema>(), keys, jobs, log })
    lifetime.opened(() => upkeep.close())
    const { publishedConfigurations: store } = stores.registry
    const noting = keepPublished({ store, current: publisher.current, log })
    publisher.onJudged((replacement) => {
      if (replacement !== undefined) noting.changed()
    })
    lifetime.opened(() => noting.close())
  }
  const audit = keepAudit({
    stores: stores.records,
    events,
    metricsRegistry: options.metricsRegistry,
    jobs,
    log,
    securityEventDays: settings.securityEventDays,
    monotonic: () => performance.now(),
    ...options.pauses,
  })
  lifetime.opened(() => audit.close())
  stores.registry.onChange('configuration', (change) => {
    if (change.action === 'reload') void publisher.reload(asked(change.detail))
  })
  return { ...stores, metrics, processMetrics, publisher, claim, audit }
}

/** Undefined: only one process can open an embedded database. */
function countingOf(settings: Settings): Counting | undefined {
  if (settings.databaseUrl === undefined) return undefined
  return counterStore(settings).isShared ? 'shared' : 'alone'
}

/** A command has asked for the reload. */
function asked({ by, ...detail }: ReloadRequest): ReloadCause {
  return { how: 'command', by, detail }
}
