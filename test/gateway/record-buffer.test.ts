import t from 'tap'
import { createRecordBuffer } from '../../src/gateway/operate/calls/record-buffer.ts'
import type { RecordedCall } from '../../src/gateway/operate/calls/recorded-call.ts'

function record(application: string, at: number): RecordedCall {
  return {
    application_id: application,
    at,
    request_id: '',
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
    remaining: null,
    resets_at: null,
    total_ms: 1,
    upstream_ms: null,
  }
}

/** Times of what waits, by application, oldest first. */
function taken(buffer: ReturnType<typeof createRecordBuffer>) {
  const { byApplication, size, lost } = buffer.take()
  const times = [...byApplication].map(([id, records]) => [
    id,
    records.map(({ at }) => at).toSorted((a, b) => a - b),
  ])
  return { times: Object.fromEntries(times), size, lost }
}

t.test('of one application the newest wait, however many come', async (t) => {
  const buffer = createRecordBuffer({ perApplication: 3, capacity: 10 })
  for (let at = 1; at <= 8; at += 1) buffer.push(record('a', at))
  buffer.push(record('b', 1))
  t.same(taken(buffer), { times: { a: [6, 7, 8], b: [1] }, size: 4, lost: 5 })
  t.same(taken(buffer), { times: {}, size: 0, lost: 0 }, 'what was taken is not there any more')
})

t.test('a loud application makes way for quiet ones, and none for it', async (t) => {
  const buffer = createRecordBuffer({ perApplication: 6, capacity: 8 })
  for (let at = 1; at <= 6; at += 1) buffer.push(record('loud', at))
  for (let at = 1; at <= 4; at += 1) buffer.push(record('quiet', at))
  for (let at = 7; at <= 9; at += 1) buffer.push(record('loud', at))
  buffer.push(record('third', 1))
  t.same(taken(buffer), {
    times: { loud: [7, 8, 9], quiet: [1, 2, 3, 4], third: [1] },
    size: 8,
    lost: 6,
  })
})

t.test('more applications than there is room for lose what comes last', async (t) => {
  const buffer = createRecordBuffer({ perApplication: 2, capacity: 3 })
  for (const id of ['a', 'b', 'c', 'd', 'e']) buffer.push(record(id, 1))
  t.same(taken(buffer), { times: { a: [1], b: [1], c: [1] }, size: 3, lost: 2 })
})

t.test('never holds more than its capacity, and forgets nothing it does not count', async (t) => {
  const buffer = createRecordBuffer({ perApplication: 50, capacity: 100 })
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (let at = 1; at <= 20_000; at += 1) {
    // The lower the number the louder.
    buffer.push(record(`app-${random(random(40) + 1)}`, at))
    if (buffer.size > 100) t.fail(`${buffer.size} wait`)
  }
  const { times, size, lost } = taken(buffer)
  t.equal(size + lost, 20_000)
  t.equal(Object.values(times).flat().length, size)
})
