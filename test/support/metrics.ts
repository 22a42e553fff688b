import { execFileSync, spawnSync } from 'node:child_process'
import { pino } from 'pino'
import type { Registry } from 'prom-client'
import { openCertificates } from '../../src/compose/certificates.ts'
import { createLiveSecrets } from '../../src/compose/live-secrets.ts'
import { createConfigurationMetrics } from '../../src/gateway/operate/configuration-metrics.ts'
import { keepAudit } from '../../src/gateway/operate/keep-audit.ts'
import { createGatewayMetrics, type GatewayMetrics } from '../../src/gateway/operate/metrics.ts'
import { createProcessMetrics } from '../../src/gateway/operate/process-metrics.ts'
import { createSecurityEvents } from '../../src/platform/log/security-events.ts'
import { createJobMetrics } from '../../src/platform/process/job-metrics.ts'
import { createLifetime } from '../../src/platform/process/lifetime.ts'
import { createMetricsRegistry } from '../../src/platform/process/management.ts'
import { readSettings } from '../../src/platform/settings/settings.ts'
import type { Test } from './database.ts'

/** Everything that a gateway registers at its start, without a gateway. */
export async function gatewayRegistry(
  t: Test,
): Promise<{ readonly registry: Registry; readonly metrics: GatewayMetrics }> {
  const registry = createMetricsRegistry({ version: '1.0.0', revision: 'test', roles: ['gateway'] })
  const metrics = createGatewayMetrics(registry)
  createProcessMetrics(registry)
  createConfigurationMetrics(registry).setConfiguration({
    generation: 1,
    digest: '0',
    loadedAt: new Date(),
  })
  const log = pino({ level: 'silent' })
  const events = createSecurityEvents({
    log,
    metricsRegistry: registry,
    keep: undefined,
    now: Date.now,
    recordedAddress: () => undefined,
  })
  const audit = keepAudit({
    stores: {
      audit: { erasePersonal: async () => undefined },
      auditChain: { seal: async () => 0 },
      securityEvents: { prune: async () => undefined },
    },
    events,
    metricsRegistry: registry,
    jobs: createJobMetrics(registry),
    log,
    securityEventDays: 90,
    monotonic: () => performance.now(),
  })
  const lifetime = createLifetime()
  const settings = readSettings({})
  const files = await openCertificates({
    settings,
    roles: new Set(),
    metricsRegistry: registry,
    log,
    lifetime,
  })
  createLiveSecrets({ settings, files, metricsRegistry: registry })
  t.teardown(() => Promise.all([events.close(), audit.close(), lifetime.close()]))
  return { registry, metrics }
}

/**
 * The metrics of a process for Prometheus, without the label `role` that is on every
 * series.
 *
 * @param management origin of its management listener
 */
export async function metricsOf(management: string): Promise<string> {
  return withoutRole(await (await fetch(`${management}/metrics`)).text())
}

export function withoutRole(metrics: string): string {
  return metrics.replaceAll(/\{role="[^"]*"\}|,role="[^"]*"(?=[,}])|(?<=\{)role="[^"]*",/g, '')
}

/** Why promtool cannot be run here, for the option `skip` of a test; false when it can. */
export function promtoolMissing(): string | false {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' })
    return false
  } catch {
    return 'promtool is not installed'
  }
}

/** What `promtool check metrics` finds wrong; empty: nothing. */
export function lintMetrics(metrics: string): string {
  const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: metrics,
    encoding: 'utf8',
  })
  return `${stdout}${stderr}`
}
