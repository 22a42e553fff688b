import { randomUUID } from 'node:crypto'
import { DummyDriver, Kysely } from 'kysely'
import { pino } from 'pino'
import t from 'tap'
import type { EndedRequest } from '../../src/gateway/operate/availability/availability-tally.ts'
import { recordAvailability } from '../../src/gateway/operate/availability/record-availability.ts'
import type { FinishedCall } from '../../src/gateway/operate/metrics.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { dialectOver } from '../support/driver-dialect.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'
import { until } from '../support/until.ts'

const noon = Date.parse('2026-11-24T12:00:00Z')

/** A database that notes the questions and the slices, and says in which seconds gateways have unanswered calls. */
function fakeDatabase() {
  const told = { questions: 0, written: [] as { second: number }[], wanted: [] as number[] }
  class Driver extends DummyDriver {
    override async acquireConnection() {
      return {
        executeQuery: async ({
          sql,
          parameters,
        }: {
          sql: string
          parameters: readonly unknown[]
        }) => {
          const slices = parameters.find((each) => typeof each === 'string' && each.startsWith('['))
          if (sql.includes('insert into availability_slices')) {
            told.written.push(...JSON.parse(String(slices)))
          }
          if (!sql.includes('as wanted')) return { rows: [] as never[] }
          told.questions += 1
          const name = 'xs2a 1.7.0'
          const rows = told.wanted.length > 0 ? [{ name, seconds: told.wanted }] : []
          return { rows: rows as never[] }
        },
        streamQuery: () => {
          throw new Error('not streamed')
        },
      }
    }
  }
  const db = new Kysely<RegistrySchema>({
    dialect: dialectOver(new Driver()),
  })
  return { db, told }
}

async function oneOperation() {
  const { versions } = await publishedCatalogue()
  const version = versions.get('xs2a@1.7.0')
  return { version, operation: version?.operations[0] }
}

function ended(
  call: Awaited<ReturnType<typeof oneOperation>>,
  { status, outcome }: Pick<FinishedCall, 'status' | 'outcome'>,
): EndedRequest {
  return {
    call: { requestId: randomUUID(), caller: { applicationId: 'a' } as never },
    finished: {
      ...call,
      status,
      outcome,
      decision: 'admitted',
      totalSeconds: 0.02,
      overheadSeconds: 0.01,
      upstreamSeconds: 0.01,
    },
    arrivedAt: noon + 300,
    firstByteMs: 15,
  }
}

t.test(
  'while all calls succeed, a gateway asks the others in one run of three; once one has an unanswered call, in each, and reports its successes',
  async (t) => {
    const { db, told } = fakeDatabase()
    let runs = 0
    const recorder = recordAvailability({
      db,
      log: pino({ level: 'silent' }),
      randomUUID,
      slicesEveryMs: 1,
      now() {
        runs += 1
        return noon + 2_000
      },
    })
    t.teardown(() => recorder.close())
    recorder.ended(ended(await oneOperation(), { status: 200, outcome: 'forwarded' }))
    await until('many runs', () => runs >= 30)
    t.ok(Math.abs(told.questions - runs / 3) <= 1, `${told.questions} questions in ${runs} runs`)
    t.same(told.written, [], 'nothing is written')

    told.wanted = [noon / 1_000]
    await until('it writes', () => told.written.length > 0)
    t.match(told.written, [{ second: noon / 1_000 }])
    const before = { runs, questions: told.questions }
    await until('more runs', () => runs >= before.runs + 12)
    const asked = told.questions - before.questions
    t.ok(asked >= runs - before.runs - 1, `${asked} questions in ${runs - before.runs} runs`)
  },
)

t.test(
  'a gateway that wrote unanswered calls of its own asks again in the next run: others may have more of the same outage',
  async (t) => {
    const call = await oneOperation()
    const { db, told } = fakeDatabase()
    /** How many questions there were before each run. */
    const before: number[] = []
    const recorder = recordAvailability({
      db,
      log: pino({ level: 'silent' }),
      randomUUID,
      slicesEveryMs: 1,
      now() {
        before.push(told.questions)
        // In a run of which neither the next nor the one after that asks anyway.
        if (before.length === 3) recorder.ended(ended(call, { status: 504, outcome: 'forwarded' }))
        return noon + 2_000
      },
    })
    t.teardown(() => recorder.close())
    await until('many runs', () => before.length >= 7)
    const asked = before.slice(1, 7).map((questions, run) => questions - (before[run] ?? 0))
    t.same(asked, [0, 0, 1, 1, 0, 1])
    t.ok(told.written.length > 0)
  },
)
