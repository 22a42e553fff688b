import t from 'tap'
import { createRecordBuffer } from '../../src/gateway/operate/calls/record-buffer.ts'
import type { RecordedCall } from '../../src/gateway/operate/calls/recorded-call.ts'

function record(application: string, at: number): RecordedCall {
  return {
    application_id: application,
    at,
    request_id: '',
    trace_id: '',
    key_id: '',
    method: 'GET',
    api: null,
    version: null,
    operation: null,
    outcome: 'forwarded',
    detail: null,
    decision: null,
    status: 200,
    limit_name: null,
    limit_scope: null,
    limit_calls: null,
    window_seconds: null,
    calendar_window: null,
    remaining: null,
    resets_at: null,
    total_ms: 1,
    upstream_ms: null,
    drill: null,
  }
}

/** Times of what waits, oldest first. */
function taken(buffer: ReturnType<typeof createRecordBuffer>) {
  const { records, lost } = buffer.take()
  return { times: records.map(({ at }) => at).toSorted((a, b) => a - b), lost }
}

t.test('the newest records wait, however many come', async (t) => {
  const buffer = createRecordBuffer(3)
  for (let at = 1; at <= 8; at += 1) buffer.push(record('a', at))
  t.equal(buffer.size, 3)
  t.same(taken(buffer), { times: [6, 7, 8], lost: 5 })
  t.same(taken(buffer), { times: [], lost: 0 }, 'what was taken is not there any more')
})

t.test('never holds more than its capacity, and counts everything it drops', async (t) => {
  const buffer = createRecordBuffer(100)
  for (let at = 1; at <= 20_000; at += 1) {
    buffer.push(record(`app-${at % 40}`, at))
    if (buffer.size > 100) t.fail(`${buffer.size} wait`)
  }
  const { times, lost } = taken(buffer)
  t.equal(times.length + lost, 20_000)
  t.equal(times[0], 19_901)
})
