/** A file that fails now and then, and whose cause is known but not mended yet. */
export interface Unsteady {
  /** From the root. */
  readonly file: string
  readonly cause: string
  /** The last day of the row, as 2026-12-13; at most 14 days after the row is written. Then the tests of the house fail. */
  readonly lastDay: string
}

/** At most three. `npm test` names each that was unsteady in a run, whether it is a row here or not. */
export const unsteadyFiles: readonly Unsteady[] = []
