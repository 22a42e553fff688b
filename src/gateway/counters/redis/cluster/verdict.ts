import type { UnconfirmedReply } from '../counting-server.ts'

/** The result of a marker check: whether earlier replies on the same connection can be relied upon. */
export interface Verdict {
  wait(reply: UnconfirmedReply): void
  /** @param isComplete whether the counters were there */
  known(isComplete: boolean): void
  /** The calls' deadline passed; the verdict itself still follows. */
  missed(): void
}

/** Creates a verdict. The replies of one turn wait for it, in time or not. */
export function createVerdict(): Verdict {
  const waiting: UnconfirmedReply[] = []
  let verdict: boolean | undefined
  let isMissed = false
  return {
    wait(one) {
      if (verdict !== undefined) {
        one.onKnown(verdict)
        return
      }
      waiting.push(one)
      // The marker check is sent last, with the time that the calls have left, and can time out a millisecond or more
      // before their replies do.
      if (isMissed) one.onMissed()
    },
    known(isComplete) {
      verdict = isComplete
      for (const one of waiting) one.onKnown(isComplete)
    },
    missed() {
      isMissed = true
      for (const one of waiting) one.onMissed()
    },
  }
}
