import type { UnansweredCall } from '../../registry/availability/outage-rule.ts'
import { writeAnswered, writeUnanswered } from '../../registry/availability/slice.ts'

/** How long a gateway remembers a second of an API version: longer than a call takes, and than a usual outage of the database. */
export const heldSeconds = 600
/** Unanswered calls remembered of a version. Those above it are missing from the number of calls of an outage; its time stays exact. */
const unansweredMax = 100_000
/** A second whose calls may not all have ended. */
const freshSeconds = 60

/** One second of an API version, ready to be written. */
export interface Slice {
  readonly api: string
  readonly version: string
  readonly second: number
  readonly unanswered: string | null
  readonly answered: string | null
}

interface HeldSecond {
  /** By millisecond: 1 + the wait of the quickest success that arrived then; 0: none. */
  waits: Uint16Array | undefined
  unanswered: UnansweredCall[] | undefined
  /** Whether it says more than what was written. */
  isChanged: boolean
}

/** The calls of one API version in the last minutes, by the second of their arrival. */
export interface SecondsHeld {
  succeeded(at: number, repliedAt: number): void
  notReplied(call: UnansweredCall): void
  /**
   * Takes what the other gateways need: each second with unanswered calls; the
   * successes in such a second, of any gateway; and the first second with
   * successes after it. Nothing of this costs anything while all calls succeed.
   *
   * @param wanted seconds in which any gateway has unanswered calls
   * @param isLast the gateway ends, so it cannot be asked for its latest successes later
   */
  take(wanted: ReadonlySet<number>, options: { nowSecond: number; isLast: boolean }): Slice[]
  /** The slices could not be written. */
  giveBack(slices: readonly Slice[]): void
  /** Forgets what is too old, also while nothing can be written. */
  forget(nowSecond: number): void
}

/** Memory: 2 KB for each second with successes, about 150 bytes for each unanswered call. */
export function createSecondsHeld(names: { api: string; version: string }): SecondsHeld {
  const held = new Map<number, HeldSecond>()
  /** The second of the latest call, which most calls share. */
  let latest: HeldSecond | undefined
  let latestSecond = -1
  /** The newest second with successes that is forgotten. */
  let forgotten = Number.NEGATIVE_INFINITY
  let unansweredHeld = 0

  function at(second: number): HeldSecond {
    if (second === latestSecond && latest !== undefined) return latest
    let found = held.get(second)
    if (found === undefined) {
      found = { waits: undefined, unanswered: undefined, isChanged: false }
      held.set(second, found)
    }
    latest = found
    latestSecond = second
    return found
  }

  function forget(nowSecond: number): void {
    for (const [second, { waits, unanswered = [] }] of held) {
      if (second >= nowSecond - heldSeconds) continue
      unansweredHeld -= unanswered.length
      if (waits !== undefined) forgotten = Math.max(forgotten, second)
      held.delete(second)
    }
    latest = undefined
  }

  return {
    forget,

    succeeded(arrivedAt, repliedAt) {
      const second = Math.floor(arrivedAt / 1_000)
      const found = at(second)
      found.waits ??= new Uint16Array(1_000)
      const ms = arrivedAt - second * 1_000
      const wait = repliedAt - arrivedAt + 1
      const known = found.waits[ms] ?? 0
      if (known !== 0 && known <= wait) return
      found.waits[ms] = wait
      found.isChanged = true
    },

    notReplied(call) {
      if (unansweredHeld >= unansweredMax) return
      unansweredHeld += 1
      const found = at(Math.floor(call.at / 1_000))
      found.unanswered ??= []
      found.unanswered.push(call)
      found.isChanged = true
    },

    take(wanted, { nowSecond, isLast }) {
      const own = [...held].flatMap(([second, { unanswered }]) =>
        unanswered === undefined ? [] : [second],
      )
      if (own.length === 0 && wanted.size === 0 && !isLast) return []
      const asked = [...new Set([...wanted, ...own])].sort((a, b) => a - b)
      const taken: Slice[] = []
      let before = forgotten
      let next = 0
      for (const second of [...held.keys()].sort((a, b) => a - b)) {
        const one = held.get(second)
        if (one === undefined) continue
        // Skips what a success in a later second has ended: one in the same second may have come before.
        while (next < asked.length && (asked[next] ?? 0) < before) next += 1
        const isAsked = (asked[next] ?? Number.POSITIVE_INFINITY) <= second
        const isNeeded = isAsked || (isLast && second >= nowSecond - freshSeconds)
        if (one.waits !== undefined) before = second
        if (!isNeeded || !one.isChanged) continue
        one.isChanged = false
        taken.push({
          ...names,
          second,
          unanswered: one.unanswered ? writeUnanswered(second, one.unanswered) : null,
          answered: one.waits ? writeAnswered(one.waits) : null,
        })
      }
      return taken
    },

    giveBack(slices) {
      for (const { second } of slices) {
        const one = held.get(second)
        if (one !== undefined) one.isChanged = true
      }
    },
  }
}
