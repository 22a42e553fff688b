import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readCalls, readLedger } from '../books.ts'
import { watchCrashes } from '../crashes.ts'
import { gatewayIndexes } from '../gateways.ts'
import { type JudgedBucket, judgeHonesty, judgeRetries, judgeWindows } from '../judge.ts'
import type { Stream } from '../load.ts'
import { monotonicMs, wallOffsetMs } from '../monotonic.ts'
import { noLatency, type Outcome, violationsOfBooks } from '../outcome.ts'
import { ledgerWritten, limitOf, type PlanName, type Rig } from '../rig.ts'

/** Operations that ask for nothing but their path, and where each is called. */
const operations: Readonly<Record<string, string>> = {
  listAccounts: '/v1.7.0/accounts',
  getAccount: '/v1.7.0/accounts/one',
  getAccountBalances: '/v1.7.0/accounts/one/balances',
  listAccountTransactions: '/v1.7.0/accounts/one/transactions',
  listCardAccounts: '/v1.7.0/card-accounts',
  getCardAccount: '/v1.7.0/card-accounts/one',
  getCardAccountBalances: '/v1.7.0/card-accounts/one/balances',
  listCardAccountTransactions: '/v1.7.0/card-accounts/one/transactions',
  getConsent: '/v1.7.0/consents/one',
  getConsentStatus: '/v1.7.0/consents/one/status',
}

interface Bucket {
  readonly stream: Stream
  readonly judged: JudgedBucket
}

/** Buckets of this many applications: every operation of each. */
async function bucketsOf(rig: Rig, plan: PlanName, applications: number): Promise<Bucket[]> {
  const { calls, seconds } = limitOf(plan)
  const windows = plan === 'whole' ? undefined : { seconds, offsetMs: wallOffsetMs() }
  const buckets: Bucket[] = []
  for (let at = 0; at < applications; at += 1) {
    const { key, applicationId } = await rig.newApplication(plan)
    for (const [operation, path] of Object.entries(operations)) {
      const name = `${at} ${operation}`
      buckets.push({
        stream: { name, key, method: 'GET', path, gateways: gatewayIndexes, perSecond: 0, windows },
        judged: {
          stream: name,
          applicationId,
          operation: `xs2a@1.7.0 ${operation}`,
          calls,
          windows,
        },
      })
    }
  }
  return buckets
}

/** Judges buckets on which nothing but calls was done. */
async function judged(
  rig: Rig,
  {
    id,
    title,
    buckets,
    log,
  }: {
    readonly id: string
    readonly title: string
    readonly buckets: readonly Bucket[]
    readonly log: string
  },
  carryOut: () => Promise<string[]>,
): Promise<Outcome> {
  const crashes = watchCrashes(rig.gateways)
  const startedAt = monotonicMs()
  const ports = rig.gateways.map(({ urls }) => Number(new URL(urls.gateway).port))
  await rig.order({ order: 'run', ports, streams: [], log, seed: 0 })
  const notes = await carryOut()
  await rig.order({ order: 'stop' })
  await ledgerWritten()
  const calls = readCalls(log)
  const ledger = readLedger(rig.ledger, startedAt)
  const judgedBuckets = buckets.map((bucket) => bucket.judged)
  const windows = judgeWindows(judgedBuckets, calls, ledger, {
    faulted: undefined,
    faultedMost: 175,
  })
  const honesty = judgeHonesty(calls, ledger)
  const retries = judgeRetries(judgedBuckets, calls)
  const took = monotonicMs() - startedAt
  return {
    id,
    title,
    calls: calls.length,
    windows,
    honesty,
    retries,
    latency: noLatency,
    backMs: undefined,
    lost: undefined,
    notes: [...notes, `${Math.round((calls.length / took) * 1000)} calls/s`],
    violations: [
      ...violationsOfBooks(windows, honesty, retries, { healthy: 100, faulted: 175 }),
      ...(await crashes()),
    ],
    unjudged:
      windows.slow === 0 ? [] : [`equality in ${windows.slow} windows: a deadline was missed`],
  }
}

/** R1: repeats 500 calls at once on one key, with a fresh bucket each time. */
export async function runRace(rig: Rig, rounds: number): Promise<Outcome> {
  const buckets = (await bucketsOf(rig, 'whole', Math.ceil(rounds / 10))).slice(0, rounds)
  const log = join(rig.folder, 'race')
  const title = `500 at once on one key, ${rounds} times`
  return judged(rig, { id: 'R1', title, buckets, log }, async () => {
    for (const { stream } of buckets) {
      await rig.order({ order: 'burst', stream, times: 500 })
      await delay(5)
    }
    return []
  })
}

export interface SoakOptions {
  readonly plan: 's2' | 'ten'
  /** Full windows after which it ends. */
  readonly full: number
  readonly mostMs: number
}

/** Many buckets at once, each offered more than its limit, window after window. */
export async function runSoak(rig: Rig, { plan, full, mostMs }: SoakOptions): Promise<Outcome> {
  const { calls, seconds } = limitOf(plan)
  const buckets = await bucketsOf(rig, plan, plan === 's2' ? 25 : 100)
  const log = join(rig.folder, `soak-${plan}`)
  const title = `${buckets.length} buckets of ${calls}, window after window`
  return judged(rig, { id: 'I1', title, buckets, log }, async () => {
    await rig.order({
      order: 'soak',
      full,
      mostMs,
      parallel: 160,
      streams: buckets.map(({ stream }) => ({ ...stream, calls: Math.ceil(calls * 1.03) })),
      windows: { seconds, offsetMs: wallOffsetMs() },
    })
    return []
  })
}
