import type { UnansweredCall } from '../../../registry/availability/outage-rule.ts'
import { writeAnswered } from '../../../registry/availability/slice.ts'
import { addUnanswered, noneHeld, textOf, type UnansweredHeld } from './unanswered-held.ts'

/** How long a gateway remembers a second of an API version: longer than a call takes, and than a usual outage of the database. */
export const heldSeconds = 600
/** Unanswered calls of a version that wait to be written with their ids. Of those above it, only their number by millisecond is kept. */
const namedMax = 100_000
/** A second whose calls may not all have ended. */
const freshSeconds = 60

/** A part of what is known of one second of an API version, ready to be written. */
export interface Slice {
  readonly api: string
  readonly version: string
  readonly second: number
  /** 0: the successes so far. Others: unanswered calls, each in one part. */
  readonly part: number
  readonly unanswered: string | null
  readonly answered: string | null
}

interface HeldSecond {
  /** By millisecond: 1 + the wait of the quickest success that arrived then; 0: none. */
  waits: Uint16Array | undefined
  /** Whether there are more successes than were written. */
  isChanged: boolean
  /** Not written yet. */
  unanswered: UnansweredHeld | undefined
  /** Taken, but not written for sure, with their numbers of calls: they are repeated as they are. */
  readonly returned: Map<Slice, number>
  parts: number
}

/** The calls of one API version in the last minutes, by the second of their arrival. */
export interface SecondsHeld {
  succeeded(at: number, repliedAt: number): void
  notReplied(call: UnansweredCall): void
  /** Whether unanswered calls wait to be taken. */
  hasUnanswered(): boolean
  /**
   * Takes what the other gateways need: each second with unanswered calls; the
   * successes in such a second, of any gateway; and the first second with
   * successes after it. Nothing of this costs anything while all calls succeed.
   * An unanswered call is taken once and then forgotten.
   *
   * @param wanted seconds in which any gateway has unanswered calls
   * @param isLast the gateway ends, so it cannot be asked for its latest successes later
   */
  take(wanted: ReadonlySet<number>, options: { nowSecond: number; isLast: boolean }): Slice[]
  /** The slices may not have been written. */
  giveBack(slices: readonly Slice[]): void
  /**
   * Forgets what is too old, also while nothing can be written; but not the
   * first success after an unanswered call that was written, so that its
   * outage ends.
   */
  forget(nowSecond: number): void
}

/** Memory: 2 KB for each second with successes, about 150 bytes for each unanswered call that waits. */
export function createSecondsHeld(names: { api: string; version: string }): SecondsHeld {
  const held = new Map<number, HeldSecond>()
  /** The second of the latest call, which most calls share. */
  let latest: HeldSecond | undefined
  let latestSecond = -1
  /** The newest second with successes that was written and is forgotten. */
  let forgotten = Number.NEGATIVE_INFINITY
  let namedHeld = 0
  /** How many calls with ids a taken slice has. */
  const named = new WeakMap<Slice, number>()
  /** Seconds in which any gateway had unanswered calls, when they were last asked for. */
  let known: readonly number[] = []

  function at(second: number): HeldSecond {
    if (second === latestSecond && latest !== undefined) return latest
    let found = held.get(second)
    if (found === undefined) {
      found = {
        waits: undefined,
        isChanged: false,
        unanswered: undefined,
        returned: new Map(),
        parts: 0,
      }
      held.set(second, found)
    }
    latest = found
    latestSecond = second
    return found
  }

  /** Seconds of its own with unanswered calls. */
  function own({ isWritten }: { isWritten: boolean }): number[] {
    return [...held].flatMap(([second, { unanswered, parts }]) =>
      parts > 0 || (unanswered !== undefined && !isWritten) ? [second] : [],
    )
  }

  /** Held seconds whose calls concern an outage that the calls of the `asked` seconds may belong to. */
  function concerned(asked: readonly number[]): Set<number> {
    const sorted = [...new Set(asked)].sort((a, b) => a - b)
    const found = new Set<number>()
    let before = forgotten
    let next = 0
    for (const second of [...held.keys()].sort((a, b) => a - b)) {
      // Skips what a success in a later second has ended: one in the same second may have come before.
      while (next < sorted.length && (sorted[next] ?? 0) < before) next += 1
      if ((sorted[next] ?? Number.POSITIVE_INFINITY) <= second) found.add(second)
      if (held.get(second)?.waits !== undefined) before = second
    }
    return found
  }

  function takeUnanswered(second: number, one: HeldSecond): Slice[] {
    const slices = [...one.returned.keys()]
    for (const calls of one.returned.values()) namedHeld -= calls
    one.returned.clear()
    if (one.unanswered === undefined) return slices
    one.parts += 1
    const text = textOf(second, one.unanswered)
    const slice = { ...names, second, part: one.parts, unanswered: text, answered: null }
    named.set(slice, one.unanswered.calls.length)
    namedHeld -= one.unanswered.calls.length
    one.unanswered = undefined
    return [...slices, slice]
  }

  return {
    forget(nowSecond) {
      latest = undefined
      const old = [...held].filter(([second]) => second < nowSecond - heldSeconds)
      if (old.length === 0) return
      known = [...known, ...own({ isWritten: true })]
      const kept = concerned(known)
      for (const [second, one] of old) {
        if (one.waits !== undefined && one.isChanged && kept.has(second)) continue
        namedHeld -= one.unanswered?.calls.length ?? 0
        for (const calls of one.returned.values()) namedHeld -= calls
        if (one.waits !== undefined && !one.isChanged) forgotten = Math.max(forgotten, second)
        held.delete(second)
      }
      known = [...new Set(known)]
    },

    succeeded(arrivedAt, repliedAt) {
      const second = Math.floor(arrivedAt / 1_000)
      const found = at(second)
      found.waits ??= new Uint16Array(1_000)
      const ms = arrivedAt - second * 1_000
      const wait = repliedAt - arrivedAt + 1
      const before = found.waits[ms] ?? 0
      if (before !== 0 && before <= wait) return
      found.waits[ms] = wait
      found.isChanged = true
    },

    notReplied(call) {
      const found = at(Math.floor(call.at / 1_000))
      found.unanswered ??= noneHeld()
      namedHeld += addUnanswered(found.unanswered, call, namedHeld >= namedMax)
    },

    hasUnanswered: () =>
      [...held.values()].some(
        ({ unanswered, returned }) => unanswered !== undefined || returned.size > 0,
      ),

    take(wanted, { nowSecond, isLast }) {
      known = [...wanted]
      const asked = [...known, ...own({ isWritten: false })]
      if (asked.length === 0 && !isLast) return []
      const needed = concerned(asked)
      const taken: Slice[] = []
      for (const second of [...held.keys()].sort((a, b) => a - b)) {
        const one = held.get(second)
        if (one === undefined) continue
        taken.push(...takeUnanswered(second, one))
        const isNeeded = needed.has(second) || (isLast && second >= nowSecond - freshSeconds)
        if (!isNeeded || !one.isChanged || one.waits === undefined) continue
        one.isChanged = false
        const answered = writeAnswered(one.waits)
        taken.push({ ...names, second, part: 0, unanswered: null, answered })
      }
      return taken
    },

    giveBack(slices) {
      for (const slice of slices) {
        const one = held.get(slice.second)
        if (one === undefined) continue
        if (slice.part === 0) {
          one.isChanged = true
          continue
        }
        const calls = named.get(slice) ?? 0
        one.returned.set(slice, calls)
        namedHeld += calls
      }
    },
  }
}
