import type { AwaitsVerdict, Verdict } from '../counting-server.ts'

/** Creates a verdict. The replies of one turn wait for it, in time or not. */
export function createVerdict(): Verdict {
  const waiting: AwaitsVerdict[] = []
  let verdict: boolean | undefined
  let isMissed = false
  return {
    wait(one) {
      if (verdict !== undefined) {
        one.onKnown(verdict)
        return
      }
      waiting.push(one)
      // The marker check went out last and has the least time, by a millisecond or more, so a reply can arrive in
      // between.
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
