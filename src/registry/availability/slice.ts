import type { Success, UnansweredCall } from './outage-rule.ts'

/** Unanswered calls of a second whose ids are not kept. */
export interface CountedCalls {
  /** By millisecond of the second. */
  readonly byMs: Uint16Array
  readonly kinds: Map<string, CallsOfKind>
}

interface CallsOfKind {
  readonly applicationId: string | null
  readonly outcome: string
  calls: number
}

/** Names once what many calls of a second share. */
interface UnansweredText {
  readonly applications: (string | null)[]
  readonly outcomes: string[]
  /** Millisecond of the second, id, and the places of application and outcome. */
  readonly calls: [number, string, number, number][]
  /** Further calls: alternating milliseconds and numbers. */
  readonly counted?: number[]
  /** The same calls: places of application and outcome, and how many. */
  readonly kinds?: [number, number, number][]
}

/** Writes the unanswered calls of a second. */
export function writeUnanswered(
  second: number,
  calls: readonly UnansweredCall[],
  more?: CountedCalls,
): string {
  const text: UnansweredText = { applications: [], outcomes: [], calls: [] }
  for (const { at, id, applicationId, outcome } of calls) {
    const application = placeOf(text.applications, applicationId)
    text.calls.push([at - second * 1_000, id, application, placeOf(text.outcomes, outcome)])
  }
  if (more === undefined) return JSON.stringify(text)
  const kinds = [...more.kinds.values()].map(({ applicationId, outcome, calls: count }) => [
    placeOf(text.applications, applicationId),
    placeOf(text.outcomes, outcome),
    count,
  ])
  return JSON.stringify({ ...text, counted: pairsOf(more.byMs, 0), kinds })
}

function placeOf<Value>(list: Value[], value: Value): number {
  const known = list.indexOf(value)
  return known >= 0 ? known : list.push(value) - 1
}

/**
 * Reads what {@link writeUnanswered} wrote. Calls that were only counted have
 * no id; how many each application has is known, but not when.
 */
export function readUnanswered(second: number, text: string): UnansweredCall[] {
  // Written by a gateway.
  const {
    applications,
    outcomes,
    calls,
    counted = [],
    kinds = [],
  } = JSON.parse(text) as UnansweredText
  const call = (ms: number, id: string, application: number, outcome: number) => ({
    at: second * 1_000 + ms,
    id,
    applicationId: applications[application] ?? null,
    outcome: outcomes[outcome] ?? '',
  })
  const times = counted.flatMap((ms, index) =>
    index % 2 === 0 ? new Array<number>(counted[index + 1] ?? 0).fill(ms) : [],
  )
  const owners = kinds.flatMap(([application, outcome, count]) =>
    new Array<[number, number]>(count).fill([application, outcome]),
  )
  return [
    ...calls.map(([ms, id, application, outcome]) => call(ms, id, application, outcome)),
    ...times.map((ms, index) => call(ms, '', ...(owners[index] ?? ([-1, -1] as const)))),
  ]
}

/**
 * Writes the successes of a second.
 *
 * @param waits by millisecond of the second: 1 + how many milliseconds its quickest call waited for its answer; 0: none
 */
export function writeAnswered(waits: Uint16Array): string {
  return JSON.stringify(pairsOf(waits, 1))
}

/** Each millisecond that has a value, and the value without what marks it. */
function pairsOf(values: Uint16Array, mark: number): number[] {
  const pairs: number[] = []
  for (const [ms, value] of values.entries()) if (value > 0) pairs.push(ms, value - mark)
  return pairs
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
