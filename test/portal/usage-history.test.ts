import { sql } from 'kysely'
import t from 'tap'
import { writeUsage } from '../../src/gateway/operate/usage/usage-writer.ts'
import { historyCsv } from '../../src/portal/api/history-csv.ts'
import { onboard } from '../../src/portal/stores/accounts/onboard.ts'
import {
  bucketOf,
  durationAt,
  durationBuckets,
  noDurations,
} from '../../src/registry/usage/duration-buckets.ts'
import { besidePortal } from '../support/portal-client.ts'
import { runTollgate } from '../support/tollgate.ts'
import { usageCounts } from '../support/usage-counts.ts'

const tollgate = await runTollgate(t)
const beside = await besidePortal(t, tollgate)
const { developer, send } = await beside.signIn()
const { applicationId } = await onboard(beside.stores, {
  email: developer.email,
  developerName: '',
  applicationName: 'history',
  subscriptions: [],
  by: 'test',
})
const history = `/api/applications/${applicationId}/usage/history`

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)

interface Given {
  readonly at: string
  readonly operation?: string
  readonly counts: readonly [admitted: number, refused: number, errors: number]
  readonly sumMs?: number
  readonly maxMs?: number
}

async function write(table: string, rows: readonly Given[]): Promise<void> {
  for (const { at, operation = 'listAccounts', counts, sumMs = 0, maxMs = 0 } of rows) {
    const [admitted, refused, errors] = counts
    const isKnown = operation !== ''
    await sql`
      insert into ${sql.table(table)} values (${applicationId}, ${at}, ${isKnown ? 'xs2a' : ''},
        ${isKnown ? '1.7.0' : ''}, ${operation}, ${admitted}, ${refused}, 0, ${errors}, ${sumMs}, ${maxMs})`.execute(
      beside.db,
    )
  }
}

/** Counts of rows with neither durations nor statuses. */
function counts(
  admitted: number,
  refused: number,
  errors: number,
  averageMs: number | null,
  maxMs: number | null,
) {
  return {
    admitted,
    refused,
    refusedByLimit: 0,
    errors,
    clientErrors: 0,
    averageMs,
    maxMs,
    p50Ms: null,
    p95Ms: null,
    p99Ms: null,
    answered: { '2xx': 0, '3xx': 0, '4xx': 0, '429': 0, '5xx': 0, none: 0 },
  }
}

t.test('every hour has its numbers, also those without calls, over the end of a day', async (t) => {
  await write('usage_hours', [
    { at: '2026-03-01T22:00Z', counts: [3, 1, 1], sumMs: 30, maxMs: 20 },
    { at: '2026-03-02T01:00Z', counts: [1, 0, 0], sumMs: 5, maxMs: 5 },
    {
      at: '2026-03-02T01:00Z',
      operation: 'listCardAccounts',
      counts: [1, 0, 0],
      sumMs: 15,
      maxMs: 15,
    },
    { at: '2026-03-02T01:00Z', operation: '', counts: [0, 7, 0] },
    { at: '2026-03-02T02:00Z', counts: [99, 0, 0], sumMs: 99, maxMs: 9 },
  ])
  const range = 'from=2026-03-01T21:30:00Z&to=2026-03-02T03:00:00%2B01:00'
  const { body } = await send('GET', `${history}?${range}&step=hour`)
  t.same(body, {
    from: '2026-03-01T21:00:00.000Z',
    to: '2026-03-02T02:00:00.000Z',
    step: 'hour',
    total: counts(5, 8, 1, 10, 20),
    items: [
      { at: '2026-03-01T21:00:00.000Z', ...counts(0, 0, 0, null, null) },
      { at: '2026-03-01T22:00:00.000Z', ...counts(3, 1, 1, 10, 20) },
      { at: '2026-03-01T23:00:00.000Z', ...counts(0, 0, 0, null, null) },
      { at: '2026-03-02T00:00:00.000Z', ...counts(0, 0, 0, null, null) },
      { at: '2026-03-02T01:00:00.000Z', ...counts(2, 7, 0, 10, 15) },
    ],
    operations: [
      { api: null, version: null, operation: null, ...counts(0, 7, 0, null, null) },
      {
        api: 'xs2a',
        version: '1.7.0',
        operation: 'listAccounts',
        ...counts(4, 1, 1, 8.75, 20),
      },
      {
        api: 'xs2a',
        version: '1.7.0',
        operation: 'listCardAccounts',
        ...counts(1, 0, 0, 15, 15),
      },
    ],
  })

  const csv = await send('GET', `${history}.csv?${range}&step=hour`)
  t.equal(
    csv.text,
    [
      'at,api,version,operation,admitted,refused,errors,average_ms,max_ms,client_errors',
      '2026-03-01T22:00:00.000Z,xs2a,1.7.0,listAccounts,3,1,1,10.0,20.0,0',
      '2026-03-02T01:00:00.000Z,,,,0,7,0,,,0',
      '2026-03-02T01:00:00.000Z,xs2a,1.7.0,listAccounts,1,0,0,5.0,5.0,0',
      '2026-03-02T01:00:00.000Z,xs2a,1.7.0,listCardAccounts,1,0,0,15.0,15.0,0',
      '',
    ].join('\r\n'),
  )
})

t.test(
  'without a word about time it is the last 24 hours, or as many steps as there is room for',
  async (t) => {
    const steps = async (query: string): Promise<number> =>
      (await send('GET', `${history}${query}`)).body.items?.length
    t.equal(await steps(''), 24)
    t.equal(await steps('?step=minute'), 60)
    t.equal(await steps('?step=day'), 30)
    const to = Date.now()
    const last = (days: number) =>
      `from=${new Date(to - days * 86_400_000).toISOString()}&to=${new Date(to).toISOString()}`
    t.equal(await steps(`?${last(2)}&step=minute`), 2_881)
    t.equal(await steps(`?${last(60)}&step=hour`), 1_441)
    t.equal(await steps(`?${last(400)}&step=day`), 401)
  },
)

t.test('what is no time, runs backwards or is too long is refused with its member', async (t) => {
  for (const [query, path] of [
    ['from=yesterday', '/from'],
    ['to=2026-13-01T00:00:00Z', '/to'],
    ['to=2026-06-30T23:59:60Z', '/to'],
    ['from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', '/from'],
    ['from=2026-03-01T00:00:00Z&to=2026-03-01T00:00:00Z', '/from'],
    ['from=2026-03-01T00:00:00Z&to=2026-03-04T00:00:00Z&step=minute', '/from'],
    ['from=2026-01-01T00:00:00Z&to=2026-04-01T00:00:00Z&step=hour', '/from'],
    ['from=0001-01-01T00:00:00Z&step=day', '/from'],
    ['to=9999-12-31T23:59:59Z', '/to'],
    ['to=9999-12-31T23:59:59-12:00&step=day', '/to'],
    ['step=week', '/step'],
    ['more=1', '/more'],
  ]) {
    for (const file of [history, `${history}.csv`]) {
      const { status, body } = await send('GET', `${file}?${query}`)
      t.equal(status, 400, `${query}`)
      t.equal(body.errors[0].path, path, `${query}`)
    }
  }
})

t.test(
  'percentiles are at most 19 % off and statuses exact, even in a row that has no durations yet',
  async (t) => {
    const minute = Date.UTC(2026, 4, 1) / 60_000
    const at = '2026-05-01T00:00:00Z'
    await write('usage_hours', [{ at, counts: [1, 0, 0], sumMs: 900, maxMs: 900 }])
    // From 0.3 ms to 14 s, as evenly in ratio as a call can be.
    const took = Array.from({ length: 999 }, (_, call) => 0.3 * 1.011 ** call)
    const rows = [0, 1, 2].map((part) => {
      const own = took.filter((_, call) => call % 3 === part)
      return usageCounts({
        applicationId,
        buckets: own.map(bucketOf),
        minute: minute + part,
        operation: 'listAccounts',
        refused: 4,
        refusedByLimit: 3,
        admitted: own.length,
        durationMsSum: sum(own),
        durationMsMax: Math.max(...own),
        answered2xx: 300,
        answered3xx: 1,
        answered4xx: 2,
        answered429: 3,
        answered5xx: 30,
        unanswered: 1,
      })
    })
    for (const row of rows) await writeUsage(beside.db, [row])
    const { body } = await send('GET', `${history}?from=${at}&to=2026-05-01T01:00:00Z`)
    for (const found of [body.total, body.items[0], body.operations[0]]) {
      for (const [share, ms] of [
        [0.5, found.p50Ms],
        [0.95, found.p95Ms],
        [0.99, found.p99Ms],
      ]) {
        const exact = took[Math.ceil(took.length * share) - 1] ?? 0
        t.ok(Math.max(ms / exact, exact / ms) < 1.19, `p${share}: ${ms} for ${exact}`)
      }
      const { admitted, refused, refusedByLimit, answered } = found
      t.same(
        { admitted, refused, refusedByLimit },
        { admitted: 1000, refused: 12, refusedByLimit: 9 },
      )
      t.same(answered, { '2xx': 900, '3xx': 3, '4xx': 6, '429': 9, '5xx': 90, none: 3 })
    }
    t.equal(durationAt(noDurations().with(bucketOf(6), 1), 0.5, 6), 6, 'never above the longest')
    t.equal(bucketOf(1e9), durationBuckets - 1, 'the last bucket has no end')
  },
)

t.test('only the owner gets the history', async (t) => {
  const other = await beside.signIn()
  for (const path of [history, `${history}.csv`]) {
    t.equal((await other.send('GET', path)).status, 404)
    t.equal((await beside.anonymous('GET', path)).status, 401)
  }
})

t.test('a name that looks like a formula stays a text in the file', async (t) => {
  const at = new Date('2026-03-01T00:00:00Z')
  const sums = { admitted: 1, refused: 0, errors: 0, clientErrors: 0, averageMs: 1, maxMs: 1 }
  const csv = historyCsv([
    { at, api: '=cmd|x', version: '-1+1', operation: 'a"b,c', ...sums },
    { at, api: '@x', version: '+1', operation: '\tx', ...sums },
    { at, api: '\uff1dcmd|x', version: 'a;\uff0b1', operation: '\uff20x', ...sums },
  ])
  t.match(csv, `,'=cmd|x,'-1+1,"a""b,c",`)
  t.match(csv, `,'@x,'+1,"'\tx",`)
  t.match(csv, `,'\uff1dcmd|x,"a;'\uff0b1",'\uff20x,`)
})
