import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import {
  type Answer,
  accountsPath,
  burst,
  codeOf,
  countdown,
  remainingOf,
} from '../../test/support/calling.ts'
import { fleetMissing, startFleet } from '../../test/support/fleet.ts'
import { newApplication } from '../../test/support/tollgate.ts'
import { figure } from '../figure.ts'
import { proofSize } from '../size.ts'
import { windowBegins } from '../support/window-begins.ts'

const windowSeconds = 3
const windows = proofSize({ share: 4, whole: 10 })
/** Windows tried for every one that is judged, at most: a busy machine may be late for an edge or a deadline. */
const triesMax = 3

/** What one window saw. */
interface WindowResult {
  readonly answers: readonly Answer[]
  /** Milliseconds since 1970. */
  readonly end: number
  /** Whether all of it happened in one window and Redis answered every time: then equality is promised. */
  readonly isJudged: boolean
}

/** Runs `calls` at the beginning of a window. */
async function inOneWindow(calls: () => Promise<readonly Answer[]>): Promise<WindowResult> {
  const end = await windowBegins(windowSeconds)
  const answers = await calls()
  const isWhole = Date.now() < end
  const isDegraded = answers.some(({ headers }) => headers['ratelimit'] === undefined)
  return { answers, end, isJudged: isWhole && !isDegraded }
}

t.setTimeout(600_000)

t.test('on one Redis and one PostgreSQL', { skip: fleetMissing(), timeout: 290_000 }, async (t) => {
  const plan = { calls: 100, window: `PT${windowSeconds}S` }
  const fleet = await startFleet(t, { size: 4, plan })
  await Promise.all(fleet.clients.map((client) => client.warmUp(128)))

  await t.test(
    `four processes admit exactly 100 of 500 concurrent calls in each of ${windows} windows`,
    async (t) => {
      const { key, applicationId } = await newApplication(fleet.stores, 'many')
      let judged = 0
      let round = 0
      let admittedMost = 0
      for (; judged < windows && round < windows * triesMax; round += 1) {
        const from = fleet.ledger.entries.length
        const { answers, isJudged } = await inOneWindow(() => burst(fleet.clients, 500, { key }))
        const entries = fleet.ledger.entries.slice(from)
        const admitted = answers.filter(({ status }) => status === 200)
        t.same(
          entries.map(({ requestId }) => requestId).toSorted(),
          admitted.map(({ requestId }) => requestId).toSorted(),
          'what the callers were told and what reached the backend are the same',
        )
        t.ok(
          answers.every((answer) => answer.status === 200 || codeOf(answer) === 'QUOTA_EXCEEDED'),
          'nothing but admissions and refusals',
        )
        if (!isJudged) continue
        judged += 1
        admittedMost = Math.max(admittedMost, entries.length)
        t.equal(entries.length, 100, `window ${judged}`)
        t.same(remainingOf(answers), countdown(99), 'every value of the counter once')
        t.ok(entries.every((entry) => entry.applicationId === applicationId))
      }
      t.equal(judged, windows)
      figure(`${judged} windows judged of ${round}, at most ${admittedMost} admitted`)
    },
  )

  await t.test(
    'another operation, another version and another application keep their own 100',
    async (t) => {
      const one = await newApplication(fleet.stores, 'one')
      const other = await newApplication(fleet.stores, 'other')
      const buckets = [
        { key: one.key, path: accountsPath },
        { key: one.key, path: '/v1.7.0/card-accounts' },
        { key: one.key, path: '/v1.6.0/accounts' },
        { key: other.key, path: accountsPath },
      ]
      let judged = 0
      for (let round = 0; judged < 2 && round < 2 * triesMax; round += 1) {
        const from = fleet.ledger.entries.length
        const { isJudged } = await inOneWindow(async () => {
          const bursts = buckets.map((bucket) => burst(fleet.clients, 125, bucket))
          return (await Promise.all(bursts)).flat()
        })
        if (!isJudged) continue
        judged += 1
        const admitted = new Map<string, number>()
        for (const { applicationId, operation } of fleet.ledger.entries.slice(from)) {
          const bucket = `${applicationId} ${operation}`
          admitted.set(bucket, (admitted.get(bucket) ?? 0) + 1)
        }
        t.same(
          admitted,
          new Map([
            [`${one.applicationId} xs2a@1.7.0 listAccounts`, 100],
            [`${one.applicationId} xs2a@1.7.0 listCardAccounts`, 100],
            [`${one.applicationId} xs2a@1.6.0 listAccounts`, 100],
            [`${other.applicationId} xs2a@1.7.0 listAccounts`, 100],
          ]),
        )
      }
      t.equal(judged, 2)
    },
  )

  await t.test(
    'a refused call is admitted after Retry-After, and one refused from memory asks Redis nothing',
    async (t) => {
      const { key, applicationId } = await newApplication(fleet.stores, 'waiting')
      let judged = 0
      for (let round = 0; judged < 2 && round < 2 * triesMax; round += 1) {
        const first = await inOneWindow(() => burst(fleet.clients, 500, { key }))
        let more: Answer[] = []
        const asked = await fleet.redis.askedAbout(applicationId, async () => {
          more = await burst(fleet.clients, 50, { key })
        })
        const [refused] = more
        if (!first.isJudged || Date.now() >= first.end || refused === undefined) continue
        judged += 1
        t.ok(
          more.every(({ status }) => status === 429),
          '50 more are refused',
        )
        t.equal(asked, 0, 'Redis was not asked')
        const waitMs = Number(refused.headers['retry-after']) * 1000
        t.match(refused.headers, {
          'ratelimit-policy': `"default";q=100;w=${windowSeconds}`,
          'x-ratelimit-remaining': '0',
        })
        t.ok(refused.begunAt + waitMs < first.end + 1000, 'less than a second too long')
        await delay(refused.endedAt + waitMs - Date.now())
        const again = await burst(fleet.clients, 4, { key })
        t.same(
          again.map(({ status }) => status),
          [200, 200, 200, 200],
          'every process admits again',
        )
      }
      t.equal(judged, 2)
    },
  )
})
