import fc from 'fast-check'
import t from 'tap'
import type { WindowLength } from '../../src/catalogue/catalogue.ts'
import { windowAt, windowOf, windowSeconds } from '../../src/gateway/counters/window.ts'
import '../support/draw.ts'

t.test('windows are clock hours: one ends where the next begins', async (t) => {
  const eleven = Date.UTC(2026, 10, 20, 11)
  const next = { id: 498_659, endsAt: Date.UTC(2026, 10, 20, 12) }
  t.same(windowAt(eleven - 1, 3600), { id: 498_658, endsAt: eleven })
  t.same(windowAt(eleven, 3600), next)
  t.same(windowOf(498_659, 3600), next)
  t.equal(next.endsAt - Date.UTC(2026, 10, 20, 11, 20), 2_400_000)
  t.equal(windowAt(999.999, 1).id, 0)
})

/** Midnights by the clocks of the zone, as ISO 8601 in UTC, and the windows that lie between them. */
function spans(length: WindowLength, ...begins: readonly string[]) {
  const moments = begins.map((text) => Date.parse(text))
  return moments.slice(0, -1).map((begin, at) => {
    const end = moments[at + 1] ?? Number.NaN
    const { id } = windowAt(begin, length)
    return {
      length: `${windowSeconds(id, length)} s`,
      isWhole: [
        windowAt(begin - 1, length).id === id - 1,
        windowAt((begin + end) / 2, length).id === id,
        windowAt(end - 1, length).id === id,
        windowAt(end, length).id === id + 1,
        windowAt(begin, length).endsAt === end,
        windowOf(id, length).endsAt === end,
      ].every(Boolean),
    }
  })
}

t.test('a calendar day lasts 23 hours when summer time begins, and 25 when it ends', async (t) => {
  const day = 'P1D@Europe/Berlin'
  t.same(
    spans(day, '2026-03-27T23:00Z', '2026-03-28T23:00Z', '2026-03-29T22:00Z', '2026-03-30T22:00Z'),
    [
      { length: '86400 s', isWhole: true },
      { length: '82800 s', isWhole: true },
      { length: '86400 s', isWhole: true },
    ],
  )
  t.same(
    spans(day, '2026-10-23T22:00Z', '2026-10-24T22:00Z', '2026-10-25T23:00Z', '2026-10-26T23:00Z'),
    [
      { length: '86400 s', isWhole: true },
      { length: '90000 s', isWhole: true },
      { length: '86400 s', isWhole: true },
    ],
  )
  t.equal(windowAt(Date.parse('2026-03-29T12:00Z'), day).id, 20_541)
})

t.test('a calendar month ends with its last day, whatever day that is', async (t) => {
  const days = (length: WindowLength, ...begins: readonly string[]) =>
    spans(length, ...begins).map(({ length, isWhole }) => [
      Number.parseInt(length, 10) / 86_400,
      isWhole,
    ])
  const ends = ['2025-12-01T00:00Z', '2026-01-01T00:00Z', '2026-02-01T00:00Z', '2026-03-01T00:00Z']
  t.same(
    days('P1M@UTC', ...ends),
    [31, 31, 28].map((length) => [length, true]),
  )
  t.same(days('P1M@UTC', '2028-02-01T00:00Z', '2028-03-01T00:00Z'), [[29, true]])
  t.same(
    days('P1M@Europe/Berlin', '2026-02-28T23:00Z', '2026-03-31T22:00Z', '2026-04-30T22:00Z'),
    [
      [31 - 1 / 24, true],
      [30, true],
    ],
    'March is an hour short',
  )
})

t.test('a day without midnight begins when its clocks begin', async (t) => {
  t.same(spans('P1D@Africa/Cairo', '2026-04-22T22:00Z', '2026-04-23T22:00Z', '2026-04-24T21:00Z'), [
    { length: '86400 s', isWhole: true },
    { length: '82800 s', isWhole: true },
  ])
  t.same(spans('P1D@Asia/Beirut', '2026-03-28T22:00Z', '2026-03-29T21:00Z'), [
    { length: '82800 s', isWhole: true },
  ])
})

t.test(
  'clocks set back over midnight do not bring a day back, nor does a skipped day',
  async (t) => {
    // At 00:01 of 2006-10-29, clocks in Newfoundland went back to 23:01.
    t.same(spans('P1D@America/St_Johns', '2006-10-28T02:30Z', '2006-10-29T02:30Z'), [
      { length: '86400 s', isWhole: true },
    ])
    // Samoa had no 2011-12-30.
    const eve = windowAt(Date.parse('2011-12-30T09:59Z'), 'P1D@Pacific/Apia')
    const after = windowAt(Date.parse('2011-12-30T10:00Z'), 'P1D@Pacific/Apia')
    t.equal(eve.endsAt, Date.parse('2011-12-30T10:00Z'))
    t.equal(after.id, eve.id + 2)
  },
)

t.test('in every time zone, windows follow each other without gaps', async () => {
  const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
  const period = fc.constantFrom('P1D' as const, 'P1M' as const)
  const since = { min: new Date('1975-01-01'), max: new Date('2099-01-01'), noInvalidDate: true }
  fc.assert(
    fc.property(zone, period, fc.date(since), (timeZone, period, date) => {
      const length: WindowLength = `${period}@${timeZone}`
      const timeMs = date.getTime()
      const { id, endsAt } = windowAt(timeMs, length)
      if (endsAt <= timeMs || windowOf(id - 1, length).endsAt > timeMs) throw new Error('outside')
      if (windowAt(endsAt - 1, length).id !== id) throw new Error('ends early')
      if (windowAt(endsAt, length).id <= id) throw new Error('ends late')
    }),
    { numRuns: 2000 },
  )
})

t.test('a store whose clock is absurd has windows too', async (t) => {
  for (const timeMs of [0, 8.64e15]) {
    for (const length of ['P1D@Pacific/Auckland', 'P1M@America/Lima'] as const) {
      t.ok(Number.isSafeInteger(windowAt(timeMs, length).id), `${length} at ${timeMs}`)
    }
  }
})

t.test('a window that only another program can have written ends some day', async (t) => {
  for (const length of [3600, 'P1D@Europe/Berlin', 'P1M@Europe/Berlin'] as const) {
    t.ok(windowOf(99_999_999_999_999, length).endsAt > Date.UTC(9999, 11), String(length))
  }
})
