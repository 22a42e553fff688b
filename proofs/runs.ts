import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A run of a proof, as docs/proofs.md lists it. */
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
  return join(root, 'docs', 'proofs.md')
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
