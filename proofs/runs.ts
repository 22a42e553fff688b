import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A run of a proof, as proofs/runs.md lists it. */
export interface ProofRun {
  /** As "2026-11-29". */
  readonly date: string
  /** Eight digits, with a `+` if files differed from it; `–` in the oldest rows. */
  readonly commit: string
  readonly size: string
  readonly time: string
  /** `held`, `measured` or `failed`. */
  readonly result: string
}

/** Where each run adds its row. */
export function recordOf(root: string): string {
  return join(root, 'proofs', 'runs.md')
}

/** Adds a row. An older one of the same proof and size leaves: git has it. */
export function addRun(root: string, cells: readonly (string | number)[]): void {
  const path = recordOf(root)
  const [, , name, size] = cells
  const kept = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => {
      const [, date = '', , proof, length] = line.split(/ ?\| ?/)
      return !/^\d{4}-/.test(date) || proof !== name || length !== size
    })
  writeFileSync(path, `${kept.join('\n')}| ${cells.join(' | ')} |\n`)
}

/** The last run of each proof, by its name. */
export function lastRuns(root: string): ReadonlyMap<string, ProofRun> {
  const rows = readFileSync(recordOf(root), 'utf8').matchAll(/^\| (\d{4}-.*) \|$/gm)
  return new Map(
    Array.from(rows, ([, row = '']) => {
      const [date = '', commit = '', name = '', size = '', , time = '', , , result = ''] =
        row.split(' | ')
      return [name, { date, commit, size, time, result: result.replaceAll('*', '') }] as const
    }),
  )
}
