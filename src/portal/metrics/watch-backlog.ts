import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../../platform/database/database.ts'
import type { Logger } from '../../platform/log/log.ts'
import type { JobMetrics } from '../../platform/process/job-metrics.ts'
import type { Lifetime } from '../../platform/process/lifetime.ts'
import { repeatedly } from '../../platform/process/repeatedly.ts'
import { readBacklog } from '../stores/alerts/backlog.ts'
import type { PortalSchema } from '../stores/schema.ts'

export interface WatchBacklogOptions {
  readonly database: Pick<Database, 'connect'>
  readonly metricsRegistry: Registry
  readonly jobs: JobMetrics
  readonly log: Pick<Logger, 'warn'>
  readonly lifetime: Lifetime
}

const everyMs = 15_000

/** Shows how many mails and events for webhooks wait to be sent, and for how long. Every portal shows the same. */
export function watchBacklog(options: WatchBacklogOptions): void {
  const { jobs, log, lifetime } = options
  const db = options.database.connect<PortalSchema>()
  const gauge = (name: string, help: string) =>
    new Gauge({ name, help, registers: [options.metricsRegistry] })
  const shown = [
    {
      of: 'mails',
      count: gauge('portal_mails_waiting', 'Emails that wait to be sent, by whichever portal'),
      oldest: gauge('portal_mails_oldest_seconds', 'Time that the oldest email has waited'),
    },
    {
      of: 'webhooks',
      count: gauge('portal_webhooks_waiting', 'Events that wait for their webhook'),
      oldest: gauge('portal_webhooks_oldest_seconds', 'Time that the oldest event has waited'),
    },
  ] as const
  const watching = repeatedly({
    everyMs,
    async work() {
      const backlog = await readBacklog(db)
      for (const { of, count, oldest } of shown) {
        count.set(backlog[of].count)
        oldest.set(backlog[of].oldestSeconds)
      }
    },
    onSuccess: jobs.watch('figures of what waits', everyMs),
    onFailure: (err) => log.warn({ err }, 'failed to read how many mails and events wait'),
  })
  lifetime.opened(() => watching.close())
}
