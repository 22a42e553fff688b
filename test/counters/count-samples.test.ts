import t from 'tap'
import { sampleCounts, sampleHash } from '../../src/gateway/counters/count-samples.ts'
import type { Counter, Grant } from '../../src/gateway/counters/counter.ts'

const windowLength = 60
const calls = 1_000_000

/** A counter whose next call gets this number in this window. */
function rig(options: { bucketsMax?: number; numbersMax?: number; now?: () => number }) {
  let next: Grant | undefined
  const grant: Counter['grant'] = (_limits, _onOutage, done) => {
    if (next !== undefined) done(next)
  }
  const { counter, samples } = sampleCounts({ grant } as Counter, options)
  return {
    samples,
    call(bucket: string, number: number, window = 0) {
      const standings = [{ granted: true, remaining: calls - number, resetMs: 1, window }]
      next = { admitted: true, decision: 'admitted', standings, retryAfterMs: 0 }
      counter.grant([{ bucket, calls, windowLength }], 'allow', () => undefined)
    },
  }
}

t.test('numbers in a row take the room of two, however many they are', async (t) => {
  const { samples, call } = rig({ numbersMax: 10, now: () => 0 })
  for (let number = 1; number <= 1_000; number += 1) call('a', number)
  t.match(samples.all(), [{ bucket: 'a', window: 0, runs: [1, 1_000] }])
  t.equal(samples.share(), 1)
})

t.test('numbers with gaps, as of processes that alternate, cannot take all memory', async (t) => {
  const { samples, call } = rig({ numbersMax: 1_000, now: () => 0 })
  for (let number = 1; number <= 200; number += 2) {
    for (let bucket = 0; bucket < 20; bucket += 1) call(`bucket ${bucket}`, number)
  }
  const held = samples.all().reduce((sum, { runs }) => sum + runs.length, 0)
  t.ok(held <= 1_000 && held > 0, `${held} numbers`)
  t.ok(samples.share() < 1)
  for (const { bucket } of samples.all()) t.ok(sampleHash(bucket) < samples.share(), bucket)
})

t.test('buckets whose windows are over make room before a share is given up', async (t) => {
  let now = 0
  const { samples, call } = rig({ bucketsMax: 10, now: () => now })
  for (let bucket = 0; bucket < 10; bucket += 1) call(`early ${bucket}`, 1)
  now = 2 * windowLength * 1000 + 1
  for (let bucket = 0; bucket < 10; bucket += 1) call(`late ${bucket}`, 1, 2)
  t.equal(samples.share(), 1)
  t.equal(samples.all().length, 10)
  call('one more', 1, 2)
  t.ok(samples.share() < 1, 'none is over')
})
