/** Work that is repeated until it is closed. */
export interface Repetition {
  /**
   * Runs the work at once and a few more times within a second, because the
   * transaction that requires it may not be committed yet.
   */
  soon(): void
  /** Runs the work within 50 ms, again if it is running. */
  now(): void
  /** Runs the work after a current run, and resolves when it has ended, even if it failed. Does nothing once closed. */
  runToEnd(): Promise<void>
  /** Waits for the current run. */
  close(): Promise<void>
}

export interface RepetitionOptions {
  readonly everyMs: number
  readonly work: () => Promise<void>
  readonly onSuccess?: (() => void) | undefined
  /** Called once when the work begins to fail; the work continues. */
  readonly onFailure: (error: unknown) => void
}

const soonMs = [20, 80, 300, 700] as const
/** A burst of reasons is worth one run. */
const nowMs = 50

/** Begins at once. Two runs never overlap. */
export function repeatedly({ everyMs, work, onSuccess, onFailure }: RepetitionOptions): Repetition {
  let quickRuns: number[] = []
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isDue = false
  let isFailing = false
  let isClosed = false

  async function run(): Promise<void> {
    try {
      await work()
      isFailing = false
      onSuccess?.()
    } catch (error) {
      if (!isFailing && !isClosed) onFailure(error)
      isFailing = true
    }
  }

  function start(): void {
    isDue = false
    running = run().finally(() => {
      running = undefined
      schedule(isDue ? nowMs : (quickRuns.shift() ?? everyMs))
    })
  }

  function schedule(ms: number): void {
    if (isClosed) return
    clearTimeout(timer)
    timer = setTimeout(start, ms).unref()
  }

  start()
  return {
    soon() {
      quickRuns = [...soonMs]
      if (running === undefined) schedule(quickRuns.shift() ?? everyMs)
    },
    now() {
      // Further calls must not postpone the run.
      if (isDue) return
      isDue = true
      if (running === undefined) schedule(nowMs)
    },
    async runToEnd() {
      while (running !== undefined) await running
      if (isClosed) return
      clearTimeout(timer)
      start()
      await running
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await running
    },
  }
}
