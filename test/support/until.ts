import { setTimeout as delay } from 'node:timers/promises'
import { watchClocks } from './test-clock.ts'

const longestPauseMs = 20
/** Long enough for a busy machine; nothing that works takes this long. */
const patienceMs = 60_000

/**
 * Asks until the answer is yes. An attempt that fails is a no.
 *
 * @param what for the error, as "the backend has the call"
 * @throws when it is never yes, with the failure of the last attempt as its cause; it also says so when a clock of the
 *   test stood still meanwhile
 */
export function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  return untilWithin(patienceMs, what, isSo)
}

/** {@link until} for proofs of what takes longer than a minute, or must not take as long. */
export async function untilWithin(
  deadlineMs: number,
  what: string,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + deadlineMs
  const stoodStill = watchClocks()
  for (let pauseMs = 2; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    let cause: unknown
    try {
      if (await isSo()) return
    } catch (error) {
      cause = error
    }
    if (performance.now() > deadline) {
      const hint = stoodStill()
      const because = hint === undefined ? '' : ` (${hint})`
      throw new Error(`not within ${deadlineMs} ms: ${what}${because}`, { cause })
    }
    await delay(pauseMs)
  }
}
