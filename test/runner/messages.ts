/** What the runner asks of a process of tests. */
export type Order = RunOrder | { readonly end: true }

export interface RunOrder {
  readonly run: string
  /** After which the file has failed, whatever it still does. */
  readonly seconds: number
}

/** What a process of tests answers, once for each file. Tap sends messages of its own on the same channel. */
export interface Answer {
  readonly ended: FileResult
}

export interface FileResult {
  readonly file: string
  readonly seconds: number
  /** Assertions, those of subtests included. */
  readonly passed: number
  readonly failures: readonly Failure[]
  readonly skips: readonly Skip[]
  /** The process may still be busy with this file, so it must not run another. */
  readonly isSpent: boolean
}

export interface Failure {
  /** The tests around the assertion and the assertion itself, outermost first. */
  readonly title: string
  /** "test/edge/limit.test.ts:33:5", where tap knows it. */
  readonly place?: string
  /** The difference, or the error with its stack, as lines of text. */
  readonly detail: string
}

export interface Skip {
  readonly title: string
  readonly reason: string
}
