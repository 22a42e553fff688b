import type { Logger } from '../../platform/log/log.ts'
import type { JobMetrics } from '../../platform/process/job-metrics.ts'
import type { Lifetime } from '../../platform/process/lifetime.ts'
import { repeatedly } from '../../platform/process/repeatedly.ts'
import type { Stores } from '../stores/stores.ts'

export interface PruneExpiredOptions {
  readonly stores: Pick<Stores, 'sessions' | 'mailTokens' | 'factorChallenges'>
  readonly jobs: JobMetrics
  readonly log: Pick<Logger, 'warn'>
  readonly lifetime: Lifetime
}

const everyMs = 600_000

/**
 * Deletes sessions, links and challenges that have expired, now and every ten
 * minutes. They are worth nothing before that already.
 */
export function pruneExpired({ stores, jobs, log, lifetime }: PruneExpiredOptions): void {
  const repetition = repeatedly({
    everyMs,
    onSuccess: jobs.watch('expired sessions', everyMs),
    async work() {
      await stores.sessions.prune()
      await stores.mailTokens.prune()
      await stores.factorChallenges.prune()
    },
    onFailure: (err) =>
      log.warn({ err }, 'failed to delete expired sessions, links and challenges'),
  })
  lifetime.opened(() => repetition.close())
}
