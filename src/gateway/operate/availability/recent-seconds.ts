import type { UnansweredCall } from '../../../registry/availability/outage-rule.ts'
import { writeAnswered } from '../../../registry/availability/slice.ts'
import { addCall, noCalls, textOf, type WaitingCalls } from './waiting-calls.ts'

/**
 * How long a gateway keeps a second of an API version: longer than a call
 * takes, and than a usual outage of the database.
 */
export const keptSeconds = 600
/**
 * Unanswered calls of a version that wait to be written with their ids. Of
 * those above it, only their number by millisecond is kept.
 */
const idsMax = 100_000
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

/** The calls that arrived in one second. */
interface Second {
  /** By millisecond: 1 + the wait of the quickest success that arrived then; 0: none. Undefined: no success. */
  waits: Uint16Array | undefined
  /** Whether there are more successes than were written. */
  isChanged: boolean
  /** Unanswered calls that were not taken yet. */
  unanswered: WaitingCalls | undefined
  /** Slices that were taken and perhaps not written: they are written again as they are. */
  readonly unwritten: Set<Slice>
  /** How many slices of unanswered calls were made. */
  parts: number
}

export interface TakeOptions {
  readonly nowSecond: number
  /** The gateway ends, so it cannot be asked for its latest successes later. */
  readonly isLast: boolean
}

/**
 * The calls of one API version in the last minutes, by the second of their
 * arrival, for the outages that gateways find together. A second goes through
 * these states: calls arrive (`succeeded`, `notReplied`); its slices are taken
 * and written, or given back; it is forgotten after {@link keptSeconds}. While
 * all calls succeed nothing is taken.
 *
 * Memory: 2 KB for each second with successes, about 150 bytes for each unanswered call that waits.
 */
export class RecentSeconds {
  readonly #names: { readonly api: string; readonly version: string }
  readonly #seconds = new Map<number, Second>()
  /** The second of the latest call, which most calls share. */
  #latest: { readonly number: number; readonly second: Second } | undefined
  /** The newest second with successes that was written and then forgotten. */
  #lastForgottenSuccess = Number.NEGATIVE_INFINITY
  /** Seconds in which any gateway had unanswered calls, when these were last asked for. */
  #outageSeconds: readonly number[] = []
  /** Unanswered calls that wait with their ids, those of unwritten slices included. */
  #idsWaiting = 0
  /** How many calls with ids a slice has. */
  readonly #idsIn = new WeakMap<Slice, number>()

  constructor(names: { readonly api: string; readonly version: string }) {
    this.#names = names
  }

  /** @param at milliseconds since 1970, as is `repliedAt` */
  succeeded(at: number, repliedAt: number): void {
    const number = Math.floor(at / 1_000)
    const second = this.#secondOf(number)
    second.waits ??= new Uint16Array(1_000)
    const ms = at - number * 1_000
    const wait = repliedAt - at + 1
    const before = second.waits[ms] ?? 0
    if (before !== 0 && before <= wait) return
    second.waits[ms] = wait
    second.isChanged = true
  }

  notReplied(call: UnansweredCall): void {
    const second = this.#secondOf(Math.floor(call.at / 1_000))
    second.unanswered ??= noCalls()
    this.#idsWaiting += addCall(second.unanswered, call, this.#idsWaiting >= idsMax)
  }

  /** Whether unanswered calls wait to be taken. */
  hasUnanswered(): boolean {
    return [...this.#seconds.values()].some(
      ({ unanswered, unwritten }) => unanswered !== undefined || unwritten.size > 0,
    )
  }

  /**
   * Takes what the other gateways need: each second with unanswered calls; the
   * successes in such a second, of any gateway; and the first second with
   * successes after it. An unanswered call is taken once and then forgotten.
   *
   * @param outageSeconds seconds in which any gateway has unanswered calls
   */
  take(outageSeconds: ReadonlySet<number>, { nowSecond, isLast }: TakeOptions): Slice[] {
    this.#outageSeconds = [...outageSeconds]
    const waiting = this.#numbersWhere(
      ({ unanswered, parts }) => unanswered !== undefined || parts > 0,
    )
    if (outageSeconds.size === 0 && waiting.length === 0 && !isLast) return []
    const needed = this.#neededFor([...outageSeconds, ...waiting])
    const taken: Slice[] = []
    for (const [number, second] of this.#inOrder()) {
      taken.push(...this.#takeUnanswered(number, second))
      const isNeeded = needed.has(number) || (isLast && number >= nowSecond - freshSeconds)
      if (!isNeeded || !second.isChanged || second.waits === undefined) continue
      second.isChanged = false
      taken.push(this.#slice(number, { part: 0, answered: writeAnswered(second.waits) }))
    }
    return taken
  }

  /** The slices may not have been written. */
  giveBack(slices: readonly Slice[]): void {
    for (const slice of slices) {
      const second = this.#seconds.get(slice.second)
      if (second === undefined) continue
      if (slice.part === 0) {
        second.isChanged = true
        continue
      }
      second.unwritten.add(slice)
      this.#idsWaiting += this.#idsIn.get(slice) ?? 0
    }
  }

  /**
   * Drops what is too old, even while nothing can be written; but not the
   * first success after an unanswered call that was written, so that its
   * outage ends.
   */
  forget(nowSecond: number): void {
    this.#latest = undefined
    const old = [...this.#seconds].filter(([number]) => number < nowSecond - keptSeconds)
    if (old.length === 0) return
    const written = this.#numbersWhere(({ parts }) => parts > 0)
    this.#outageSeconds = [...new Set([...this.#outageSeconds, ...written])]
    const needed = this.#neededFor(this.#outageSeconds)
    for (const [number, second] of old) {
      const { waits, isChanged, unanswered, unwritten } = second
      if (waits !== undefined && isChanged && needed.has(number)) continue
      this.#idsWaiting -= unanswered?.calls.length ?? 0
      for (const slice of unwritten) this.#idsWaiting -= this.#idsIn.get(slice) ?? 0
      if (waits !== undefined && !isChanged) {
        this.#lastForgottenSuccess = Math.max(this.#lastForgottenSuccess, number)
      }
      this.#seconds.delete(number)
    }
  }

  #secondOf(number: number): Second {
    if (this.#latest?.number === number) return this.#latest.second
    let second = this.#seconds.get(number)
    if (second === undefined) {
      second = {
        waits: undefined,
        isChanged: false,
        unanswered: undefined,
        unwritten: new Set(),
        parts: 0,
      }
      this.#seconds.set(number, second)
    }
    this.#latest = { number, second }
    return second
  }

  #inOrder(): [number, Second][] {
    return [...this.#seconds].sort(([a], [b]) => a - b)
  }

  #numbersWhere(isMeant: (second: Second) => boolean): number[] {
    return [...this.#seconds].flatMap(([number, second]) => (isMeant(second) ? [number] : []))
  }

  /**
   * Seconds whose calls may belong to an outage of the given seconds: those,
   * and up to the first later one with successes.
   */
  #neededFor(outageSeconds: readonly number[]): ReadonlySet<number> {
    const outages = [...new Set(outageSeconds)].sort((a, b) => a - b)
    const needed = new Set<number>()
    let lastSuccess = this.#lastForgottenSuccess
    let next = 0
    for (const [number, { waits }] of this.#inOrder()) {
      // Skips what a success in a later second has ended: one in the same second may have come before.
      while (next < outages.length && (outages[next] ?? 0) < lastSuccess) next += 1
      if ((outages[next] ?? Number.POSITIVE_INFINITY) <= number) needed.add(number)
      if (waits !== undefined) lastSuccess = number
    }
    return needed
  }

  #takeUnanswered(number: number, second: Second): Slice[] {
    const slices = [...second.unwritten]
    second.unwritten.clear()
    if (second.unanswered !== undefined) {
      second.parts += 1
      const text = textOf(number, second.unanswered)
      const slice = this.#slice(number, { part: second.parts, unanswered: text })
      this.#idsIn.set(slice, second.unanswered.calls.length)
      second.unanswered = undefined
      slices.push(slice)
    }
    for (const slice of slices) this.#idsWaiting -= this.#idsIn.get(slice) ?? 0
    return slices
  }

  #slice(second: number, content: Pick<Slice, 'part'> & Partial<Slice>): Slice {
    return { ...this.#names, second, unanswered: null, answered: null, ...content }
  }
}
