import t from 'tap'
import { atPace } from '../../src/platform/process/at-pace.ts'

t.test('work rests for as long as what it did takes at its pace', async (t) => {
  let now = 10_000
  const ran: number[] = []
  let rows = 6_000
  const run = atPace(
    async () => {
      ran.push(now)
      return rows
    },
    { perSecond: 2_000, monotonic: () => now },
  )
  await run()
  for (const at of [10_000, 11_000, 12_999, 13_000]) {
    now = at
    await run()
  }
  t.same(ran, [10_000, 13_000], '6,000 rows take three seconds')
  rows = 0
  now = 16_000
  await run()
  await run()
  t.same(ran.slice(2), [16_000, 16_000], 'after nothing there is no rest')
})
