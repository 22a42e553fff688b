import fc from 'fast-check'
import t from 'tap'
import type { WindowLength } from '../../src/catalogue/catalogue.ts'
import { createLocalShares, type Division } from '../../src/gateway/counters/redis/local-shares.ts'
import { createSeenCounts } from '../../src/gateway/counters/redis/seen-counts.ts'
import { createStoreClock, type StoreClock } from '../../src/gateway/counters/redis/store-clock.ts'
import { windowAt } from '../../src/gateway/counters/window.ts'
import { alone, bucketOf } from './rig.ts'
import '../support/draw.ts'

const now = Date.UTC(2026, 10, 20, 12)

/** The shares of a process with this clock, which has seen no count. */
function sharesBy(clock: StoreClock, monotonic: () => number, division: Division = alone) {
  const seen = createSeenCounts({ monotonic })
  return createLocalShares({ division, seen, clockOf: () => clock, monotonic })
}

/** One process without a store, which was told counts and numbers of processes before. */
function startProcess(processes: number, place?: number) {
  let known = processes
  const bucket = bucketOf('shared')
  const seen = createSeenCounts({ monotonic: () => 0 })
  const shares = createLocalShares({
    division: { ...alone, processes: () => known, place: () => place },
    seen,
    clockOf: () => createStoreClock({ now: () => now, monotonic: () => 0 }),
    monotonic: () => 0,
  })
  return {
    learn(count: number) {
      const { id: window, endsAt } = windowAt(now, bucket.windowLength)
      seen.learn({
        ...bucket,
        window,
        epoch: 0,
        count,
        resetMs: endsAt - now,
        sentAt: 0,
        madeAt: 0,
      })
    },
    know(processes: number) {
      known = processes
    },
    /** How many of these calls were admitted. */
    call(times: number, calls = 100): number {
      let admitted = 0
      for (let call = 0; call < times; call += 1) {
        if (shares.decide([{ ...bucket, calls }], 'local-share').admitted) admitted += 1
      }
      return admitted
    },
  }
}

t.test('a share is computed as its description says', async (t) => {
  const one = startProcess(4)
  one.learn(20)
  t.equal(one.call(5), 5)
  one.learn(60)
  t.equal(one.call(50), 10)
  const two = startProcess(4)
  two.learn(20)
  t.equal(two.call(5), 5)
  two.learn(60)
  two.know(8)
  t.equal(two.call(50), 5, 'what is left is divided by eight')
  two.know(2)
  t.equal(two.call(50), 0, 'fewer processes give nothing back in this window')
})

t.test(
  'what is left is handed out whole, even to more processes than calls are left',
  async (t) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(100), (size, count) => {
        let admitted = 0
        for (let place = 0; place < size; place += 1) {
          const one = startProcess(size, place)
          one.learn(count)
          admitted += one.call(101)
        }
        if (admitted !== 100 - count) throw new Error(`${admitted} of ${100 - count}`)
      }),
      { numRuns: 30 },
    )
    const many = Array.from({ length: 150 }, (_, place) => startProcess(150, place).call(5))
    t.equal(many.filter((calls) => calls === 1).length, 100)
    t.equal(startProcess(150).call(5), 0, 'a process that the others do not know takes nothing')
  },
)

for (const { title, hasReplied } of [
  { title: 'nothing is kept of windows that are over', hasReplied: true },
  { title: 'windows by the local clock are kept for another one', hasReplied: false },
]) {
  t.test(`in an outage that lasts, ${title}`, async (t) => {
    let time = now
    const monotonic = () => time - now
    const clock = createStoreClock({ now: () => time, monotonic })
    if (hasReplied) clock.learn(now, 0, 0)
    const shares = sharesBy(clock, monotonic)
    function call(name: string): void {
      shares.decide([{ ...bucketOf(name, 60), calls: 10 }], 'local-share')
    }
    function owed(): string[] {
      const asked: string[] = []
      shares.takeOwing(10, (bucket) => {
        asked.push(bucket)
        return false
      })
      return asked
    }
    call('left')
    call('used on')
    time += 60_000
    call('used on')
    time += 10_000
    shares.drop()
    const [left, usedOn] = [bucketOf('left', 60).bucket, bucketOf('used on', 60).bucket]
    t.same(owed(), hasReplied ? [usedOn] : [usedOn, left])
    time += 60_000
    shares.drop()
    t.same(owed(), hasReplied ? [] : [usedOn])
  })
}

/** One of four processes whose store answered once, at noon, and never again. */
function startAlone(windowLength: WindowLength = 3600) {
  const at = { monotonic: 0 }
  const monotonic = () => at.monotonic
  const clock = createStoreClock({ now: () => 0, monotonic })
  const madeAt = clock.learn(now, 0, 0)
  const seen = createSeenCounts({ monotonic })
  const shares = createLocalShares({
    division: { ...alone, processes: () => 4 },
    seen,
    clockOf: () => clock,
    monotonic,
  })
  const bucket = { bucket: 'tollgate:{app}:limited', windowLength }
  const limits = [{ ...bucket, calls: 100 }]
  const call = () => seen.refuse(limits) ?? shares.decide(limits, 'local-share')
  return {
    at,
    clock,
    shares,
    call,
    seeUsedUp() {
      const { id: window, endsAt } = windowAt(now, windowLength)
      const reply = { window, epoch: 0, count: 100, resetMs: endsAt - now, sentAt: 0, madeAt }
      seen.learn({ ...bucket, ...reply })
    },
    admittedOf(times: number): number {
      return Array.from({ length: times }, call).filter(({ admitted }) => admitted).length
    },
  }
}

t.test(
  'who waits Retry-After in an outage is not refused for the same window, however long it lasts',
  async (t) => {
    const { at, call, admittedOf } = startAlone()
    t.equal(admittedOf(26), 25)
    const { retryAfterMs } = call()
    at.monotonic += retryAfterMs
    t.equal(call().admitted, true)
  },
)

t.test(
  'who waits Retry-After of a used-up window is admitted then, even if the store went away meanwhile',
  async (t) => {
    const { at, clock, call, seeUsedUp } = startAlone()
    seeUsedUp()
    const refused = call()
    t.equal(refused.decision, 'refused_local')
    const due = at.monotonic + refused.retryAfterMs
    // Answers that are long on their way let the estimate of the store's time lag.
    for (let sentAt = 0; sentAt < due - 1_000; sentAt += 1_000) {
      clock.learn(now + sentAt, sentAt, sentAt + 50)
    }
    at.monotonic = due
    t.match(call(), { admitted: true, decision: 'degraded_admitted' })
  },
)

t.test(
  'a process whose clock runs fast does not spend the share of the next month before the store says that it began',
  async (t) => {
    const { at, clock, seeUsedUp, admittedOf } = startAlone('P1M@Europe/Berlin')
    seeUsedUp()
    const lasts = windowAt(now, 'P1M@Europe/Berlin').endsAt - now
    // Another bucket's reply tells the time: a minute is left, for which this process has measured two more.
    at.monotonic = lasts + 60_000
    clock.learn(now + lasts - 60_000, at.monotonic, at.monotonic)
    t.equal(admittedOf(30), 0)
    at.monotonic += 60_000
    t.equal(admittedOf(30), 25)
  },
)

t.test('a process gets its share of a window once, however long the outage lasts', async (t) => {
  const { at, clock, shares, admittedOf } = startAlone()
  t.equal(admittedOf(26), 25)
  const end = windowAt(now, 3600).endsAt - now
  at.monotonic = end - 1_000
  // The store returns for one answer, which is long on its way.
  clock.learn(now + at.monotonic - 700, at.monotonic - 700, at.monotonic)
  let admitted = 0
  for (; at.monotonic < end + 2_000; at.monotonic += 100) {
    shares.drop()
    admitted += admittedOf(30)
  }
  t.equal(admitted, 25, 'the share of the next window')
})

t.test('a limit raised meanwhile is divided among all that were known', async (t) => {
  const one = startProcess(4)
  t.equal(one.call(50), 25)
  one.know(10)
  t.equal(one.call(50), 0)
  t.equal(one.call(50, 200), 10)
})

t.test(
  'whatever becomes known in a window, all shares together fit into what was left when last seen',
  async () => {
    const step = fc.record({ calls: fc.nat(60), grown: fc.nat(3), granted: fc.nat(20) })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.array(step, { maxLength: 12 }),
        (size, steps) => {
          let known = size
          const all = Array.from({ length: size }, (_, place) => startProcess(size, place))
          /** What the store has: everything admitted, told in the flap between two steps. */
          let count = 0
          for (const { calls, grown, granted } of steps) {
            for (const each of all) count += each.call(calls)
            if (count > 100) throw new Error(`${count} admitted`)
            // The store comes back, receives everything, grants some, and is gone again.
            count = Math.min(100, count + granted)
            for (let more = 0; more < grown; more += 1) all.push(startProcess(known))
            known += grown
            for (const each of all) {
              each.know(known)
              each.learn(count)
            }
          }
        },
      ),
    )
  },
)

for (const { title, wrongBy, setBy = 0, startsAt, kept } of [
  { title: 'a slow clock', wrongBy: -90_000, startsAt: 1_000, kept: true },
  { title: 'a fast clock', wrongBy: 90_000, startsAt: 1_000, kept: true },
  { title: 'a slow clock, in the window before', wrongBy: -90_000, startsAt: -3_000, kept: false },
  { title: 'a fast clock, early', wrongBy: 90_000, startsAt: -3_000, kept: true },
  {
    title: 'a clock that is set meanwhile',
    wrongBy: 0,
    setBy: 3_600_000,
    startsAt: 1_000,
    kept: true,
  },
  { title: 'a right clock, as the window begins', wrongBy: 0, startsAt: 0, kept: true },
]) {
  t.test(
    `what is admitted by ${title}, ${kept ? 'moves to' : 'is not counted in'} the window of the store, with the share it used`,
    async (t) => {
      let time = now + startsAt
      let offset = wrongBy
      const monotonic = () => time - now + 10_000
      const clock = createStoreClock({ now: () => time + offset, monotonic })
      const shares = sharesBy(clock, monotonic, { ...alone, processes: () => 2 })
      const limit = { ...bucketOf('moved', 3600), calls: 10 }
      const admitted = () => shares.decide([limit], 'local-share').admitted
      t.same([admitted(), admitted(), admitted()], [true, true, true])
      offset += setBy
      if (setBy !== 0) t.same([admitted(), admitted(), admitted()], [true, true, false])
      const spent = setBy === 0 ? 3 : 5
      time += 5_000
      // The reply tells a time that is a little old.
      clock.learn(time - 5, monotonic() - 10, monotonic())
      const { id: window } = windowAt(time, limit.windowLength)
      const addition = shares.takeAddition(limit.bucket, limit.windowLength)
      const { bucket, windowLength } = limit
      t.same(addition, kept ? { bucket, windowLength, window, count: spent } : undefined)
      const left = Array.from({ length: 6 }, admitted).filter((isAdmitted) => isAdmitted)
      t.equal(left.length, kept ? 5 - spent : 5)
    },
  )
}

t.test(
  'a process with a right clock has its share of a window once, however late the first reply comes',
  async (t) => {
    for (const lateMs of [20, 316, 999, 5_000]) {
      let time = now + 3
      const monotonic = () => time - now + 10_000
      const clock = createStoreClock({ now: () => time, monotonic })
      const shares = sharesBy(clock, monotonic, { ...alone, processes: () => 2 })
      const limit = { ...bucketOf('late', 3600), calls: 10 }
      const admittedOf = (times: number) =>
        Array.from({ length: times }, () => shares.decide([limit], 'local-share')).filter(
          ({ admitted }) => admitted,
        ).length
      t.equal(admittedOf(3), 3)
      const sentAt = monotonic() - 10
      time += lateMs
      // Made in the window before.
      clock.learn(now - 1, sentAt, monotonic())
      t.equal(admittedOf(6), 2)
      time += lateMs + 10
      t.equal(admittedOf(6), 0, 'also when the late reply lets its window begin')
      const { id: window } = windowAt(now, limit.windowLength)
      t.match(shares.takeAddition(limit.bucket, limit.windowLength), { window, count: 5 })
    }
  },
)

t.test('a share that moves to the window of the store keeps its place', async (t) => {
  let time = now + 1_000
  let place = 1
  const monotonic = () => time - now
  const clock = createStoreClock({ now: () => time + 90_000, monotonic })
  const shares = sharesBy(clock, monotonic, {
    ...alone,
    processes: () => 2,
    place: () => place,
    placesVersion: () => 2 - place,
  })
  const limit = { ...bucketOf('placed', 3600), calls: 3 }
  const admitted = () => shares.decide([limit], 'local-share').admitted
  t.same([admitted(), admitted()], [true, false], 'the second of two has one of three')
  place = 0
  time += 1_000
  clock.learn(time, monotonic(), monotonic())
  t.equal(admitted(), false, 'another process may have used the first place')
})
