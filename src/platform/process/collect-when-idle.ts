import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface CollectOptions {
  /** Interval between two looks. (Default: 10,000) */
  readonly everyMs?: number
  /** Share of the time since the last look in which the event loop was busy. (Default: measured) */
  readonly busyShare?: () => number
}

const idleShare = 0.05

/**
 * Collects all garbage once, as soon as the process is idle. A start leaves 30
 * to 90 MB, which V8 would keep until the heap has grown further: without calls,
 * for hours. Under load V8 collects often enough, and the pause of
 * 50 to 200 ms would delay calls, so this waits.
 */
export function collectWhenIdle(options: CollectOptions = {}): void {
  const { everyMs = 10_000, busyShare = busyShareSinceLastTime() } = options
  const timer = setInterval(() => {
    if (busyShare() > idleShare) return
    clearInterval(timer)
    collect()
  }, everyMs).unref()
}

/** Node offers this only as an option of its start, but a context that is made later has it, too. */
function collect(): void {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  collectGarbage()
}

function busyShareSinceLastTime(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}
