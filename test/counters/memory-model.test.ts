import fc from 'fast-check'
import t from 'tap'
import type { BucketLimit } from '../../src/gateway/counters/counter.ts'
import { createMemoryCounter } from '../../src/gateway/counters/memory/memory-counter.ts'
import { ask, bucketOf, silent } from './rig.ts'
import '../support/draw.ts'

const names = ['a', 'b', 'c']
const lengths = [1, 60, 3600]

type Step =
  | { kind: 'call'; limits: { name: string; windowLength: number; calls: number }[] }
  | { kind: 'move'; ms: number }
  | { kind: 'reset'; name: string; windowLength: number }

const bucket = {
  name: fc.constantFrom(...names),
  windowLength: fc.constantFrom(...lengths),
}
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      limits: fc.array(fc.record({ ...bucket, calls: fc.integer({ min: 1, max: 4 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
  },
  {
    weight: 2,
    // Back as well as forward.
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      ms: fc.integer({ min: -70_000, max: 100_000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reset' as const), ...bucket }) },
)

t.test(
  'any sequence of calls, clock steps, resets and changed limits counts as the model does',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        let now = Date.UTC(2026, 10, 20, 12)
        const counter = await createMemoryCounter({ now: () => now, log: silent })
        /** The model: every admitted call, by bucket and the latest window the bucket has been in. */
        const latest = new Map<string, number>()
        const admitted = new Map<string, number>()
        function placeOf(name: string, windowLength: number) {
          const { bucket } = bucketOf(name, windowLength)
          const current = Math.floor(now / 1000 / windowLength)
          const window = Math.max(latest.get(bucket) ?? current, current)
          return { bucket, windowLength, window, key: `${bucket} ${window}` }
        }
        for (const step of steps) {
          if (step.kind === 'move') now += step.ms
          else if (step.kind === 'reset') {
            const { bucket, windowLength } = placeOf(step.name, step.windowLength)
            await counter.reset({ bucket, windowLength })
            latest.delete(bucket)
            for (const key of admitted.keys())
              if (key.startsWith(`${bucket} `)) admitted.delete(key)
            latest.set(bucket, Math.floor(now / 1000 / windowLength))
          } else {
            const places = step.limits.map(({ name, windowLength, calls }) => ({
              ...placeOf(name, windowLength),
              calls,
            }))
            const expected = places.every(({ key, calls }) => (admitted.get(key) ?? 0) < calls)
            for (const { bucket, window } of places) latest.set(bucket, window)
            if (expected) {
              for (const key of new Set(places.map(({ key }) => key))) {
                admitted.set(key, (admitted.get(key) ?? 0) + 1)
              }
            }
            const limits: BucketLimit[] = places
            const grant = await ask(counter, limits)
            const left = places.map(({ key, calls }) =>
              Math.max(0, calls - (admitted.get(key) ?? 0)),
            )
            if (grant.admitted !== expected) throw new Error(`admitted: ${grant.admitted}`)
            for (const [index, { remaining, resetMs }] of grant.standings.entries()) {
              const place = places[index]
              if (place === undefined || remaining !== left[index]) throw new Error('remaining')
              const ends = (place.window + 1) * place.windowLength * 1000
              if (resetMs !== ends - now || resetMs <= 0) throw new Error('resetMs')
            }
            if (!expected && grant.retryAfterMs <= 0) throw new Error('retryAfterMs')
          }
        }
        await counter.close()
      }),
      { numRuns: 500 },
    )
  },
)
