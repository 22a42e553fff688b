import type { InStep } from '../support/in-step.ts'
import { type Kind, kinds } from './attack.ts'
import type { Leniency } from './compare.ts'
import type { Costs } from './cost.ts'
import type { CorpusResult } from './suite.ts'

/** The figures of all runs together: all but the first must be 0. */
export function findingsTable(runs: ReadonlyMap<string, CorpusResult>): string {
  const row = (name: string, count: (run: CorpusResult) => number): (string | number)[] => [
    name,
    [...runs.values()].reduce((sum, run) => sum + count(run), 0),
  ]
  return table(
    ['', [...runs.keys()].join('; ')],
    [
      row('inputs', ({ inputs }) => inputs),
      row('bypasses', ({ findings }) => findings.bypasses.length),
      row('uncounted or doubled backend calls', ({ findings }) => findings.uncounted.length),
      row('counted calls that never reached the backend', ({ findings }) => findings.lost.length),
      row('crossed answers', ({ findings }) => findings.crossed.length),
      row('desyncs', ({ findings }) => findings.desyncs.length),
      row('crashes', ({ findings }) => findings.crashes.length),
      row('other outcomes than the corpus says', ({ findings }) => findings.otherwise.length),
    ],
  )
}

/** Random exchanges, by the name of the run: all but the first figure must be 0. */
export function exchangesTable(runs: ReadonlyMap<string, InStep>): string {
  return table(
    ['Random exchanges', 'Made', 'Crossed', 'Broken', 'Lost', 'Hung', 'Mixed up at the backend'],
    [...runs].map(([name, { done, faults }]) => {
      const { crossed, broken, lost, hung, atBackend } = faults
      return [name, done, ...[crossed, broken, lost, hung, atBackend].map(({ length }) => length)]
    }),
  )
}

/** What the three dearest inputs cost, in microseconds and in plain GETs. */
export function costsTable({ get, dearest }: Costs): string {
  return table(
    ['Input', 'Processor time, µs', 'Plain GETs'],
    [
      ['a plain GET', Math.round(get), 1],
      ...dearest
        .slice(0, 3)
        .map(({ input: { attack }, microseconds }) => [
          `${attack.kind}: ${attack.why}`,
          Math.round(microseconds),
          Math.round((microseconds / get) * 10) / 10,
        ]),
    ],
  )
}

/** How lenient each program was, by what was attacked. */
export function leniencyTable(programs: ReadonlyMap<string, ReadonlyMap<Kind, Leniency>>): string {
  const names = [...programs.keys()]
  const [first] = programs.values()
  const cell = (name: string, kind: Kind): string => {
    const found = programs.get(name)?.get(kind)
    return found === undefined ? '–' : `${found.reached} / ${found.ambiguous} / ${found.smuggled}`
  }
  return table(
    ['Reached / ambiguous / smuggled', 'Must be refused', ...names],
    kinds.map((kind) => [
      kind,
      first?.get(kind)?.refusable ?? 0,
      ...names.map((name) => cell(name, kind)),
    ]),
  )
}

/** Kinds in which the first program let more through than each of the others. */
export function mostLenient(
  programs: ReadonlyMap<string, ReadonlyMap<Kind, Leniency>>,
): readonly Kind[] {
  const [own, ...others] = programs.values()
  return kinds.filter((kind) =>
    (['reached', 'ambiguous', 'smuggled'] as const).some((figure) => {
      const count = own?.get(kind)?.[figure] ?? 0
      return count > 0 && others.every((other) => (other.get(kind)?.[figure] ?? 0) < count)
    }),
  )
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
