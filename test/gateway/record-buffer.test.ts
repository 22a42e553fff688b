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

function offer(buffer: ReturnType<typeof createRecordBuffer>, application: string, at: number) {
  buffer.offer(application, () => record(application, at))
}

/** Numbers from 0 to below 1, the same in every run. */
function seeded(): () => number {
  let seed = 7
  return () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
}

t.test('of one application so many are drawn, every call with the same chance', async (t) => {
  const random = seeded()
  const drawn = new Map<number, number>()
  let made = 0
  const rounds = 8_000
  for (let round = 0; round < rounds; round += 1) {
    const buffer = createRecordBuffer({ perApplication: 3, capacity: 10, random })
    for (let at = 1; at <= 8; at += 1) {
      buffer.offer('a', () => {
        made += 1
        return record('a', at)
      })
    }
    offer(buffer, 'b', 1)
    const { times, size, lost } = taken(buffer)
    if (size !== 4 || lost !== 5) t.fail(`${size} wait, ${lost} are lost`)
    for (const at of times['a'] ?? []) drawn.set(at, (drawn.get(at) ?? 0) + 1)
  }
  for (let at = 1; at <= 8; at += 1) {
    const share = (drawn.get(at) ?? 0) / rounds
    // Six standard deviations of a share of 3/8 in 8,000 rounds are 0.032.
    t.ok(Math.abs(share - 3 / 8) < 0.033, `call ${at} is kept in ${share} of the rounds`)
  }
  // 3 and then 3/4 + 3/5 + … + 3/8.
  t.ok(made / rounds < 5.8, 'and a call that is not kept is not written down first')
})

t.test('a loud application makes way for quiet ones, and none for it', async (t) => {
  const buffer = createRecordBuffer({ perApplication: 6, capacity: 8, random: () => 0 })
  for (let at = 1; at <= 6; at += 1) offer(buffer, 'loud', at)
  for (let at = 1; at <= 4; at += 1) offer(buffer, 'quiet', at)
  for (let at = 7; at <= 9; at += 1) offer(buffer, 'loud', at)
  offer(buffer, 'third', 1)
  const { times, size, lost } = taken(buffer)
  t.same([size, lost], [8, 6])
  t.same(times['quiet'], [1, 2, 3, 4])
  t.same(times['third'], [1])
  t.equal(times['loud']?.length, 3)
})

t.test('what was taken does not wait any more', async (t) => {
  const buffer = createRecordBuffer({ perApplication: 1, capacity: 2 })
  for (let at = 1; at <= 3; at += 1) offer(buffer, 'a', at)
  t.equal(taken(buffer).size, 1)
  t.same(taken(buffer), { times: {}, size: 0, lost: 0 })
  offer(buffer, 'a', 4)
  t.same(taken(buffer), { times: { a: [4] }, size: 1, lost: 0 }, 'and the next draw begins anew')
})

t.test('more applications than there is room for lose what comes last', async (t) => {
  const buffer = createRecordBuffer({ perApplication: 2, capacity: 3 })
  for (const id of ['a', 'b', 'c', 'd', 'e']) offer(buffer, id, 1)
  t.same(taken(buffer), { times: { a: [1], b: [1], c: [1] }, size: 3, lost: 2 })
})

t.test('never holds more than its capacity, and forgets nothing it does not count', async (t) => {
  const buffer = createRecordBuffer({ perApplication: 50, capacity: 100 })
  const number = seeded()
  const random = (below: number): number => Math.floor(number() * below)
  for (let at = 1; at <= 20_000; at += 1) {
    // The lower the number the louder.
    offer(buffer, `app-${random(random(40) + 1)}`, at)
    if (buffer.size > 100) t.fail(`${buffer.size} wait`)
  }
  const { times, size, lost } = taken(buffer)
  t.equal(size + lost, 20_000)
  t.equal(Object.values(times).flat().length, size)
})
