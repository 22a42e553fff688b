import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { DummyDriver, Kysely, sql } from 'kysely'
import t from 'tap'
import { createAvailabilityTally } from '../../src/gateway/operate/availability/availability-tally.ts'
import {
  UncertainWrite,
  writeMinutes,
  writeSlices,
} from '../../src/gateway/operate/availability/availability-writer.ts'
import { newMinute } from '../../src/gateway/operate/availability/interface-minutes.ts'
import type { Slice } from '../../src/gateway/operate/availability/recent-seconds.ts'
import { type EndedReply, replyOf } from '../../src/gateway/operate/availability/reply-of.ts'
import { openDatabase } from '../../src/platform/database/database.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { availabilityReport } from '../../src/registry/availability/availability-report.ts'
import { consolidateOutages } from '../../src/registry/availability/consolidate.ts'
import { daysBetween } from '../../src/registry/availability/days.ts'
import type { MaintenanceWindow } from '../../src/registry/availability/maintenance.ts'
import {
  applyRule,
  noCallsYet,
  type UnansweredCall,
} from '../../src/registry/availability/outage-rule.ts'
import { writeUnanswered } from '../../src/registry/availability/slice.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { tollgate } from '../support/cli.ts'
import { postgresMissing, testPostgres } from '../support/database.ts'
import { dialectOver } from '../support/driver-dialect.ts'
import { productionEnv } from '../support/fleet.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'

const noon = Date.parse('2026-11-24T12:00:00Z')

function unanswered(at: number): UnansweredCall {
  return { at, id: `${at}`, applicationId: 'a', outcome: 'BACKEND_TIMEOUT' }
}

t.test(
  'five unanswered calls in 30 s are downtime from the first until the next is answered; in more than 30 s they are not',
  async (t) => {
    const times = (last: number) =>
      [0, 1_000, 2_000, 3_000, last].map((ms) => unanswered(noon + ms))
    const success = { at: noon + 60_000, repliedAt: noon + 60_250 }
    const [outage] = applyRule(noCallsYet(), [success], times(30_000))
    t.match(outage, { from: noon, until: noon + 60_250, calls: 5 })
    t.same(applyRule(noCallsYet(), [success], times(30_001)), [])
    const between = { at: noon + 2_500, repliedAt: noon + 2_501 }
    t.same(applyRule(noCallsYet(), [between, success], times(4_000)), [], 'a success between them')
  },
)

t.test('only an answer that is missing makes a call unanswered', async (t) => {
  const { versions } = await publishedCatalogue()
  const operation = versions.get('xs2a@1.7.0')?.operations[0]
  const reply = (
    status: number,
    outcome: EndedReply['finished']['outcome'],
    rest: Partial<EndedReply> & { totalSeconds?: number } = {},
  ) =>
    replyOf({
      finished: { operation, status, outcome, totalSeconds: rest.totalSeconds ?? 0.1 },
      hasCaller: true,
      firstByteMs: outcome === 'forwarded' ? 90 : undefined,
      ...rest,
    })
  t.equal(reply(200, 'forwarded'), 'success')
  t.equal(reply(404, 'forwarded'), 'success', 'the bank answered')
  t.equal(reply(500, 'forwarded'), 'error')
  for (const status of [502, 503, 504]) t.equal(reply(status, 'forwarded'), 'unanswered')
  t.equal(reply(200, 'forwarded', { firstByteMs: 30_001 }), 'unanswered', 'too late')
  for (const [status, outcome] of [
    [502, 'BACKEND_UNREACHABLE'],
    [502, 'BACKEND_BAD_RESPONSE'],
    [504, 'BACKEND_TIMEOUT'],
    [503, 'OVERLOADED'],
    [503, 'COUNTERS_UNAVAILABLE'],
    [500, 'INTERNAL_ERROR'],
  ] as const) {
    t.equal(reply(status, outcome), 'unanswered', outcome)
  }
  t.equal(reply(503, 'REGISTRY_UNAVAILABLE', { hasCaller: false }), 'unanswered')
  t.equal(reply(429, 'QUOTA_EXCEEDED'), 'refused')
  t.equal(reply(501, 'NOT_IMPLEMENTED'), 'refused')
  t.equal(reply(401, 'KEY_INVALID', { hasCaller: false }), 'foreign')
  t.equal(reply(0, 'aborted'), 'refused', 'the client left at once')
  t.equal(reply(0, 'aborted', { totalSeconds: 1.5 }), 'unanswered', 'the client waited')
  t.equal(reply(200, 'aborted', { firstByteMs: 20 }), 'success', 'the answer had begun')
  t.equal(reply(200, 'cut', { firstByteMs: 20 }), 'unanswered', 'broken off')
  t.equal(reply(204, 'preflight'), 'foreign')
})

t.test(
  'a healthy gateway writes no slice, and figures that could not be written are not lost',
  async (t) => {
    const { versions } = await publishedCatalogue()
    const version = versions.get('xs2a@1.7.0')
    const [operation] = version?.operations ?? []
    const tally = createAvailabilityTally()
    const ended = (arrivedAt: number) =>
      tally.ended({
        call: { requestId: randomUUID(), caller: { applicationId: 'a' } as never },
        finished: {
          version,
          operation,
          status: 200,
          outcome: 'forwarded',
          decision: 'admitted',
          totalSeconds: 0.02,
          overheadSeconds: 0.01,
          upstreamSeconds: 0.01,
        },
        arrivedAt,
        firstByteMs: 15,
      })
    for (let call = 0; call < 1_000; call += 1) ended(noon + call)
    const seconds = tally.versions.get('xs2a 1.7.0')
    const options = { nowSecond: noon / 1_000 + 2, isLast: false }
    t.same(seconds?.take(new Set(), options), [])
    t.equal(seconds?.take(new Set([noon / 1_000]), options).length, 1, 'another gateway asks')
    const rows = tally.takeMinutes()
    ended(noon + 2_000)
    tally.giveBackMinutes(rows)
    ended(noon + 3_000)
    t.match(tally.takeMinutes(), [
      { requests: 1_002, answers: 1_002, errors: 0, first_byte_ms_sum: 15_030 },
    ])
  },
)

t.test(
  'figures are never written twice: what may have been committed is not repeated',
  async (t) => {
    const done: string[] = []
    const db = (failing: string) =>
      new Kysely<RegistrySchema>({
        dialect: dialectOver(new FailingDriver(failing, done)),
      })
    const rows = [
      newMinute({ api: 'xs2a', version: '1.7.0', service: 'ais' }, Math.floor(noon / 60_000)),
    ]
    await t.rejects(writeMinutes(db('commit'), rows), UncertainWrite)
    await t.rejects(writeMinutes(db('query'), rows), { message: 'query' })
    t.same(
      done,
      ['begin', 'query', 'rollback', 'begin', 'rollback'],
      'a statement that failed is not committed',
    )
  },
)

/** Fails at one step and notes the others. */
class FailingDriver extends DummyDriver {
  readonly #failing: string
  readonly #done: string[]

  constructor(failing: string, done: string[]) {
    super()
    this.#failing = failing
    this.#done = done
  }

  async #do(step: string): Promise<void> {
    if (step === this.#failing) throw new Error(step)
    this.#done.push(step)
  }

  override acquireConnection() {
    return Promise.resolve({
      executeQuery: async () => {
        await this.#do('query')
        return { rows: [] }
      },
      streamQuery: () => {
        throw new Error('not streamed')
      },
    })
  }

  override beginTransaction = () => this.#do('begin')
  override commitTransaction = () => this.#do('commit')
  override rollbackTransaction = () => this.#do('rollback')
}

t.test(
  'downtime is split at midnight of the time zone, and what was announced before is planned',
  async (t) => {
    const window = (announcedAt: string): MaintenanceWindow => ({
      id: 'w',
      api: 'xs2a',
      version: null,
      reason: 'x',
      announcedBy: 'operator:x',
      from: new Date('2026-11-24T21:59:00Z'),
      until: new Date('2026-11-24T22:02:00Z'),
      announcedAt: new Date(announcedAt),
    })
    const outage = {
      api: 'xs2a',
      version: '1.7.0',
      answeredCallAt: null,
      calls: 5,
      applications: {},
      from: Date.parse('2026-11-24T21:58:00.500Z'),
      until: Date.parse('2026-11-24T22:01:00Z'),
      series: [],
      last: { at: 0, id: '' },
    }
    const report = (announcedAt: string) =>
      availabilityReport({
        days: daysBetween('2026-11-24', '2026-11-25', 'Asia/Jerusalem'),
        published: [],
        // Two that overlap count once.
        outages: [outage, { ...outage, from: outage.from + 1_000, until: outage.until - 1_000 }],
        figures: [],
        maintenance: [window(announcedAt)],
        now: Date.parse('2026-12-24T00:00:00Z'),
      })
    const { days, quarters } = report('2026-11-01T00:00:00Z')
    t.match(days, [
      { period: '2026-11-24', downtimeSeconds: 119.5, plannedSeconds: 60, unplannedSeconds: 59.5 },
      { period: '2026-11-25', downtimeSeconds: 60, plannedSeconds: 60, unplannedSeconds: 0 },
    ])
    t.match(quarters, [{ period: '2026-Q4', downtimeSeconds: 179.5, uptimePercent: 99.89612 }])
    t.match(report('2026-11-24T22:00:30Z').days, [{ plannedSeconds: 0 }, { plannedSeconds: 30 }])
    t.equal(
      daysBetween('2026-10-25', '2026-10-25', 'Asia/Jerusalem')[0]?.to,
      Date.parse('2026-10-25T22:00:00Z'),
      'a day of 25 hours',
    )
    t.throws(() => daysBetween('2026-10-25', '2026-10-25', 'Asia/Kolkata'), RangeError)
  },
)

t.test(
  'commands announce maintenance, list and withdraw it, and report without a call',
  { skip: postgresMissing() },
  async (t) => {
    const postgres = await testPostgres(t)
    const env = { ...productionEnv(), LOG_LEVEL: 'silent', DATABASE_URL: postgres.url }
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await tollgate(env, 'report', ...args, '--json')
      t.equal(code, 0, stderr)
      return JSON.parse(stdout)
    }
    const when = ['--from', '+1h', '--until', '+2h', '--reason', 'New core']
    const { id } = await run('downtime', 'announce', '--api', 'xs2a@1.7.0', ...when)
    t.match((await run('downtime', 'list')).items, [
      { id, api: 'xs2a', version: '1.7.0', reason: 'New core' },
    ])
    // Without both, a quarter that begins meanwhile would leave out what was before, and midnight what comes.
    const inDays = (days: number) =>
      new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    const span = ['--from', inDays(-2), '--to', inDays(1)]
    const empty = await run('availability', ...span)
    t.ok(
      empty.days.length >= 3 &&
        empty.days.every((day: { uptimePercent: number }) => day.uptimePercent === 100),
    )
    t.match(empty, {
      outages: [],
      maintenance: [{ id }],
    })
    t.same((await run('incident', '--from', '-1h')).items, [])

    const database = openDatabase({
      url: postgres.url,
      log: createLog('silent'),
      connectionsMax: 2,
    })
    t.teardown(() => database.close())
    const db = database.connect<RegistrySchema>()
    const second = Math.floor(Date.now() / 1_000)
    const slice = async (at: number, part: Pick<Slice, 'part' | 'unanswered' | 'answered'>) =>
      writeSlices(db, randomUUID(), [{ api: 'xs2a', version: '1.7.0', second: at, ...part }])
    const failed = (at: number, ...ms: number[]) =>
      slice(at, {
        part: 1,
        answered: null,
        unanswered: writeUnanswered(
          at,
          ms.map((one) => unanswered(at * 1_000 + one)),
        ),
      })
    const succeeded = (at: number) => slice(at, { part: 0, unanswered: null, answered: '[1,5]' })
    const consolidate = async () => {
      await sql`update portal_state set changed_at = now() - interval '1 hour' where name = 'availability'`.execute(
        db,
      )
      await consolidateOutages(db)
    }
    const outages = async () => (await run('availability', ...span)).outages
    const old = second - 2_000
    await failed(old, 0, 1, 2, 3)
    await failed(old, 4)
    // Of a gateway whose clock is an hour ahead.
    await slice(second + 3_600, { part: 0, unanswered: null, answered: '[]' })
    await consolidate()
    t.match(await outages(), [{ until: null, calls: 5 }])
    t.match(
      await db.selectFrom('availability_slices').select('second').execute(),
      [{ second: second + 3_600 }],
      'only what was applied is deleted',
    )
    const { value } = await db
      .selectFrom('portal_state')
      .select('value')
      .where('name', '=', 'availability')
      .executeTakeFirstOrThrow()
    t.ok(Number(value) < second)
    await succeeded(old + 1)
    const until = new Date((old + 1) * 1_000 + 6).toISOString()
    t.match(await outages(), [{ until }], 'one that is written late is read')
    await consolidate()
    t.match(await outages(), [{ until }], 'and kept')

    const withdrawnAt = new Date((old + 400) * 1_000)
    const note = (digest: string, version: string, seenAt: Date) =>
      db
        .insertInto('published_configurations')
        .values({
          digest,
          seen_at: seenAt,
          content: gzipSync(
            JSON.stringify({
              format: 4,
              versions: [['', { api: 'xs2a', version }]],
              plans: [],
            }),
          ),
        })
        .execute()
    await note('older', '1.7.0', withdrawnAt)
    await failed(old + 200, 0, 1, 2, 3, 4)
    await consolidate()
    t.match(await outages(), [{ until }, { until: null }], 'no gateway runs')
    await note('newer', '2.0.0', new Date())
    await consolidate()
    const end = withdrawnAt.toISOString()
    t.match(await outages(), [{ until }, { until: end }], 'the version was withdrawn')
    await run('downtime', 'withdraw', id)
    t.same((await run('downtime', 'list')).items, [])
    const late = await tollgate(env, 'report', 'downtime', 'withdraw', id)
    t.match(late, { code: 1, stderr: /no maintenance/ })
    const { stdout } = await tollgate(
      env,
      'report',
      'availability',
      '--from',
      '2026-11-01',
      '--to',
      '2026-11-02',
      '--csv',
    )
    t.match(stdout, /^period,api,version,uptimePercent,/)
    t.match(
      await tollgate(env, 'report', 'availability', '--from', '2026-11-02', '--to', '2026-11-01'),
      { code: 2 },
    )
  },
)
