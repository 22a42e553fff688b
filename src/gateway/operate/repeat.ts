/** Something done again and again. */
export interface Repetition {
  /** Ends it; resolves when what was under way is done. */
  stop(): Promise<void>
}

/**
 * Does `work` every so often, never twice at a time: what takes longer is left
 * its time. It does not keep the process alive.
 *
 * @param work handles its own failures; one it throws ends nothing but itself
 */
export function repeat(everyMs: number, work: () => Promise<void> | undefined): Repetition {
  let underway: Promise<void> | undefined
  const timer = setInterval(() => {
    if (underway !== undefined) return
    underway = work()?.finally(() => {
      underway = undefined
    })
  }, everyMs).unref()
  return {
    async stop() {
      clearInterval(timer)
      await underway
    },
  }
}
