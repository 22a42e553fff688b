import t from 'tap'
import {
  dayIn,
  endOfDayIn,
  endOfQuarter,
  inDays,
  instantOf,
  localOf,
} from '../../src/portal-ui/local-moment.ts'
import { suggestedCalls } from '../../src/portal-ui/pages/applications/limits/suggested-calls.ts'

t.test('usual periods end with the last minute of a day, in local time', async (t) => {
  const now = new Date(2026, 10, 30, 21, 30)
  t.equal(inDays(7, now), '2026-12-07T23:59')
  t.equal(inDays(30, now), '2026-12-30T23:59')
  t.equal(endOfQuarter(now), '2026-12-31T23:59')
  t.equal(endOfQuarter(new Date(2027, 0, 1)), '2027-03-31T23:59')
  t.equal(endOfQuarter(new Date(2027, 5, 30, 12)), '2027-06-30T23:59')
  t.equal(localOf(instantOf(inDays(7, now))), inDays(7, now), 'the portal gets the same moment')
})

t.test('a day lasts until its last second, in local time', async (t) => {
  const now = new Date(2026, 10, 30, 23, 59, 30)
  t.equal(dayIn(0, now), '2026-11-30')
  t.equal(dayIn(30, now), '2026-12-30')
  t.equal(endOfDayIn(dayIn(0, now)), new Date(2026, 10, 30, 23, 59, 59).toISOString())
  t.ok(Number.isNaN(Date.parse(endOfDayIn(''))))
  t.ok(Number.isNaN(Date.parse(endOfDayIn('20261-01-01'))))
})

t.test('a request for more calls suggests five times the limit', async (t) => {
  t.equal(suggestedCalls(100), '500')
  t.equal(suggestedCalls(900_000_000), '1000000000')
  t.equal(suggestedCalls(0), '')
  t.equal(suggestedCalls(undefined), '')
})
