import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { Pool } from 'undici'
import { openDatabase } from '../../src/platform/database/database.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { consolidateOutages } from '../../src/registry/availability/consolidate.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { type LedgerCall, outagesOfLedger } from '../../test/availability/ledger-rule.ts'
import { accountsPath } from '../../test/support/calling.ts'
import { tollgate } from '../../test/support/cli.ts'
import { type Fleet, fleetMissing, startFleet } from '../../test/support/fleet.ts'
import { newApplication } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'
import { figure } from '../figure.ts'
import { proofSize } from '../size.ts'
import { startStoppableBackend } from '../support/stoppable-backend.ts'

t.setTimeout(600_000)

const callsPerSecond = proofSize({ share: 300, whole: 2_000 })
const phaseMs = proofSize({ share: 1_500, whole: 8_000 })

/** What the client itself saw of one call. */
interface ClientCall {
  readonly id: string
  readonly reply: LedgerCall['reply']
}

/** Sends calls at an even pace, to the gateways in turn, whatever becomes of the earlier ones. */
function startCalling(urls: readonly string[], key: string) {
  const pools = urls.map((url) => new Pool(url, { connections: 512, pipelining: 1 }))
  const ledger: ClientCall[] = []
  const underWay = new Set<Promise<void>>()
  const everyMs = 10
  let sent = 0
  const begunAt = performance.now()

  async function call(pool: Pool | undefined): Promise<void> {
    const id = randomUUID()
    try {
      const answer = await pool?.request({
        path: accountsPath,
        method: 'GET',
        headers: { 'x-api-key': key, 'x-request-id': id },
      })
      await answer?.body.dump()
      ledger.push({ id, reply: replyOf(answer?.statusCode ?? 0) })
    } catch {
      ledger.push({ id, reply: 'unanswered' })
    }
  }

  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - begunAt) * callsPerSecond) / 1_000)
    for (; sent < due; sent += 1) {
      const one = call(pools[sent % pools.length]).finally(() => underWay.delete(one))
      underWay.add(one)
    }
  }, everyMs)

  return {
    ledger,
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
      // On a machine that the load was too much for, an outage may still be open: it ends with an answer.
      for (let last = 0; last < 20 && ledger.at(-1)?.reply !== 'success'; last += 1) {
        await call(pools[last % pools.length])
      }
      await Promise.all(pools.map((pool) => pool.destroy()))
      return (performance.now() - begunAt) / 1_000
    },
  }
}

/** As the client judges an answer, without the gateway's table. */
function replyOf(status: number): LedgerCall['reply'] {
  if (status === 0 || status === 502 || status === 503 || status === 504) return 'unanswered'
  return status < 400 ? 'success' : 'neither'
}

/**
 * When each call arrived at its gateway and was answered, from the log lines: the order of the calls is that of their
 * arrival.
 */
function stampsOf({ gateways }: Fleet): Map<string, { at: number; firstByteMs: number }> {
  const stamps = new Map<string, { at: number; firstByteMs: number }>()
  for (const { output } of gateways) {
    for (const line of output.stderr.split('\n')) {
      if (!line.includes('"arrivedAt"')) continue
      // Parse boundary: a log line of a call.
      const call = JSON.parse(line) as {
        requestId: string
        arrivedAt: number
        firstByteMs?: number
      }
      stamps.set(call.requestId, { at: call.arrivedAt, firstByteMs: call.firstByteMs ?? 0 })
    }
  }
  return stamps
}

interface ReportedOutage {
  readonly from: string
  readonly until: string | null
  readonly series: readonly { readonly id: string }[]
  readonly last: { readonly id: string }
  readonly calls: number
  readonly applications: Readonly<Record<string, Readonly<Record<string, number>>>>
}

interface Report {
  readonly days: readonly {
    readonly period: string
    readonly version: string
    readonly downtimeSeconds: number
    readonly requests: number
    readonly errors: number
  }[]
  readonly outages: readonly ReportedOutage[]
}

function comparable(outages: readonly ReportedOutage[]) {
  return outages.map(({ from, until, series, last, calls }) => ({
    from: Date.parse(from),
    until: until === null ? null : Date.parse(until),
    series: series.map(({ id }) => id),
    last: last.id,
    calls,
  }))
}

t.test(
  'over outages of three gateways the report has the same downtime as the client’s ledger, 0 ms apart, and names the same calls',
  { skip: fleetMissing() },
  async (t) => {
    const backend = await startStoppableBackend(t)
    const fleet = await startFleet(t, {
      size: 3,
      env: { BACKEND_URL: backend.url, LOG_LEVEL: 'info' },
    })
    const { key, applicationId } = await newApplication(fleet.stores, 'report')
    const report = async (): Promise<Report> => {
      const { stdout, stderr } = await tollgate(fleet.env, 'report', 'availability', '--json')
      if (stdout === '') throw new Error(stderr)
      return JSON.parse(stdout)
    }

    const calling = startCalling(
      fleet.gateways.map(({ urls }) => urls.gateway),
      key,
    )
    await delay(phaseMs)
    await backend.stop()
    await delay(phaseMs)
    await backend.start()
    await delay(phaseMs)
    // A short one, then the backend takes calls and is silent until the gateways give up.
    await backend.stop()
    await delay(phaseMs / 5)
    await backend.start()
    await delay(phaseMs)
    backend.isSilent = proofSize({ share: 0, whole: 1 }) === 1
    await delay(backend.isSilent ? 3_000 : 0)
    backend.isSilent = false
    await delay(phaseMs)
    const seconds = await calling.stop()

    const { ledger } = calling
    const unanswered = ledger.filter(({ reply }) => reply === 'unanswered').length
    figure(`${ledger.length} calls in ${seconds.toFixed(1)} s, ${unanswered} not answered`)
    await until('all logged', async () => stampsOf(fleet).size >= ledger.length)
    const stamps = stampsOf(fleet)
    const calls = ledger.map(({ id, reply }) => {
      const { at = 0, firstByteMs = 0 } = stamps.get(id) ?? {}
      return { id, reply, at, repliedAt: at + Math.round(firstByteMs) }
    })
    const expected = outagesOfLedger(calls)
    t.ok(expected.length >= 2, `${expected.length} outages`)

    await until('every call is in the report', async () => {
      const { days, outages } = await report()
      const requests = days.reduce((sum, day) => sum + day.requests, 0)
      return requests === ledger.length && outages.every(({ until }) => until !== null)
    })
    const { days, outages } = await report()
    t.same(comparable(outages), expected, 'the same outages')
    const downMs = unionMs(expected)
    const reportedMs = days.reduce((sum, { downtimeSeconds }) => sum + downtimeSeconds * 1_000, 0)
    figure(`downtime: ${downMs} ms by the ledger, ${Math.round(reportedMs)} ms reported`)
    t.equal(Math.round(reportedMs), downMs, 'the same downtime')
    const errors = days.reduce((sum, day) => sum + day.errors, 0)
    t.equal(errors, unanswered, 'the same errors')
    for (const { applications, calls: all } of outages) {
      t.same(Object.keys(applications), [applicationId])
      const outcomes = Object.values(applications[applicationId] ?? {})
      t.equal(
        outcomes.reduce((sum, count) => sum + count, 0),
        all,
      )
    }

    const database = openDatabase({
      url: fleet.env['DATABASE_URL'] ?? '',
      log: createLog('silent'),
      connectionsMax: 1,
    })
    t.teardown(() => database.close())
    const db = database.connect<RegistrySchema>()
    const { rows: size } = await sql<{ bytes: number }>`
      select coalesce(sum(length(unanswered)), 0)::int + coalesce(sum(length(answered)), 0)::int as bytes
      from availability_slices`.execute(db)
    figure(`${size[0]?.bytes} bytes of slices`)
    // The slices are settled, and become rows of outages. Somewhere in the middle of an outage first.
    const middle = (expected[0]?.from ?? 0) + phaseMs / 2
    for (const ageSeconds of [Math.round((Date.now() - middle) / 1_000), 0]) {
      await sql`update portal_state set changed_at = now() - interval '1 hour' where name = 'availability'`.execute(
        db,
      )
      await consolidateOutages(db, ageSeconds)
      t.same(comparable((await report()).outages), expected, 'the same after consolidation')
    }
    const left = await db.selectFrom('availability_slices').select('second').execute()
    t.same(left, [])
    const [first] = outages
    const incident = await tollgate(
      fleet.env,
      'report',
      'incident',
      '--from',
      '-1h',
      '--seconds',
      '--json',
    )
    t.equal(incident.code, 0, incident.stderr)
    const { items } = JSON.parse(incident.stdout)
    t.equal(items.length, expected.length)
    t.match(items[0], {
      series: first?.series,
      affected: [{ name: 'report' }],
    })
    const inSeconds = items[0].bySecond.reduce(
      (sum: number, { calls: n }: { calls: number }) => sum + n,
      0,
    )
    t.equal(inSeconds, expected[0]?.calls, 'each second of the outage names a call')
  },
)

function unionMs(outages: readonly { from: number; until: number | null }[]): number {
  let total = 0
  let end = 0
  for (const { from, until } of [...outages].sort((a, b) => a.from - b.from)) {
    const to = until ?? from
    total += Math.max(0, to - Math.max(from, end))
    end = Math.max(end, to)
  }
  return total
}
