/** Failed attempts in a row that block a PSU (RTS on SCA, article 4(3)(b): at most five). */
export const failuresMost = 5

/** Milliseconds that a block lasts (our choice). */
export const blockMs = 30 * 60_000

/** Failed attempts in a row, and the time of the last one. */
interface Failures {
  readonly failures: number
  readonly failedAt: Date
}

/** The end of a block, in milliseconds since 1970; undefined while the PSU may try. */
export function blockedUntil({ failures, failedAt }: Failures, now: number): number | undefined {
  const until = failedAt.getTime() + blockMs
  return failures >= failuresMost && now < until ? until : undefined
}

/** The count after one more failure. A new count begins after a block. */
export function afterFailure({ failures }: Failures, now: number): Failures {
  return { failures: (failures >= failuresMost ? 0 : failures) + 1, failedAt: new Date(now) }
}
