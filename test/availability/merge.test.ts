import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import {
  createSecondsHeld,
  type SecondsHeld,
} from '../../src/gateway/operate/availability/seconds-held.ts'
import {
  applyRule,
  noCallsYet,
  type Outage,
} from '../../src/gateway/registry/availability/outage-rule.ts'
import { readAnswered, readUnanswered } from '../../src/gateway/registry/availability/slice.ts'
import { type LedgerCall, outagesOfLedger } from './ledger-rule.ts'

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
            ...{ from, until, last: last.id, calls: unanswered },
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
  const held: SecondsHeld[] = Array.from({ length: gateways }, () => createSecondsHeld(names))
  const processes = held.map((_, index) => `process ${index}`)
  const stored = new Map<string, StoredSlice>()

  function write(index: number, nowSecond: number, isLast = false): void {
    const wanted = new Set(
      [...stored.values()].flatMap(({ unanswered, second }) => (unanswered ? [second] : [])),
    )
    for (const slice of held[index]?.take(wanted, { nowSecond, isLast }) ?? []) {
      stored.set(`${processes[index]} ${slice.second}`, slice)
    }
  }

  let clock = start
  function writeUntil(ms: number): void {
    // Nothing changes in a long silence but what is forgotten.
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
    held[call.gateway] = createSecondsHeld(names)
    processes[call.gateway] = `process of call ${index}`
  }
  writeUntil((byEnd.at(-1)?.endsAt ?? start) + 4_000)
  return [...stored.values()]
}

/** Applies the rule in portions, as consolidation does. */
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
