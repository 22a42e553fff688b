import t, { type Test } from 'tap'
import type { Limit, Plan, Rehearsal } from '../../src/catalogue/catalogue.ts'
import { createCallRecorder } from '../../src/gateway/operate/call-recorder.ts'
import { createLog } from '../../src/platform/log/log.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { createClient } from '../support/calling.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { callerOf, startEdge } from '../support/edge.ts'
import { startLedger } from '../support/ledger-backend.ts'
import { testApplication, testStores } from '../support/registry.ts'

const hour = 3_600_000
const start = Date.parse('2026-11-20T10:20:00Z')
const paths = ['/v1.7.0/accounts', '/v1.7.0/card-accounts'] as const

interface Step {
  /** Which application calls. */
  readonly at: 0 | 1
  readonly path: string
  readonly timeMs: number
}

/** Calls of two applications to two operations over four hours, in an order that looks random and is always the same. */
const steps: readonly Step[] = Array.from({ length: 72 }, (_, index) => {
  const dice = (index * 2_654_435_761) % 1_000
  return {
    at: dice % 3 === 0 ? 1 : 0,
    path: paths[dice % 2] ?? paths[0],
    timeMs: start + Math.floor(index / 18) * hour + (index % 18) * 60_000,
  }
})

function limit(members: Pick<Limit, 'name' | 'calls'> & Partial<Limit>): Limit {
  return { windowLength: 3_600, scope: 'operation', isAdvertised: true, ...members }
}

const now = { limits: [limit({ name: 'default', calls: 5 })] }
/** Two limits, of which a call must pass both: one of another scope, over a window of two hours. */
const next = [
  limit({ name: 'default', calls: 4 }),
  limit({ name: 'whole', calls: 11, windowLength: 7_200, scope: 'plan' }),
]

/** Makes the calls under a plan, each at its time, and reads what was stored of them. */
async function run(t: Test, { database }: TestDatabase, plan: Partial<Plan>) {
  const stores = await testStores(database)
  const applications = [await testApplication(stores), await testApplication(stores)]
  const ids = applications.map(({ application }) => application.id)
  const callers = new Map(ids.map((id) => [id, callerOf(id)]))
  const backend = await startLedger(t)
  const db = database.connect<RegistrySchema>()
  let timeMs = start
  const recorder = createCallRecorder({
    db,
    keys: {
      authenticate: (_key, done) => done('invalid'),
      recogniseCached: () => 'unknown',
      recogniseRevoked: async () => undefined,
    },
    metrics: { recordsLost() {}, usageLost() {} },
    log: createLog('silent'),
    now: () => timeMs,
    monotonic: () => performance.now(),
    usageEveryMs: 3_600_000,
  })
  const edge = await startEdge(t, {
    backendUrl: backend.url,
    callers,
    plan,
    recorder,
    now: () => timeMs,
  })
  const client = createClient(t, edge.url, 1)
  const answers: unknown[] = []
  for (const step of steps) {
    timeMs = step.timeMs
    const { status, headers } = await client.call({ key: ids[step.at] ?? '', path: step.path })
    const limits = Object.entries(headers).filter(([name]) => /ratelimit|retry-after/.test(name))
    answers.push([status, ...limits])
  }
  await recorder.close()
  const rows = await db
    .selectFrom('usage_hours')
    .selectAll()
    .where('application_id', 'in', ids)
    .orderBy('at')
    .orderBy('operation')
    .execute()
  /** By hour, application and operation. */
  const by = (count: (row: (typeof rows)[number]) => number) =>
    rows
      .map((row) => [
        row.at.toISOString(),
        ids.indexOf(row.application_id),
        row.operation,
        count(row),
      ])
      .toSorted((a, b) => String(a).localeCompare(String(b)))
  return { answers, by, metrics: await edge.metrics() }
}

t.test('a rehearsed plan counts what it would refuse, and refuses nothing', async (t) => {
  const database = await testDatabase(t)
  const rehearsal: Rehearsal = {
    name: 'next',
    title: 'Next',
    apis: ['xs2a@*'],
    onStoreOutage: 'local-share',
    limits: next,
    versions: ['xs2a@1.7.0'],
  }
  const plain = await run(t, database, now)
  const rehearsed = await run(t, database, { ...now, rehearsal })
  const enforced = await run(t, database, { limits: next })
  const elsewhere = await run(t, database, {
    ...now,
    rehearsal: { ...rehearsal, versions: ['xs2a@1.6.0'] },
  })

  const found = rehearsed.by((row) => row.rehearsed_refused)
  t.same(
    found,
    enforced.by((row) => row.refused_by_limit),
    'by hour, application and operation it equals what the same calls meet once it is enforced',
  )
  const total = found.reduce((sum, [, , , count]) => sum + Number(count), 0)
  t.ok(total > 15 && total < steps.length - 15, `${total} of ${steps.length} calls`)
  t.same(
    rehearsed.by((row) => row.rehearsed),
    plain.by((row) => row.admitted + row.refused),
    'it counts every call, those too that the enforced plan refuses',
  )
  t.ok(plain.answers.some((answer) => String(answer).startsWith('429')))
  t.same(rehearsed.answers, plain.answers, 'answers and their headers are the same')
  const refused =
    /^gateway_rehearsed_calls_total\{api="xs2a",version="1\.7\.0",decision="refused"\} (\d+)$/m
  t.equal(refused.exec(rehearsed.metrics)?.[1], String(total))
  t.notMatch(plain.metrics, /gateway_rehearsed_calls_total\{/)
  t.same(
    elsewhere.by((row) => row.rehearsed),
    plain.by(() => 0),
    'only for its versions',
  )
})
