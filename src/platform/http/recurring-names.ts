import { ownCopy } from '../own-copy.ts'

/** Names that are kept of a message; few messages have more. */
const keptMax = 40
/** Longer names are rare. */
const keptLengthMax = 64

/**
 * The names of the fields of the last message on a connection. The next one
 * mostly has the same, in the same order. A text that was there before needs no
 * memory, and V8 need not look it up among its strings when a map is asked for
 * it: such look-ups took 1.7 % of a call. Names of a connection take at most 3.5 KB.
 */
export class RecurringNames {
  readonly #kept: string[] = []
  #next = 0

  /** Begins a message. */
  begin(): void {
    this.#next = 0
  }

  /** The part of a text that is the next name. */
  take(text: string, begin: number, end: number): string {
    const at = this.#next
    this.#next += 1
    const kept = this.#kept[at]
    if (kept?.length === end - begin && text.startsWith(kept, begin)) return kept
    const name = text.slice(begin, end)
    if (at >= keptMax || name.length > keptLengthMax) return name
    const own = ownCopy(name)
    this.#kept[at] = own
    return own
  }
}
