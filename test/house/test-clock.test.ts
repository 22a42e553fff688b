import t from 'tap'
import { TestClock } from '../support/test-clock.ts'
import { until, untilWithin } from '../support/until.ts'

t.test('a wait on a clock that is not moved is reported', async (t) => {
  const clock = new TestClock(0)
  await t.rejects(
    untilWithin(0, 'an hour has passed', () => clock.now > 3_600_000),
    {
      message: /an hour has passed \(a test clock was read [12] times but not moved\)$/,
    },
  )
})

t.test('a wait that fails for another reason does not', async (t) => {
  const clock = new TestClock(0)
  const moved = () => {
    clock.now += 1
    return false
  }
  await t.rejects(untilWithin(0, 'something else', moved), { message: /something else$/ })
  await t.rejects(
    untilWithin(0, 'nothing', () => false),
    { message: /nothing$/ },
  )
})

t.test('a moved clock ends the wait', async () => {
  const clock = new TestClock(0)
  const waiting = until('an hour has passed', () => clock.now > 3_600_000)
  clock.now = 4_000_000
  await waiting
})
