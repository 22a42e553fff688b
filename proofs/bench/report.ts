import { cpus } from 'node:os'
import Table from 'cli-table3'
import { figure as noteFigure } from '../figure.ts'
import { sharing } from './before-others.ts'
import type { BenchOptions } from './options.ts'
import type { Measured, Round } from './rounds.ts'
import { median } from './statistics.ts'
import { versions } from './versions.ts'

/** Prints what the figures were measured on. */
export function printHeader({ rounds, seconds, connections }: BenchOptions): void {
  const date = new Date().toISOString().slice(0, 10)
  print(
    `${date}, ${cpus()[0]?.model.trim()}, Node ${process.versions.node}; target on core 0, the rest on core 1; ${sharing()}; ` +
      `${rounds} alternating rounds of ${seconds} s, ${connections} kept-alive connections, medians; ` +
      'ratios are medians of the ratios of each round',
  )
  print(versions())
}

/** Prints a table without lines between its rows. */
export function printTable(head: string[], rows: readonly string[][]): void {
  const table = new Table({
    head,
    style: { head: [], border: [], compact: true },
    colAligns: head.map((_, index) => (index === 0 ? 'left' : 'right')),
  })
  table.push(...rows)
  print(`\n${table.toString()}`)
}

/** A column that compares processor time per call with that of another subject, round by round. */
export interface Comparison {
  readonly head: string
  readonly to: Measured | undefined
}

/** Prints one line for each subject. */
export function printMeasured(
  title: string,
  measured: readonly Measured[],
  comparisons: readonly Comparison[],
): void {
  printTable(
    [
      title,
      'requests/s',
      'p50 ms',
      'p99 ms',
      'CPU µs/call',
      'KB/call',
      ...comparisons.map(({ head }) => head),
      'resident MB',
    ],
    measured.map((one) => [
      one.subject.name,
      middle(one, 'perSecond').toFixed(0),
      middle(one, 'p50Ms').toFixed(2),
      middle(one, 'p99Ms').toFixed(2),
      middle(one, 'cpuMicrosecondsPerCall').toFixed(1),
      kilobytes(middle(one, 'bytesPerCall')),
      ...comparisons.map(({ to }) =>
        to === undefined ? '' : ratio(one, to, 'cpuMicrosecondsPerCall').toFixed(2),
      ),
      (one.residentBytes / 1e6).toFixed(0),
    ]),
  )
  for (const one of measured) printUnexpected(one)
}

function printUnexpected({ subject, rounds }: Measured): void {
  const sum = (figure: 'requests' | 'unexpected'): number =>
    rounds.reduce((total, round) => total + round[figure], 0)
  if (sum('unexpected') === 0) return
  process.exitCode = 1
  print(
    `NO RESULT  ${subject.name}: ${sum('unexpected')} of ${sum('requests')} answers were not ${subject.expect}`,
  )
}

/** Empty if not known. */
function kilobytes(bytes: number): string {
  return Number.isNaN(bytes) ? '' : (bytes / 1_000).toFixed(1)
}

/** The median of a figure over the rounds. */
export function middle({ rounds }: Measured, figure: keyof Round): number {
  return median(rounds.map((round) => round[figure]))
}

/** The median over the rounds of one's figure in the other's. */
export function ratio(one: Measured, other: Measured, figure: keyof Round): number {
  return median(
    one.rounds.map((round, index) => round[figure] / (other.rounds[index]?.[figure] ?? Number.NaN)),
  )
}

/**
 * Prints a figure beside its goal, and notes it in proofs/runs.md. A goal that is missed, or has no finite figure, fails the
 * proof.
 */
export function printGoal(name: string, figure: number, goal: Goal): void {
  const isMet =
    Number.isFinite(figure) && ('atMost' in goal ? figure <= goal.atMost : figure >= goal.atLeast)
  const wanted = 'atMost' in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`
  const told = `${name}: ${figure.toPrecision(3)} (${wanted})`
  print(`${isMet ? 'met   ' : 'MISSED'}  ${told}`)
  noteFigure(isMet ? told : `MISSED ${told}`)
  if (!isMet) process.exitCode = 1
}

/** A bound, in the unit of the figure. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number }

/** Prints a line of the result. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
