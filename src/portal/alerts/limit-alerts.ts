import type { Kysely } from 'kysely'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { shownWindow } from '../../catalogue/window-length.ts'
import { type CountedLimit, countedLimits } from '../../gateway/counters/counted-limits.ts'
import type { BucketState, Counter } from '../../gateway/counters/counter.ts'
import { resetsAt } from '../../gateway/counters/window.ts'
import { beginCursor, moveCursor, takeTurn } from '../../registry/job-cursor.ts'
import { inForce } from '../api/in-force.ts'
import type { Outbox } from '../mail/outbox.ts'
import {
  type ActiveApplication,
  findActiveApplications,
  findLimitMails,
  noteLimitAlert,
  takeLimitMail,
} from '../stores/alerts/limit-alerts.ts'
import type { PortalSchema } from '../stores/schema.ts'
import type { Events } from './events.ts'

/** Warns applications that they have used 80 % or all of a limit. */
export interface LimitAlerts {
  /** Reads the counters of applications with recent calls, and writes the alerts that are due, in any process. */
  run(): Promise<void>
}

export interface LimitAlertsOptions {
  readonly db: Kysely<PortalSchema>
  readonly catalogue: () => Catalogue
  readonly counter: Pick<Counter, 'peek'>
  readonly outbox: Outbox
  readonly events: Events
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Interval between the runs of all processes together. (Default: 4) */
  readonly turnSeconds?: number
}

const cursorName = 'limit-alerts'
/** Gateways write counts up to 25 seconds late, and clocks differ. */
const activeMs = 180_000
const applicationsPerPage = 50
/** Maximum number of counters read per run; the next run continues from there. */
const peeksMax = 2_000
const mailsMax = 50
/** A shorter window would restart before its email could be read. */
const windowSecondsMin = 60

/**
 * Works outside the data path. The usage that gateways write says which operations
 * an application called recently; the counter has the exact usage of their
 * limits. Processes take turns and report each threshold once, because its row
 * is inserted in the transaction that writes the event. An application gets an
 * email at once; alerts of the following hour go into the next one.
 */
export function createLimitAlerts(options: LimitAlertsOptions): LimitAlerts {
  const { db, catalogue, counter, outbox, events, now, turnSeconds = 4 } = options

  async function look(turn: string): Promise<void> {
    let after = turn
    let peeks = 0
    while (peeks < peeksMax) {
      const nowMs = now()
      const page = await findActiveApplications(db, {
        since: new Date(nowMs - activeMs),
        after,
        max: applicationsPerPage,
        nowMs,
      })
      for (const application of page) {
        peeks += await check(application)
        after = application.id
        if (peeks >= peeksMax) break
      }
      if (page.length < applicationsPerPage && after === (page.at(-1)?.id ?? after)) {
        after = ''
        break
      }
    }
    if (after !== turn) await moveCursor(db, cursorName, after)
  }

  /** @returns how many counters it read */
  async function check(application: ActiveApplication): Promise<number> {
    const watched = watchedLimits(application, catalogue(), now())
    if (watched.length === 0) return 0
    const states = await counter.peek(watched.map(({ peeked }) => peeked))
    const nowMs = now()
    for (const [at, counted] of watched.entries()) {
      const state = states[at]
      if (state !== undefined) await judge(application.id, counted, state, nowMs)
    }
    return watched.length
  }

  async function judge(
    applicationId: string,
    { api, version, operation, limit, peeked }: CountedLimit,
    { count, window, resetMs }: BucketState,
    nowMs: number,
  ): Promise<void> {
    const threshold = thresholdOf(count, limit.calls)
    if (threshold === undefined) return
    const reset = new Date(resetsAt(nowMs, resetMs))
    const reached = { api, version, operation, limit: limit.calls, used: count, threshold }
    await db.transaction().execute(async (trx) => {
      const noted = { ...reached, applicationId, resetsAt: reset, bucket: peeked.bucket, window }
      if (!(await noteLimitAlert(trx, noted))) return
      const event = {
        type: 'limit.reached',
        ...reached,
        limitName: limit.name,
        ...shownWindow(limit.windowLength),
        resetsAt: reset.toISOString(),
      } as const
      await events.post(trx, event, { applicationId, at: new Date(nowMs) })
    })
  }

  async function writeMails(): Promise<void> {
    const nowMs = now()
    for (const applicationId of await findLimitMails(db, { nowMs, max: mailsMax })) {
      await db.transaction().execute(async (trx) => {
        const mail = await takeLimitMail(trx, { applicationId, nowMs })
        if (mail === undefined) return
        const { email, ...facts } = mail
        const writtenAt = new Date(nowMs)
        await outbox.post(
          trx,
          { kind: 'limits-reached', applicationId, writtenAt, ...facts },
          email,
        )
      })
    }
  }

  return {
    async run() {
      const turn = await takeTurn(db, cursorName, turnSeconds)
      if (turn === undefined) {
        await beginCursor(db, cursorName, '')
        return
      }
      await look(turn)
      await writeMails()
    },
  }
}

/** The threshold that the usage has reached, in per cent of the limit; undefined: none. */
export function thresholdOf(used: number, limit: number): 80 | 100 | undefined {
  if (used >= limit) return 100
  return used * 100 >= limit * 80 ? 80 : undefined
}

/** The limits of the operations that were called, without those whose alert at 100 % is recorded. */
function watchedLimits(
  { id, subscriptions, overrides, operations, exhausted }: ActiveApplication,
  catalogue: Catalogue,
  nowMs: number,
): CountedLimit[] {
  const called = new Set(
    operations.map(({ api, version, operation }) => `${api} ${version} ${operation}`),
  )
  const versions = new Set(operations.map(({ api, version }) => `${api} ${version}`))
  return countedLimits({
    applicationId: id,
    subscriptions: inForce(subscriptions, catalogue, nowMs),
    overrides,
    catalogue,
    nowMs,
  }).filter(({ api, version, operation, limit, peeked }) => {
    const isCalled =
      operation === null
        ? versions.has(`${api} ${version}`)
        : called.has(`${api} ${version} ${operation}`)
    const { windowLength, calls } = limit
    const isLong = typeof windowLength !== 'number' || windowLength >= windowSecondsMin
    const isReported = exhausted.some((one) => one.bucket === peeked.bucket && one.limit === calls)
    return isCalled && isLong && !isReported
  })
}
