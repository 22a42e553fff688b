/** What a look at the marker says of the replies that came before it on the same connection. */
export interface Verdict {
  wait(waiting: AwaitsVerdict): void
  /** @param isComplete the counters were there, so the replies can be relied upon */
  known(isComplete: boolean): void
  /** The deadline of the calls passed; the verdict itself still comes. */
  missed(): void
}

/** A reply that nobody relies on before the verdict. */
export interface AwaitsVerdict {
  /** Called once, perhaps at once. */
  onKnown(isComplete: boolean): void
  /** Called before that, if at all; perhaps at once. */
  onMissed(): void
}

/** Waited for by the replies of one turn, in time or not. */
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
      // The look was sent last and has the least time, by a millisecond or more: a reply can come in between.
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
