import { quantile } from './judge.ts'
import type { LatencyFigures, Outcome } from './outcome.ts'

/** Formats every experiment of a run with all its figures. */
export function faultTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(
    ({ id, title, calls, windows, retries, latency, backMs, violations, unjudged }) => {
      const { healthy, faulted, slow, mostHealthy, mostFaulted } = windows
      return [
        id,
        title,
        calls,
        `${healthy} / ${faulted} / ${slow}`,
        `${healthy === 0 ? '–' : mostHealthy} / ${faulted + slow === 0 ? '–' : mostFaulted}`,
        addedText(latency, 'first'),
        addedText(latency, 'open'),
        latency.slowest === 0 ? '–' : milliseconds(latency.slowest),
        backMs === undefined ? '–' : milliseconds(backMs),
        `${retries.checked} / ${retries.again}`,
        verdictOf({ violations, unjudged }),
      ]
    },
  )
  return table(
    [
      'Group',
      'Experiment',
      'Calls',
      'Windows: healthy / faulted / slow',
      'Most calls admitted: healthy / other windows',
      'Added p99: first',
      'later',
      'Slowest call',
      'Counts shared again after',
      'Retry-After: checked / followed',
      'Verdict',
    ],
    rows,
  )
}

/** Formats the results of a run as the table of groups in `docs/evidence/faults.md`. */
export function groupTable(outcomes: readonly Outcome[]): string {
  const groups = Map.groupBy(outcomes, ({ id }) => id)
  const most = (values: readonly number[]): string =>
    values.length === 0 ? '–' : milliseconds(Math.max(...values))
  const rows = Array.from(groups, ([id, ofGroup]) => {
    const bounded = ofGroup.filter(({ windows }) => windows.faulted + windows.slow > 0)
    return [
      id,
      ofGroup.length,
      bounded.length === 0 ? '–' : Math.max(...bounded.map(({ windows }) => windows.mostFaulted)),
      most(ofGroup.map(({ latency }) => latency.slowest).filter((slowest) => slowest > 0)),
      most(ofGroup.flatMap(({ backMs }) => backMs ?? [])),
      verdictOf({
        violations: ofGroup.flatMap(({ violations }) => violations),
        unjudged: ofGroup.flatMap(({ unjudged }) => unjudged),
      }),
    ]
  })
  return table(
    [
      'Group',
      'Experiments',
      'Most calls admitted in a faulted or slow window',
      'Slowest call',
      'Counts shared again after',
      'Verdict',
    ],
    rows,
  )
}

function verdictOf({ violations, unjudged }: Pick<Outcome, 'violations' | 'unjudged'>): string {
  if (violations.length > 0) return `**${violations.join('; ')}**`
  return unjudged.length > 0 ? `not judged: ${unjudged.join('; ')}` : 'holds'
}

/** A guarantee over the whole run, with its measurement. */
export interface Promised {
  readonly what: string
  readonly measured: string
  readonly allowed: string
  /** Undefined: inconclusive, because the machine was too slow or nothing was there to judge. */
  readonly isKept: boolean | undefined
}

/** Judges the guarantees that need many calls. */
export function promises(outcomes: readonly Outcome[]): Promised[] {
  const sum = (value: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + value(outcome), 0)
  const most = (value: (outcome: Outcome) => number): number =>
    outcomes.reduce((found, outcome) => Math.max(found, value(outcome)), 0)
  const none = (what: string, count: number, of: string, seen: readonly number[]): Promised => ({
    what,
    measured: `${count} ${of}`,
    allowed: '0',
    isKept: provided(count === 0, ...seen),
  })
  const healthy = sum(({ windows }) => windows.healthy)
  const full = sum(({ windows }) => windows.full)
  const faulted = sum(({ windows }) => windows.faulted)
  const slow = sum(({ windows }) => windows.slow)
  const mostHealthy = most(({ windows }) => windows.mostHealthy)
  const mostFaulted = most(({ windows }) => windows.mostFaulted)
  const retries = sum((outcome) => outcome.retries.checked)
  const again = sum((outcome) => outcome.retries.again)
  const posts = sum((outcome) => outcome.honesty.posts)
  const strangers = sum((outcome) => outcome.honesty.strangers)
  const calls = sum((outcome) => outcome.calls)
  const backs = outcomes.flatMap(({ backMs }) => backMs ?? [])
  const failovers = outcomes.filter(({ lost }) => lost !== undefined)
  const mostAfter = Math.max(0, ...failovers.map(({ windows }) => windows.mostHealthy))
  const undecided = sum(({ windows }) => windows.undecided)
  return [
    {
      what: 'calls admitted per healthy window',
      measured: `${mostHealthy} at most in ${healthy} windows; exactly the limit in ${full - sum(({ windows }) => windows.short)} of ${full} that got at least as many calls`,
      allowed: '100',
      isKept: provided(mostHealthy <= 100 && sum(({ windows }) => windows.short) === 0, full),
    },
    none(
      'calls that got the same counter value as another call',
      sum((o) => o.windows.duplicates),
      `in ${healthy} windows`,
      [healthy],
    ),
    {
      what: 'calls admitted per faulted or slow window',
      measured: `${mostFaulted} at most in ${faulted} faulted and ${slow} slow windows`,
      allowed:
        '175; 200 if a gateway restarted or a counter was overwritten, 275 if one was evicted',
      isKept: provided(
        !outcomes.some(({ violations }) =>
          violations.some((text) => text.includes('admitted in a faulted')),
        ),
        faulted + slow,
      ),
    },
    {
      what: 'windows that would exceed this if all calls at their edges counted in them',
      measured: `${undecided}; ${sum(({ windows }) => windows.ambiguous)} of ${calls} calls were at an edge`,
      allowed: '0',
      isKept: undecided === 0 ? provided(true, calls) : undefined,
    },
    {
      what: 'calls admitted per healthy window around a failover',
      measured: `${mostAfter} at most; the failovers lost ${failovers.map(({ lost }) => lost).join(', ')} increments`,
      allowed: '100 plus the increments that were lost',
      isKept: provided(
        mostAfter <= 100,
        failovers.reduce((total, { windows }) => total + windows.healthy, 0),
      ),
    },
    none(
      'calls with a valid key that got a 5xx',
      sum((o) => o.honesty.serverErrors),
      `of ${calls}`,
      [calls],
    ),
    none(
      'calls without an answer',
      sum((o) => o.honesty.unanswered),
      `of ${calls}`,
      [calls],
    ),
    none(
      'calls that reached the backend without being counted',
      sum((o) => o.honesty.uncounted),
      `of ${calls}`,
      [calls],
    ),
    none(
      'POSTs that reached the backend twice',
      sum((o) => o.honesty.sentTwicePost),
      `of ${posts}`,
      [posts],
    ),
    none(
      'calls with an unknown key that did not get 401, and calls with a valid key that did',
      sum((o) => o.honesty.swaps),
      `of ${strangers} and of ${calls}`,
      [strangers, calls],
    ),
    none(
      'Retry-After values before the reset, and calls refused although they waited',
      sum((o) => o.retries.early + o.retries.againRefused),
      `of ${retries} checked and ${again} followed`,
      [retries, again],
    ),
    none(
      'Retry-After values more than a second after the reset',
      sum((o) => o.retries.late),
      `of ${retries}`,
      [retries],
    ),
    addedPromise(outcomes, 'first', 260),
    addedPromise(outcomes, 'open', 5),
    {
      what: 'time until all gateways count in Redis again, from its first accepted write',
      measured: `${milliseconds(Math.max(0, ...backs))} ms at most`,
      allowed: '1000 ms; 2000 ms if counts were lost; 6000 ms if a gateway was killed too',
      isKept: provided(judgedText(outcomes, 'back after'), backs.length),
    },
    {
      what: 'slowest call, with a backend that answers at once',
      measured: `${milliseconds(most(({ latency }) => latency.slowest))} ms; without a store ${milliseconds(most(({ latency }) => latency.idleSlowest))} ms`,
      allowed: '300 ms',
      isKept: provided(
        judgedText(outcomes, 'a call took'),
        most(({ latency }) => latency.slowest),
      ),
    },
  ]
}

/** The verdict; undefined if a guarantee seems kept but one of its figures is 0. A broken guarantee stays broken. */
function provided(isKept: boolean | undefined, ...figures: readonly number[]): boolean | undefined {
  return isKept === true && !figures.every((figure) => figure > 0) ? undefined : isKept
}

/** Whether a guarantee was kept that each experiment judges separately. */
function judgedText(outcomes: readonly Outcome[], beginning: string): boolean | undefined {
  const has = (texts: readonly string[]): boolean =>
    texts.some((text) => text.startsWith(beginning))
  if (outcomes.some(({ violations }) => has(violations))) return false
  return outcomes.some(({ unjudged }) => has(unjudged)) ? undefined : true
}

export function promiseTable(promised: readonly Promised[]): string {
  return table(
    ['Guarantee', 'Measured', 'Allowed', 'Verdict'],
    promised.map(({ what, measured, allowed, isKept }) => [
      what,
      measured,
      allowed,
      isKept === undefined
        ? '**not judged**: the machine was too slow, or nothing was there to judge'
        : isKept
          ? 'holds'
          : '**broken**',
    ]),
  )
}

/** If the healthy p99 is above this, the machine is the cause, not the gateway. */
const stalledMs = 40

type Phase = 'first' | 'open'

/** What the fault added to the p99, and what the machine added to calls that need no store. */
function added(latency: LatencyFigures, phase: Phase): { store: number; machine: number } {
  const during = phase === 'first' ? latency.first : latency.open
  const idleDuring = phase === 'first' ? latency.idleFirst : latency.idleOpen
  return {
    store: quantile(during, 0.99) - quantile(latency.healthy, 0.99),
    machine: quantile(idleDuring, 0.99) - quantile(latency.idleHealthy, 0.99),
  }
}

function addedText(latency: LatencyFigures, phase: Phase): string {
  return latency[phase].length === 0 ? '–' : milliseconds(Math.max(0, added(latency, phase).store))
}

/** Over all experiments, because the p99 of a single one would be its slowest or second-slowest call. */
function addedPromise(outcomes: readonly Outcome[], phase: Phase, allowedMs: number): Promised {
  const all = (name: keyof LatencyFigures): number[] =>
    outcomes.flatMap(({ latency }) => {
      const list = latency[name]
      return typeof list === 'number' ? [] : [...list]
    })
  const pooled: LatencyFigures = {
    healthy: all('healthy'),
    first: all('first'),
    open: all('open'),
    idleHealthy: all('idleHealthy'),
    idleFirst: all('idleFirst'),
    idleOpen: all('idleOpen'),
    slowest: 0,
    idleSlowest: 0,
  }
  const { store, machine } = added(pooled, phase)
  // If calls are as slow without a fault, or calls that need no store slow down too, the machine is the cause.
  const isStalled = quantile(pooled.healthy, 0.99) > stalledMs
  const isExplained = store > allowedMs && store - Math.max(0, machine) <= allowedMs
  const isKept = isStalled || isExplained ? undefined : store <= allowedMs
  const seen = [pooled.healthy.length, pooled[phase].length]
  return {
    what: `time added to the p99, ${phase === 'first' ? 'until the gateway stops asking Redis' : 'from then until the fault ends'}`,
    measured: `${milliseconds(Math.max(0, store))} ms over ${pooled[phase].length} calls; p99 without a fault ${milliseconds(quantile(pooled.healthy, 0.99))} ms, calls that need no store ${machine < 0 ? '' : '+'}${milliseconds(machine)} ms`,
    allowed: `${allowedMs} ms`,
    isKept: provided(isKept, ...seen),
  }
}

function milliseconds(value: number): string {
  return Math.abs(value) < 10 ? value.toFixed(1) : value.toFixed(0)
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
