import type { Catalogue } from '../../../catalogue/catalogue.ts'
import type { Database } from '../../../platform/database.ts'
import type { Lifetime } from '../../../platform/lifetime.ts'
import type { Logger } from '../../../platform/log.ts'
import { repeatedly } from '../../../platform/repeatedly.ts'
import type { RegistrySchema } from '../../registry/schema.ts'
import { createDeprecationReminders } from './deprecation-reminders.ts'
import { createKeyNotices } from './key-notices.ts'
import { createLimitsDigest } from './limits-digest.ts'
import type { Outbox } from './outbox.ts'

export interface MailJobsOptions {
  readonly database: Database
  readonly catalogue: () => Catalogue
  readonly outbox: Outbox
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly log: Logger
  readonly lifetime: Lifetime
}

/** What writes mails without being asked by a request. */
export interface MailJobs {
  /** Call it when the portal's address is known: letters hold links. */
  start(): void
}

const keysMs = 2_000
const dailyMs = 600_000

/** Opens the jobs; changes of keys from here on will be told of. Every portal process runs them, and what they write is written once. */
export async function openMailJobs(options: MailJobsOptions): Promise<MailJobs> {
  const { catalogue, outbox, now, log, lifetime } = options
  const db = options.database.connect<RegistrySchema>()
  const keyNotices = createKeyNotices({ db, outbox, log })
  const jobs = [
    { name: 'key notices', job: keyNotices, everyMs: keysMs },
    { name: 'digest of limits', job: createLimitsDigest({ db, outbox, now }), everyMs: dailyMs },
    {
      name: 'deprecation reminders',
      job: createDeprecationReminders({ db, catalogue, outbox, now }),
      everyMs: dailyMs,
    },
  ]
  await keyNotices.begin()
  return {
    start() {
      for (const { name, job, everyMs } of jobs) {
        const repetition = repeatedly({
          everyMs,
          work: () => job.run(),
          onFailure: (err) => log.warn({ err, job: name }, 'a mail job failed'),
        })
        lifetime.opened(() => repetition.close())
      }
    },
  }
}
