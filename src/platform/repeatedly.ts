/** Work that is done again and again until it is closed. */
export interface Repetition {
  /** Does it at once, and a few times more in the next second: whatever calls for it may not have been committed yet. */
  soon(): void
  /** Waits for the work under way. */
  close(): Promise<void>
}

export interface RepetitionOptions {
  readonly everyMs: number
  readonly work: () => Promise<void>
  /** Told once when it begins to fail; the work goes on. */
  readonly onFailure: (error: unknown) => void
}

const soonMs = [20, 80, 300, 700] as const

/** Begins at once. Two runs never overlap. */
export function repeatedly({ everyMs, work, onFailure }: RepetitionOptions): Repetition {
  let quickRuns: number[] = []
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isFailing = false
  let isClosed = false

  async function run(): Promise<void> {
    try {
      await work()
      isFailing = false
    } catch (error) {
      if (!isFailing && !isClosed) onFailure(error)
      isFailing = true
    }
  }

  function start(): void {
    running = run().finally(() => {
      running = undefined
      schedule(quickRuns.shift() ?? everyMs)
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
    async close() {
      isClosed = true
      clearTimeout(timer)
      await running
    },
  }
}
