import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Counter } from '../../gateway/counters/counter.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Logger } from '../../platform/log/log.ts'
import type { JobMetrics } from '../../platform/process/job-metrics.ts'
import type { Lifetime } from '../../platform/process/lifetime.ts'
import { repeatedly } from '../../platform/process/repeatedly.ts'
import type { Registry } from '../../registry/open-registry.ts'
import type { Events } from '../alerts/events.ts'
import { createExpiryAlerts } from '../alerts/expiry-alerts.ts'
import { createLimitAlerts } from '../alerts/limit-alerts.ts'
import { pruneAlerts } from '../stores/alerts/prune-alerts.ts'
import type { PortalSchema } from '../stores/schema.ts'
import { createDeprecationReminders } from './deprecation-reminders.ts'
import { createKeyMails } from './key-mails.ts'
import { createLimitRequestMails } from './limit-request-mails.ts'
import type { Outbox } from './outbox.ts'
import { createOutboxCleanup } from './outbox-cleanup.ts'

export interface MailJobsOptions {
  readonly database: Database
  readonly catalogue: () => Catalogue
  readonly outbox: Outbox
  readonly events: Events
  /** The counter that is enforced. */
  readonly counter: Pick<Counter, 'peek'>
  /** Calls `listener` for each change of that kind, whichever process made it. */
  readonly onChange: Registry['onChange']
  /** Where mails become files when there is no mail server. */
  readonly folder: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly jobs: JobMetrics
  readonly log: Logger
  readonly lifetime: Lifetime
}

/** What writes mails and events for webhooks without being asked by a request, and deletes those of deleted accounts. */
export interface MailJobs {
  /** Call it when the portal's address is known, because mails contain links. */
  start(): void
}

/** For mails that could not be written when the key changed. */
const keysMs = 10_000
/** How often every process asks for a turn, which one process gets. */
const limitsMs = 5_000
const dailyMs = 600_000
/** For mails that were on their way when an account was deleted. */
const cleanupMs = 600_000

/** Opens the jobs, which report changes of keys from here on. Every portal process runs them; each mail is written once. */
export async function openMailJobs(options: MailJobsOptions): Promise<MailJobs> {
  const { catalogue, counter, outbox, events, onChange, folder, now, log, lifetime } = options
  const db = options.database.connect<PortalSchema>()
  const keyMails = createKeyMails({ db, outbox, events, log })
  const jobs = [
    {
      name: 'emails about keys',
      job: keyMails,
      everyMs: keysMs,
      onReason(run: () => void) {
        onChange('key', run)
        onChange('developer', run)
      },
    },
    {
      name: 'alerts about limits',
      job: createLimitAlerts({ db, catalogue, counter, outbox, events, now }),
      everyMs: limitsMs,
    },
    {
      name: 'alerts about expiry',
      job: createExpiryAlerts({ db, outbox, events, now }),
      everyMs: dailyMs,
    },
    {
      name: 'cleanup of alerts',
      job: { run: () => pruneAlerts(db, now()) },
      everyMs: cleanupMs,
    },
    {
      name: 'deprecation reminders',
      job: createDeprecationReminders({ db, catalogue, outbox, events, now }),
      everyMs: dailyMs,
    },
    {
      name: 'requests for more calls',
      job: createLimitRequestMails({ db, outbox }),
      everyMs: limitsMs,
    },
    {
      name: 'cleanup of the outbox',
      job: createOutboxCleanup({ db, folder, now }),
      everyMs: cleanupMs,
      onReason(run: () => void) {
        onChange('developer', ({ action }) => {
          if (action === 'delete') run()
        })
      },
    },
  ]
  await keyMails.begin()
  return {
    start() {
      for (const { name, job, everyMs, onReason } of jobs) {
        const repetition = repeatedly({
          everyMs,
          work: () => job.run(),
          onSuccess: options.jobs.watch(name, everyMs),
          onFailure: (err) => log.warn({ err, job: name }, 'a mail job failed'),
        })
        onReason?.(() => repetition.now())
        lifetime.opened(() => repetition.close())
      }
    },
  }
}
