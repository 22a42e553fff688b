import t from 'tap'
import { atPace } from '../../src/platform/process/at-pace.ts'

/** Work that does as many rows as told, at the times of a clock that is set by hand. */
function work({ isUrgent }: { readonly isUrgent?: () => boolean } = {}) {
  const state = { now: 10_000, rows: 0, ran: [] as number[] }
  const pace = { perSecond: 2_000, pauseMsMax: 20_000, monotonic: () => state.now }
  const run = atPace(
    async () => {
      state.ran.push(state.now)
      return state.rows
    },
    isUrgent === undefined ? pace : { ...pace, isUrgent },
  )
  return {
    state,
    async at(now: number) {
      state.now = now
      await run()
    },
  }
}

t.test('work pauses for as long as its rows take at their pace', async (t) => {
  const { state, at } = work()
  state.rows = 6_000
  for (const now of [10_000, 11_000, 12_999, 13_000]) await at(now)
  t.same(state.ran, [10_000, 13_000], '6,000 rows take three seconds')
  state.rows = 0
  for (const now of [16_000, 16_000]) await at(now)
  t.same(state.ran.slice(2), [16_000, 16_000], 'after nothing there is no pause')
})

t.test('no pause is longer than the longest', async (t) => {
  const { state, at } = work()
  state.rows = 1_000_000
  for (const now of [10_000, 29_999, 30_000]) await at(now)
  t.same(state.ran, [10_000, 30_000])
})

t.test('urgent work does not pause', async (t) => {
  let isUrgent = false
  const { state, at } = work({ isUrgent: () => isUrgent })
  state.rows = 6_000
  await at(10_000)
  await at(10_500)
  isUrgent = true
  await at(11_000)
  t.same(state.ran, [10_000, 11_000])
})
