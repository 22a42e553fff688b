import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { RecentSeconds } from '../../src/gateway/operate/availability/recent-seconds.ts'
import { applyRule, noCallsYet, type Outage } from '../../src/registry/availability/outage-rule.ts'
import { readAnswered, readUnanswered } from '../../src/registry/availability/slice.ts'
import { type LedgerCall, outagesOfLedger } from './ledger-rule.ts'
import '../support/draw.ts'

interface MadeCall {
  readonly gapMs: number
  readonly reply: LedgerCall['reply']
  readonly waitMs: number
  readonly gateway: number
}

const gateways = 3
const start = 1_795_000_000_000

/** Phases of one mood each, so that outages, single failures and recoveries occur on all and on single gateways. */
const arbitraryPhase = fc
  .record({
    gap: fc.constantFrom(0, 1, 2, 40, 900, 7_400, 40_000),
    broken: fc.constantFrom<readonly number[]>([], [0], [0, 1], [0, 1, 2]),
    noise: fc.constantFrom(0, 0.1, 0.5),
    slowMs: fc.constantFrom(3, 800, 24_000),
    calls: fc.integer({ min: 1, max: 14 }),
  })
  .chain(({ gap, broken, noise, slowMs, calls }) =>
    fc.array(
      fc
        .record({
          gapMs: fc.integer({ min: 0, max: gap }),
          gateway: fc.integer({ min: 0, max: gateways - 1 }),
          waitMs: fc.integer({ min: 0, max: slowMs }),
          chance: fc.double({ min: 0, max: 1, noNaN: true }),
          isNeither: fc.constantFrom(false, false, false, true),
        })
        .map(({ gapMs, gateway, waitMs, chance, isNeither }): MadeCall => {
          const fails = broken.includes(gateway) !== chance < noise
          const reply = fails ? 'unanswered' : 'success'
          return { gapMs, gateway, waitMs, reply: isNeither && chance < 0.3 ? 'neither' : reply }
        }),
      { minLength: calls, maxLength: calls },
    ),
  )

const arbitraryDay = fc.record({
  calls: fc.array(arbitraryPhase, { minLength: 1, maxLength: 7 }).map((phases) => phases.flat()),
  /** When a gateway is replaced by another, in calls. */
  restarts: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 2 }),
  /** Where the slices are cut for consolidation, in seconds. */
  cuts: fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 3 }),
})

function ledgerOf(
  calls: readonly MadeCall[],
): (LedgerCall & { gateway: number; endsAt: number })[] {
  let at = start
  return calls.map(({ gapMs, reply, waitMs, gateway }, index) => {
    at += gapMs
    // Ids in no order of arrival.
    const id = `${(index * 7919) % 1_000}-${index}`
    return { at, id, reply, repliedAt: at + waitMs, endsAt: at + waitMs, gateway }
  })
}

t.test(
  'what several gateways store gives the outages of one list of all calls, to the millisecond and the call',
  async (t) => {
    let found = 0
    fc.assert(
      fc.property(arbitraryDay, ({ calls, restarts, cuts }) => {
        const ledger = ledgerOf(calls)
        const slices = runGateways(ledger, restarts)
        const outages = merge(slices, cuts)
        const expected = outagesOfLedger(ledger)
        found += expected.length
        deepStrictEqual(
          outages.map(({ from, until, series, last, calls: unanswered }) => ({
            from,
            until,
            last: last.id,
            calls: unanswered,
            series: series.map(({ id }) => id),
          })),
          expected,
        )
        for (const { calls: all, seconds, applications } of outages) {
          const bySecond = seconds.reduce((sum, second) => sum + second.calls, 0)
          deepStrictEqual(
            { bySecond, applications },
            { bySecond: all, applications: { a: { BACKEND_UNREACHABLE: all } } },
          )
        }
      }),
      { numRuns: 1_500 },
    )
    t.ok(found > 300, `${found} outages`)
  },
)

interface StoredSlice {
  readonly part: number
  readonly second: number
  readonly unanswered: string | null
  readonly answered: string | null
}

/**
 * Gateways take calls as they end, and write each second. What one wrote the
 * others see a second later.
 */
function runGateways(
  ledger: readonly (LedgerCall & { gateway: number; endsAt: number })[],
  restarts: readonly number[],
): StoredSlice[] {
  const names = { api: 'xs2a', version: '1.7.0' }
  const held: RecentSeconds[] = Array.from({ length: gateways }, () => new RecentSeconds(names))
  const processes = held.map((_, index) => `process ${index}`)
  const stored = new Map<string, StoredSlice>()

  function write(index: number, nowSecond: number, isLast = false): void {
    const wanted = new Set(
      [...stored.values()].flatMap(({ unanswered, second }) => (unanswered ? [second] : [])),
    )
    for (const slice of held[index]?.take(wanted, { nowSecond, isLast }) ?? []) {
      stored.set(`${processes[index]} ${slice.second} ${slice.part}`, slice)
    }
  }

  let clock = start
  function writeUntil(ms: number): void {
    // A long silence changes nothing except what is dropped.
    if (ms - clock > 3_000) clock = ms - 3_000
    for (; clock < ms; clock += 1_000) {
      for (const index of held.keys()) {
        const nowSecond = Math.floor(clock / 1_000)
        held[index]?.forget(nowSecond)
        write(index, nowSecond)
      }
    }
  }

  const byEnd = [...ledger].sort((a, b) => a.endsAt - b.endsAt)
  for (const [index, call] of byEnd.entries()) {
    writeUntil(call.endsAt)
    const at = held[call.gateway]
    if (call.reply === 'success') at?.succeeded(call.at, call.repliedAt)
    const outcome = 'BACKEND_UNREACHABLE'
    if (call.reply === 'unanswered')
      at?.notReplied({ at: call.at, id: call.id, applicationId: 'a', outcome })
    if (!restarts.includes(index)) continue
    write(call.gateway, Math.floor(call.endsAt / 1_000), true)
    held[call.gateway] = new RecentSeconds(names)
    processes[call.gateway] = `process of call ${index}`
  }
  writeUntil((byEnd.at(-1)?.endsAt ?? start) + 4_000)
  return [...stored.values()]
}

/** Applies the rule in batches, as consolidation does. */
function merge(slices: readonly StoredSlice[], cuts: readonly number[]): Outage[] {
  const state = noCallsYet()
  const seconds = cuts.map((cut) => start / 1_000 + cut).sort((a, b) => a - b)
  const outages: Outage[] = []
  let from = 0
  for (const to of [...seconds, Number.POSITIVE_INFINITY]) {
    const portion = slices.filter(({ second }) => second >= from && second < to)
    from = to
    outages.push(
      ...applyRule(
        state,
        portion.flatMap(({ second, answered }) => (answered ? readAnswered(second, answered) : [])),
        portion.flatMap(({ second, unanswered }) =>
          unanswered ? readUnanswered(second, unanswered) : [],
        ),
      ),
    )
  }
  return state.open === undefined ? outages : [...outages, state.open]
}

/** Calls at an even pace on one gateway, which writes each second unless the database is away. */
function simulate(options: {
  readonly seconds: number
  readonly perSecond: number
  readonly isDown: (ms: number) => boolean
  /** Undefined: no database. "lost": writes everything, but reports a failure. */
  readonly database: (second: number) => 'there' | 'lost' | undefined
}) {
  const names = { api: 'xs2a', version: '1.7.0' }
  const held = new RecentSeconds(names)
  const stored = new Map<string, StoredSlice>()
  const gap = 1_000 / options.perSecond
  for (let second = 0; second <= options.seconds + 2; second += 1) {
    const nowSecond = start / 1_000 + second
    held.forget(nowSecond)
    const state = options.database(second)
    if (state !== undefined) {
      const wanted = new Set(
        [...stored.values()].flatMap((slice) => (slice.unanswered ? [slice.second] : [])),
      )
      const slices = held.take(wanted, { nowSecond, isLast: false })
      for (const slice of slices) stored.set(`${slice.second} ${slice.part}`, slice)
      if (state === 'lost') held.giveBack(slices)
    }
    for (let call = 0; call < options.perSecond && second < options.seconds; call += 1) {
      const ms = Math.floor(second * 1_000 + call * gap)
      const at = start + ms
      if (!options.isDown(ms)) held.succeeded(at, at + 5)
      else held.notReplied({ at, id: `${ms}`, applicationId: 'a', outcome: ms % 3 ? 'one' : 'two' })
    }
  }
  return merge([...stored.values()], []).map(({ from, until, calls, applications, series }) => ({
    from: from - start,
    until: until === null ? null : until - start,
    calls,
    byOutcome: applications['a'],
    series: series.map(({ id }) => id),
  }))
}

for (const [name, database] of [
  ['a healthy database', () => 'there'],
  [
    'a database that commits but does not say so',
    (second) => (second % 3 === 1 ? 'lost' : 'there'),
  ],
  [
    'a database that is away for longer than calls keep their ids',
    (second) => (second < 280 ? undefined : 'there'),
  ],
] satisfies [string, (second: number) => 'there' | 'lost' | undefined][]) {
  t.test(`outages of 135,000 unanswered calls are exact with ${name}`, async (t) => {
    const outages = simulate({
      seconds: 290,
      perSecond: 500,
      database,
      isDown: (ms) => ms < 210_000 || (ms >= 211_000 && ms < 271_000),
    })
    const counts = (calls: number) => ({
      calls,
      byOutcome: { two: calls / 3, one: (calls * 2) / 3 },
    })
    t.same(outages, [
      { from: 0, until: 210_005, ...counts(105_000), series: ['0', '2', '4', '6', '8'] },
      {
        from: 211_000,
        until: 271_005,
        ...counts(30_000),
        series: ['211000', '211002', '211004', '211006', '211008'],
      },
    ])
  })
}

t.test(
  'an outage that ends while the database is away for longer than seconds are held, ends when it ended',
  async (t) => {
    const outages = simulate({
      seconds: 720,
      perSecond: 10,
      isDown: (ms) => ms < 5_000,
      database: (second) => (second <= 5 || second > 700 ? 'there' : undefined),
    })
    t.match(outages, [{ from: 0, until: 5_005, calls: 50 }])
    t.equal(outages.length, 1)
  },
)

t.test('a success that is reported late ends an outage, but not what came after it', async (t) => {
  const call = (ms: number) => ({ at: start + ms, id: `${ms}`, applicationId: 'a', outcome: 'x' })
  const state = noCallsYet()
  applyRule(state, [], [0, 1, 2, 3, 4].map(call))
  t.same(
    applyRule(state, [{ at: start + 3, repliedAt: start + 9 }], []),
    [],
    'before its last call',
  )
  const late = [
    { at: start + 5, repliedAt: start + 9 },
    { at: start + 800, repliedAt: start + 801 },
  ]
  t.match(applyRule(state, late, []), [{ until: start + 9 }])
})
