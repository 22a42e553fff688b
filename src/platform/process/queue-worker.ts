import { repeatedly } from './repeatedly.ts'

/** Works off a queue that several processes share. */
export interface QueueWorker {
  /** There is something to do, or will be when a transaction commits. */
  wake(): void
  /** Waits for attempts under way, a few seconds at most; then it aborts them. */
  close(): Promise<void>
}

export interface QueueWorkerOptions<Claimed> {
  /** Takes entries that no other process has, `max` at most. */
  claim(max: number, underWay: readonly Claimed[]): Promise<readonly Claimed[]>
  /**
   * Tries one entry and records the result.
   *
   * @param ending aborts when this process has no more time: the entry must be
   * left to the next process
   */
  attempt(claimed: Claimed, ending: AbortSignal): Promise<void>
  /** The queue could not be read, or a result not recorded. */
  readonly onFailure: (failure: 'read' | 'record', error: unknown) => void
  /** Between two looks at the queue. (Default: 2 s) */
  readonly pollMs?: number | undefined
  /** For attempts under way at the end. */
  readonly closeMs: number
}

const underWayMax = 8

/** Begins at once, with up to eight attempts at a time. */
export function startQueueWorker<Claimed>(options: QueueWorkerOptions<Claimed>): QueueWorker {
  const { claim, attempt, onFailure, pollMs = 2_000, closeMs } = options
  const underWay = new Map<Claimed, Promise<void>>()
  const ending = new AbortController()
  const repetition = repeatedly({
    everyMs: pollMs,
    work: look,
    onFailure: (error) => onFailure('read', error),
  })

  async function look(): Promise<void> {
    const room = underWayMax - underWay.size
    if (room === 0 || ending.signal.aborted) return
    const found = await claim(room, [...underWay.keys()])
    for (const claimed of found) {
      const work = attempt(claimed, ending.signal)
        .catch((error: unknown) => onFailure('record', error))
        .finally(() => {
          underWay.delete(claimed)
          // A place is free.
          repetition.soon()
        })
      underWay.set(claimed, work)
    }
    // A claim may leave out entries that must not be taken together with these.
    if (found.length > 0) repetition.soon()
  }

  return {
    wake: () => repetition.soon(),
    async close() {
      await repetition.close()
      const timer = setTimeout(() => ending.abort(), closeMs)
      await Promise.all(underWay.values())
      clearTimeout(timer)
    },
  }
}

const pauseSecondsMin = 10

/**
 * Seconds until the next attempt: 10 s, 30 s, 90 s … at most this many, spread
 * by a tenth for when many wait for one receiver.
 *
 * @param attempts so far, at least 1
 */
export function pauseSecondsAfter(attempts: number, pauseSecondsMax: number): number {
  const pause = Math.min(pauseSecondsMin * 3 ** Math.min(attempts - 1, 10), pauseSecondsMax)
  return pause * (0.9 + Math.random() * 0.2)
}
