import { once } from 'node:events'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import type { Counter } from '../../src/gateway/counters/counter.ts'
import { createMemoryCounter } from '../../src/gateway/counters/memory/memory-counter.ts'
import { fillRecord } from '../../src/gateway/operate/calls/record-of.ts'
import { RecordedCall } from '../../src/gateway/operate/calls/recorded-call.ts'
import type { EndedCall } from '../../src/gateway/operate/ended-call.ts'
import { countCall } from '../../src/gateway/operate/usage/count-call.ts'
import { createUsageBuffer } from '../../src/gateway/operate/usage/usage-buffer.ts'
import { resetConnection } from '../../src/platform/http/reset-connection.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { explainRecord } from '../../src/portal/api/explain-record.ts'
import { callerOf, hourly, startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { rawRequest } from '../support/raw-client.ts'
import { until } from '../support/until.ts'

const get = rawRequest('GET /v1.7.0/accounts HTTP/1.1', [`X-API-Key: ${testKey}`])

/** A counter whose answers wait until they are released; the counts are real. */
async function slowCounter() {
  const counter = await createMemoryCounter({ log: createLog('silent'), now: Date.now })
  const held: (() => void)[] = []
  const slow: Counter = {
    peek: (buckets) => counter.peek(buckets),
    reset: (bucket) => counter.reset(bucket),
    forget: counter.forget,
    isUp: () => counter.isUp(),
    close: () => counter.close(),
    grant: (limits, onOutage, done) =>
      counter.grant(limits, onOutage, (grant) => held.push(() => done(grant))),
  }
  return {
    slow,
    isHeld: (calls: number) => held.length === calls,
    letGo: () => {
      for (const answer of held.splice(0)) answer()
    },
  }
}

/** Sends bytes and leaves as soon as the counter was asked about every call in them. */
async function leaveWhileCounted(t: Test, bytes: string, calls: number, limit = 1_000) {
  const backend = await startRawBackend(t)
  const { slow, isHeld, letGo } = await slowCounter()
  const ended: EndedCall[] = []
  const caller = callerOf('app-1')
  const edge = await startEdge(t, {
    backendUrl: backend.url,
    counter: slow,
    plan: {
      limits: [{ name: 'default', calls: limit, ...hourly }],
    },
    recorder: {
      ended: (call, finished) => void ended.push({ call, caller, finished, endedAt: Date.now() }),
      rehearsed: () => undefined,
    },
  })
  const { port } = new URL(edge.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(bytes)
  await until('the counter is asked', () => isHeld(calls))
  resetConnection(socket)
  await until('the gateway sees that the client left', async () => (await edge.connections()) === 0)
  const monotonic = () => performance.now()
  letGo()
  await until('every call has ended', () => ended.length === calls)
  const usage = createUsageBuffer()
  for (const one of ended) countCall(usage, one, { usageLost: () => undefined })
  return {
    metrics: await edge.metrics(),
    records: ended.map((one) => {
      const record = new RecordedCall()
      fillRecord(record, one, monotonic())
      return record
    }),
    rows: usage.take(10),
    backend,
  }
}

t.test(
  'the books say that a call was counted whose client left while the counter was asked',
  async (t) => {
    const { metrics, records, rows, backend } = await leaveWhileCounted(t, get, 1)
    t.match(metrics, /gateway_limit_decisions_total\{[^}]*decision="admitted"\} 1/)
    t.match(metrics, /gateway_requests_total\{[^}]*status_class="none",outcome="aborted"\} 1/)
    t.match(records, [{ outcome: 'aborted', decision: 'admitted', status: 0, remaining: 999 }])
    t.match(rows, [{ admitted: 1, refused: 0 }])
    t.equal(backend.requests.length, 0)
    const [record] = records
    t.equal(
      explainRecord({ ...shownOf(record), limit: null }, Date.now()),
      'Allowed; your application closed the connection before the call reached the bank.',
    )
  },
)

/** As the portal reads it from the table. */
function shownOf(recorded: RecordedCall | undefined) {
  if (recorded === undefined) throw new Error('no record')
  // Parse boundary: as it is written. JSON has null for what is not known.
  const record: RecordedCall = JSON.parse(JSON.stringify(recorded))
  const {
    request_id: requestId,
    trace_id: traceId,
    key_id: keyId,
    total_ms: totalMs,
    upstream_ms: upstreamMs,
  } = record
  const key = { keyId, keyExpiresAt: null, keyRevokedAt: null, isPageKey: false }
  return {
    ...record,
    ...key,
    id: 1,
    requestId,
    traceId,
    totalMs,
    upstreamMs,
    at: new Date(record.at),
  }
}

t.test('a call that waited in a pipeline when its client left is in the books, too', async (t) => {
  const { metrics, records, rows } = await leaveWhileCounted(t, get.repeat(3), 3, 2)
  t.match(metrics, /gateway_limit_decisions_total\{[^}]*decision="admitted"\} 2/)
  t.match(metrics, /gateway_limit_decisions_total\{[^}]*decision="refused"\} 1/)
  t.same(records.map(({ decision, status }) => `${decision} ${status}`).toSorted(), [
    'admitted 0',
    'admitted 0',
    'refused 0',
  ])
  t.match(rows, [{ admitted: 2, refused: 1, refused_by_limit: 1 }])
})
