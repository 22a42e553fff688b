import { quantile } from './judge.ts'
import type { LatencyFigures, Outcome } from './outcome.ts'

/** Writes what a run found as the tables of `docs/faults.md`. */
export function faultTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(
    ({ id, title, calls, windows, retries, latency, backMs, violations }) => {
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
        violations.length === 0 ? 'holds' : `**${violations.join('; ')}**`,
      ]
    },
  )
  return table(
    [
      ...[
        '',
        'Experiment',
        'Calls',
        'Windows: healthy / faulted / slow',
        'Most admitted: healthy / other',
      ],
      ...[
        'Added p99: first',
        'open',
        'Slowest',
        'Shared again after',
        'Retry-After: read / obeyed',
        '',
      ],
    ],
    rows,
  )
}

/** What is promised over the whole run, beside what was measured. */
export interface Promised {
  readonly what: string
  readonly measured: string
  readonly allowed: string
  /** Undefined: this run cannot tell. */
  readonly isKept: boolean | undefined
}

/** Judges what only many calls can tell. */
export function promises(outcomes: readonly Outcome[]): Promised[] {
  const sum = (value: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + value(outcome), 0)
  const most = (value: (outcome: Outcome) => number): number =>
    outcomes.reduce((found, outcome) => Math.max(found, value(outcome)), 0)
  const none = (what: string, count: number, of: string): Promised => ({
    ...{ what, measured: `${count} ${of}`, allowed: '0', isKept: count === 0 },
  })
  const healthy = sum(({ windows }) => windows.healthy)
  const full = sum(({ windows }) => windows.full)
  const mostHealthy = most(({ windows }) => windows.mostHealthy)
  const mostFaulted = most(({ windows }) => windows.mostFaulted)
  const retries = sum((outcome) => outcome.retries.checked)
  const strangers = sum((outcome) => outcome.honesty.strangers)
  const calls = sum((outcome) => outcome.calls)
  const back = most((outcome) => outcome.backMs ?? 0)
  const failovers = outcomes.filter(({ lost }) => lost !== undefined)
  const mostAfter = Math.max(0, ...failovers.map(({ windows }) => windows.mostHealthy))
  const undecided = sum(({ windows }) => windows.undecided)
  return [
    {
      what: 'admitted in a healthy window',
      measured: `${mostHealthy} at most in ${healthy} windows; exactly the limit in ${full - sum(({ windows }) => windows.short)} of ${full} that were offered as much`,
      allowed: '100',
      isKept: mostHealthy <= 100 && sum(({ windows }) => windows.short) === 0,
    },
    none(
      'counter values given twice',
      sum((o) => o.windows.duplicates),
      `in ${healthy} windows`,
    ),
    {
      what: 'admitted in a faulted window, or one in which a deadline was missed',
      measured: `${mostFaulted} at most in ${sum(({ windows }) => windows.faulted)} and ${sum(({ windows }) => windows.slow)} windows`,
      allowed: '175; 200 when a gateway or a counter was replaced',
      isKept: !outcomes.some(({ violations }) =>
        violations.some((text) => text.includes('admitted in a faulted')),
      ),
    },
    {
      what: 'windows above that if calls at their edges were theirs',
      measured: `${undecided}; ${sum(({ windows }) => windows.ambiguous)} of ${calls} calls at an edge`,
      allowed: '0',
      isKept: undecided === 0 ? true : undefined,
    },
    {
      what: 'admitted in windows after a failover',
      measured: `${mostAfter} at most; replication had lost ${failovers.map(({ lost }) => lost).join(', ')} increments`,
      allowed: '100 and what was lost',
      isKept: mostAfter <= 100,
    },
    none(
      '5xx for a call that had to be counted',
      sum((o) => o.honesty.serverErrors),
      `of ${calls}`,
    ),
    none(
      'calls without an answer',
      sum((o) => o.honesty.unanswered),
      `of ${calls}`,
    ),
    none(
      'calls the backend saw that were not counted',
      sum((o) => o.honesty.uncounted),
      `of ${calls}`,
    ),
    none(
      'POSTs sent twice',
      sum((o) => o.honesty.sentTwicePost),
      `of ${sum((o) => o.honesty.posts)}`,
    ),
    none(
      'strangers not told 401, known callers told 401',
      sum((o) => o.honesty.swaps),
      `of ${strangers} and ${calls}`,
    ),
    none(
      'Retry-After too early, or refused after it',
      sum((o) => o.retries.early + o.retries.againRefused),
      `of ${retries} read, ${sum((o) => o.retries.again)} obeyed`,
    ),
    none(
      'Retry-After more than a second late',
      sum((o) => o.retries.late),
      `of ${retries}`,
    ),
    addedPromise(outcomes, 'first', 260),
    addedPromise(outcomes, 'open', 5),
    {
      what: 'counts shared again after the store accepted writes; after a loss, when all gateways have brought their counts',
      measured: `${milliseconds(back)} ms at most`,
      allowed: '1000 ms; after a loss 2000 ms, 6000 ms when a gateway was killed too',
      isKept: judgedText(outcomes, 'back after'),
    },
    {
      what: 'the slowest call, the backend answering at once',
      measured: `${milliseconds(most(({ latency }) => latency.slowest))} ms, of calls that need no store ${milliseconds(most(({ latency }) => latency.idleSlowest))} ms`,
      allowed: '300 ms',
      isKept: judgedText(outcomes, 'a call took'),
    },
  ]
}

/** Whether something was kept that each experiment judged by itself. */
function judgedText(outcomes: readonly Outcome[], beginning: string): boolean | undefined {
  const has = (texts: readonly string[]): boolean =>
    texts.some((text) => text.startsWith(beginning))
  if (outcomes.some(({ violations }) => has(violations))) return false
  return outcomes.some(({ unjudged }) => has(unjudged)) ? undefined : true
}

export function promiseTable(promised: readonly Promised[]): string {
  return table(
    ['Promise', 'Measured', 'Allowed', ''],
    promised.map(({ what, measured, allowed, isKept }) => [
      ...[what, measured, allowed],
      isKept === undefined
        ? 'not judged: the machine was too slow'
        : isKept
          ? 'holds'
          : '**broken**',
    ]),
  )
}

/** A healthy p99 above this is the machine's, not ours. */
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

/** Over all experiments, because the p99 of the calls of one would be its slowest or second slowest. */
function addedPromise(outcomes: readonly Outcome[], phase: Phase, allowedMs: number): Promised {
  const all = (name: keyof LatencyFigures): number[] =>
    outcomes.flatMap(({ latency }) => {
      const list = latency[name]
      return typeof list === 'number' ? [] : [...list]
    })
  const pooled: LatencyFigures = {
    ...{ healthy: all('healthy'), first: all('first'), open: all('open') },
    ...{ idleHealthy: all('idleHealthy'), idleFirst: all('idleFirst'), idleOpen: all('idleOpen') },
    ...{ slowest: 0, idleSlowest: 0 },
  }
  const { store, machine } = added(pooled, phase)
  // When calls are as slow without a fault, or others become slower too, it is the machine.
  const isStalled = quantile(pooled.healthy, 0.99) > stalledMs
  const isExplained = store > allowedMs && store - Math.max(0, machine) <= allowedMs
  const isKept = isStalled || isExplained ? undefined : store <= allowedMs
  return {
    what: `added p99, ${phase === 'first' ? 'until the gateway stops asking' : 'from then until the end of the fault'}`,
    measured: `${milliseconds(Math.max(0, store))} ms over ${pooled[phase].length} calls; healthy p99 ${milliseconds(quantile(pooled.healthy, 0.99))} ms, calls that need no store ${machine < 0 ? '' : '+'}${milliseconds(machine)} ms`,
    allowed: `${allowedMs} ms`,
    isKept,
  }
}

function milliseconds(value: number): string {
  return Math.abs(value) < 10 ? value.toFixed(1) : value.toFixed(0)
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
