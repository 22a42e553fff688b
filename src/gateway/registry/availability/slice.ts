import type { Success, UnansweredCall } from './outage-rule.ts'

/** What one gateway says of one second (by arrival) of an API version, as texts for the database. */
export interface SliceTexts {
  /** Null: it has none. */
  readonly unanswered: string | null
  readonly answered: string | null
}

/** Names once what many calls of a second share. */
interface UnansweredText {
  readonly applications: (string | null)[]
  readonly outcomes: string[]
  /** Millisecond of the second, id, and the places of application and outcome. */
  readonly calls: [number, string, number, number][]
}

/** Writes the unanswered calls of a second. */
export function writeUnanswered(second: number, calls: readonly UnansweredCall[]): string {
  const text: UnansweredText = { applications: [], outcomes: [], calls: [] }
  for (const { at, id, applicationId, outcome } of calls) {
    const application = placeOf(text.applications, applicationId)
    text.calls.push([at - second * 1_000, id, application, placeOf(text.outcomes, outcome)])
  }
  return JSON.stringify(text)
}

function placeOf<Value>(list: Value[], value: Value): number {
  const known = list.indexOf(value)
  return known >= 0 ? known : list.push(value) - 1
}

/** Reads what {@link writeUnanswered} wrote. */
export function readUnanswered(second: number, text: string): UnansweredCall[] {
  // Written by a gateway.
  const { applications, outcomes, calls } = JSON.parse(text) as UnansweredText
  return calls.map(([ms, id, application, outcome]) => ({
    at: second * 1_000 + ms,
    id,
    applicationId: applications[application] ?? null,
    outcome: outcomes[outcome] ?? '',
  }))
}

/**
 * Writes the successes of a second.
 *
 * @param waits by millisecond of the second: 1 + how many milliseconds its quickest call waited for its answer; 0: none
 */
export function writeAnswered(waits: Uint16Array): string {
  const pairs: number[] = []
  for (const [ms, wait] of waits.entries()) if (wait > 0) pairs.push(ms, wait - 1)
  return JSON.stringify(pairs)
}

/** Reads what {@link writeAnswered} wrote. */
export function readAnswered(second: number, text: string): Success[] {
  // Written by a gateway.
  const pairs = JSON.parse(text) as number[]
  return Array.from({ length: pairs.length / 2 }, (_, index) => {
    const at = second * 1_000 + (pairs[index * 2] ?? 0)
    return { at, repliedAt: at + (pairs[index * 2 + 1] ?? 0) }
  })
}
