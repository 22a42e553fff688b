import t from 'tap'
import { createStoreClock } from '../../src/gateway/counters/redis/store-clock.ts'

/** A store whose time is 1,000,000 ms ahead of the monotonic clock of the process. */
function testClock() {
  const at = { monotonic: 0 }
  const clock = createStoreClock({ now: () => 0, monotonic: () => at.monotonic })
  return {
    at,
    clock,
    /** An answer with these delays between request and reply, and between reply and arrival. */
    answer(sentAt: number, takesMs: number, wayMs: number, ahead = 1_000_000): number {
      const made = sentAt + takesMs
      return clock.learn(Math.floor(made + ahead), sentAt, made + wayMs)
    },
  }
}

t.test('before the first answer the own clock is all there is', async (t) => {
  t.equal(createStoreClock({ now: () => 7, monotonic: () => 0 }).now(), 7)
})

t.test('an answer long on its way does not set the time of the store back', async (t) => {
  const { at, clock, answer } = testClock()
  answer(0, 1, 1)
  const made = answer(100, 1, 300)
  t.ok(made >= 101 && made < 103, `made at 101, known as ${made}`)
  at.monotonic = 401
  t.ok(clock.now() <= 1_000_401, 'never ahead')
  t.ok(clock.now() > 1_000_398)
})

t.test('the time of the store is never thought ahead, however answers come', async (t) => {
  const { at, clock, answer } = testClock()
  for (let sentAt = 0; sentAt < 10_000; sentAt += 37) {
    answer(sentAt, (sentAt * 7) % 50, (sentAt * 13) % 80)
    at.monotonic = sentAt + 200
    t.ok(clock.now() <= 1_000_000 + at.monotonic)
  }
})

t.test(
  'the store is never past the latest time that replies allow, however they come',
  async (t) => {
    const { at, clock, answer } = testClock()
    t.equal(clock.latest(), Number.POSITIVE_INFINITY, 'before the first one')
    for (let sentAt = 0; sentAt < 10_000; sentAt += 37) {
      answer(sentAt, (sentAt * 7) % 50, (sentAt * 13) % 80)
      at.monotonic = sentAt + 200
      t.ok(clock.latest() >= 1_000_000 + at.monotonic)
      t.ok(clock.latest() < 1_000_000 + at.monotonic + 55)
    }
  },
)

t.test('a store whose clock steps back, or runs slower, is believed', async (t) => {
  const { at, clock, answer } = testClock()
  answer(0, 1, 1)
  answer(1000, 1, 1, 997_000)
  at.monotonic = 2000
  t.ok(clock.latest() >= 999_000)
  t.ok(clock.latest() < 999_010)
  t.ok(clock.now() <= 999_000)
  t.ok(clock.now() > 998_990)
  answer(3000, 1, 20, 996_999.8)
  at.monotonic = 3100
  t.ok(clock.now() <= 1_000_099.8, 'ahead by nothing')
})
