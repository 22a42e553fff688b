import { Gauge, type Registry } from 'prom-client'
import type { Logger } from '../../platform/log/log.ts'
import type { JobMetrics } from '../../platform/process/job-metrics.ts'
import type { Lifetime } from '../../platform/process/lifetime.ts'
import { repeatedly } from '../../platform/process/repeatedly.ts'
import { ratioOf, type TopApplications } from './top-applications.ts'

export interface WatchApplicationsOptions {
  readonly read: () => Promise<TopApplications>
  readonly metricsRegistry: Registry
  readonly jobs: JobMetrics
  readonly log: Pick<Logger, 'warn'>
  readonly lifetime: Lifetime
}

const everyMs = 60_000

/**
 * Shows the applications with the most calls, once a minute. Only these, so
 * that the number of series is bounded. Every portal shows the same.
 */
export function watchApplications(options: WatchApplicationsOptions): void {
  const { read, jobs, log, lifetime } = options
  const registers = [options.metricsRegistry]
  const calls = new Gauge({
    name: 'gateway_application_calls',
    help: 'Calls of the applications that call most, by window: the last hour, or the last 24 hours',
    labelNames: ['application', 'window'],
    registers,
  })
  const info = new Gauge({
    name: 'gateway_application_info',
    help: 'Always 1; the label name says which application it is',
    labelNames: ['application', 'name'],
    registers,
  })
  const used = new Gauge({
    name: 'gateway_quota_used_ratio',
    help: 'Used share of limits that are used to more than 0.8, among the applications that call most',
    labelNames: ['application', 'api', 'version', 'operation', 'limit'],
    registers,
  })
  const watching = repeatedly({
    everyMs,
    async work() {
      // If the reading fails, what was read before is no longer true.
      const top = await read().finally(() => {
        for (const gauge of [calls, info, used]) gauge.reset()
      })
      // If an application was renamed between the lists, the later one has the newer name.
      const names = new Map<string, string>()
      for (const window of ['hour', 'day'] as const) {
        for (const { applicationId: application, applicationName, ...counts } of top[window]) {
          calls.set({ application, window }, counts.admitted + counts.refused)
          names.set(application, applicationName)
        }
      }
      for (const [application, name] of names) info.set({ application, name }, 1)
      for (const one of top.usedUp) {
        const { applicationId: application, api, version, operation, limitName: limit } = one
        used.set({ application, api, version, operation: operation ?? 'all', limit }, ratioOf(one))
      }
    },
    onSuccess: jobs.watch('figures of applications', everyMs),
    onFailure: (err) => log.warn({ err }, 'failed to read who calls most'),
  })
  lifetime.opened(() => watching.close())
}
