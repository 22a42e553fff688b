/** What one process admitted on a bucket in one window. */
export interface CountSample {
  readonly bucket: string
  readonly window: number
  /** The numbers that its calls got, as pairs of first and last: `[1, 4, 7, 7]` are 1, 2, 3, 4 and 7. */
  readonly runs: readonly number[]
  /** Calls admitted without the store, which have no number. */
  readonly local: number
  /** Whether the bucket was reset in this window, so that numbers began again. */
  readonly isReset: boolean
  /** Whether there were more runs than are kept. */
  readonly isCut: boolean
}
