import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../platform/log/log.ts'
import type { Lifetime } from '../platform/process/lifetime.ts'
import { repeatedly } from '../platform/process/repeatedly.ts'
import type { Counting, Processes, ProcessReport } from '../registry/processes/processes.ts'

/** Several gateway processes use one database without sharing their counters. */
export class CountersNotShared extends Error {
  constructor(counts: Counting) {
    super(
      counts === 'shared'
        ? 'REDIS_URL: another gateway process on this DATABASE_URL runs without it and counts by itself; every limit would be multiplied (stop it, or give it the same REDIS_URL)'
        : 'REDIS_URL: is required: another gateway process uses this DATABASE_URL, and processes that count separately would multiply every limit (e.g. redis://host:6379/0)',
    )
    this.name = 'CountersNotShared'
  }
}

const touchMs = 5_000

/** The right to count, which the reports of the process keep. */
export interface CountingClaim {
  readonly counts: Counting
  /** From now on the process reports, which keeps the claim. */
  handOver(): Promise<void>
}

export interface CountingClaimOptions {
  readonly processes: Pick<Processes, 'claim' | 'remove' | 'touch'>
  /** What this process reports, with how it counts. */
  readonly report: ProcessReport & { readonly counts: Counting }
  readonly log: Pick<Logger, 'info'>
  readonly lifetime: Lifetime
  /** Interval between two looks at a process that may have ended. (Default: 1000) */
  readonly pauseMs?: number
}

/**
 * Claims the right to count in a PostgreSQL registry, either alone or together
 * with processes that share their counters. The claim is the row of the process
 * in the table of processes, and lasts while the process reports that it lives:
 * no connection is held for it, so it also works through a pooler of
 * transactions. A process that was killed keeps its claim until it counts as
 * gone; its successor waits for that.
 *
 * The embedded database needs no claim: only one process can open its folder.
 *
 * @throws {CountersNotShared} a living process does not share its counters with this one
 */
export async function claimCounting(options: CountingClaimOptions): Promise<CountingClaim> {
  const { processes, report, log, lifetime, pauseMs = 1_000 } = options
  lifetime.opened(() => processes.remove(report.id).catch(() => undefined))
  const seen = new Map<string, number>()
  for (;;) {
    const { isHeld, others } = await processes.claim(report)
    if (isHeld) break
    const isAlive = others.some(
      ({ id, seenAt }) => seen.has(id) && seenAt.getTime() !== seen.get(id),
    )
    if (isAlive) throw new CountersNotShared(report.counts)
    if (seen.size === 0) {
      log.info(
        {},
        'a gateway that does not share its counters may still run; waiting up to 15 s to find out',
      )
    }
    for (const { id, seenAt } of others) seen.set(id, seenAt.getTime())
    await delay(pauseMs)
  }
  // Reports of a process begin when it serves, which a slow start may delay for longer than a claim lasts.
  const touching = repeatedly({
    everyMs: touchMs,
    work: () => processes.touch(report.id),
    onFailure: () => undefined,
  })
  lifetime.opened(() => touching.close())
  return { counts: report.counts, handOver: () => touching.close() }
}
