// The rule of downtime, and nothing else: everything that is stored, merged and shown of outages goes through here.
//
// EBA/GL/2018/07, Guideline 2.4 (c), as we read it: an interface is down when five consecutive requests are not
// replied to, and the five arrive within 30 seconds in total; it does not matter from how many applications they come.
// Downtime begins when the first of the five arrives. It ends when the next request, in order of arrival,
// is answered: at the first byte of that answer. A request between the five that was answered without success (an
// error of the bank, a refusal) neither breaks the series nor belongs to it: only a success breaks it.

/** Unanswered requests that make an outage. */
export const seriesLength = 5
/** Within which they arrive, from the first to the last. */
export const seriesMs = 30_000

/** A request that was not replied to. Times are whole milliseconds since 1970. */
export interface UnansweredCall {
  readonly at: number
  /** Its X-Request-ID; empty: only the number of such calls was kept. */
  readonly id: string
  /** Null: refused before the application was known. */
  readonly applicationId: string | null
  /** As call records name it. */
  readonly outcome: string
}

/** The requests of one millisecond that were answered with success. */
export interface Success {
  /** When they arrived. */
  readonly at: number
  /** When the first answer came. */
  readonly repliedAt: number
}

/** A call named as evidence. */
export interface NamedCall {
  readonly at: number
  readonly id: string
}

/** What was not replied to in one second of an outage. */
export interface OutageSecond {
  /** Since 1970. */
  readonly second: number
  calls: number
  /** The first call. */
  readonly firstId: string
}

/** A time in which an interface was down, with the calls behind it. */
export interface Outage {
  readonly from: number
  /** Null: not yet. */
  until: number | null
  /** When the request arrived that was answered again. */
  answeredCallAt: number | null
  /** The five requests with which it began. */
  readonly series: readonly NamedCall[]
  last: NamedCall
  calls: number
  /** Numbers of unanswered calls: by application (empty: unknown), then by outcome. */
  readonly applications: Record<string, Record<string, number>>
  /** Oldest first; seconds without an unanswered call are missing. */
  readonly seconds: OutageSecond[]
}

/** State of the rule between two calls. */
export interface RuleState {
  /** Unanswered calls since the last success that may still become the first of five: at most four. */
  pending: readonly UnansweredCall[]
  open: Outage | undefined
}

/** Before the first call. */
export function noCallsYet(): RuleState {
  return { pending: [], open: undefined }
}

/**
 * Applies the rule to the calls of all gateways, which arrived after those that
 * `state` has seen. Of calls that arrived in the same millisecond, the answered
 * ones count as the earlier ones. That makes the order the same whichever
 * gateway took a call: merging what several gateways stored loses nothing.
 *
 * @param state changes
 * @param successes in any order, of any number of gateways
 * @param unanswered in any order
 * @returns the outages that ended
 */
export function applyRule(
  state: RuleState,
  successes: readonly Success[],
  unanswered: readonly UnansweredCall[],
): Outage[] {
  const answered = [...successes].sort((a, b) => a.at - b.at || a.repliedAt - b.repliedAt)
  const failed = [...unanswered].sort((a, b) => a.at - b.at || compareIds(a.id, b.id))
  const ended: Outage[] = []
  let next = 0
  for (const call of failed) {
    for (; next < answered.length; next += 1) {
      const success = answered[next]
      if (success === undefined || success.at > call.at) break
      succeeded(state, success, ended)
    }
    notReplied(state, call)
  }
  for (const success of answered.slice(next)) {
    if (state.open === undefined && state.pending.length === 0) break
    succeeded(state, success, ended)
  }
  return ended
}

/** Calls with a name first: they are evidence. */
function compareIds(a: string, b: string): number {
  if (a === b) return 0
  if (a === '' || b === '') return a === '' ? 1 : -1
  return a < b ? -1 : 1
}

function succeeded(state: RuleState, { at, repliedAt }: Success, ended: Outage[]): void {
  // One that a gateway could not write for a long time may be reported after calls that came later:
  // it ended nothing of theirs.
  state.pending = state.pending.filter((call) => call.at >= at)
  if (state.open === undefined || at <= state.open.last.at) return
  state.open.until = repliedAt
  state.open.answeredCallAt = at
  ended.push(state.open)
  state.open = undefined
}

function notReplied(state: RuleState, call: UnansweredCall): void {
  if (state.open !== undefined) {
    add(state.open, call)
    return
  }
  const candidates = [...state.pending, call].sort((a, b) => a.at - b.at)
  const newest = candidates.at(-1) ?? call
  // A call that came more than 30 s before can no longer be the first of five.
  const series = candidates.filter(({ at }) => newest.at - at <= seriesMs)
  const first = series[0] ?? call
  if (series.length < seriesLength) {
    state.pending = series
    return
  }
  state.pending = []
  state.open = {
    from: first.at,
    until: null,
    answeredCallAt: null,
    series: series.map(({ at, id }) => ({ at, id })),
    last: newest,
    calls: 0,
    applications: {},
    seconds: [],
  }
  for (const one of series) add(state.open, one)
}

function add(outage: Outage, { at, id, applicationId, outcome }: UnansweredCall): void {
  outage.calls += 1
  if (at >= outage.last.at) outage.last = { at, id }
  const outcomes = outage.applications[applicationId ?? ''] ?? {}
  outage.applications[applicationId ?? ''] = outcomes
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  const second = Math.floor(at / 1_000)
  const latest = outage.seconds.at(-1)
  if (latest?.second === second) latest.calls += 1
  else outage.seconds.push({ second, calls: 1, firstId: id })
}
