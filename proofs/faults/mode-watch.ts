import { setTimeout as delay } from 'node:timers/promises'
import { createHttpPool, type HttpAnswer } from './http-pool.ts'
import { monotonicMs } from './monotonic.ts'

/** Whether each gateway shares its counts, over time. */
export interface ModeWatch {
  /** Whether every gateway shares its counts now. */
  isShared(): boolean
  /** Whether no gateway shares its counts; also true before the first answers. */
  isUnshared(): boolean
  /**
   * For each gateway, the first moment (monotonic ms) at or after `since` at which its counts were not shared; undefined if
   * they always were.
   */
  unsharedSince(since: number): readonly (number | undefined)[]
  /**
   * For each gateway, the first moment at or after `since` from which it has been in shared mode; undefined if it is not
   * now.
   */
  sharedSince(since: number): readonly (number | undefined)[]
  stop(): void
}

interface Change {
  readonly at: number
  readonly isShared: boolean
}

/** Interval between two polls. */
const pollMs = 25

/** Polls `/readyz?verbose` on every management listener. A gateway that does not answer counts as not shared. */
export function watchModes(managements: readonly string[]): ModeWatch {
  let isStopped = false
  const pools = managements.map((management) =>
    createHttpPool({ port: Number(new URL(management).port), connectionsMax: 2 }),
  )
  const changes: Change[][] = managements.map(() => [])

  function note(gateway: number, isShared: boolean): void {
    const known = changes[gateway]
    if (known?.at(-1)?.isShared !== isShared) known?.push({ at: monotonicMs(), isShared })
  }

  async function watch(gateway: number): Promise<void> {
    while (!isStopped) {
      await new Promise<void>((resolve) => {
        pools[gateway]?.ask('GET /readyz?verbose HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n', (answer) => {
          note(gateway, sharesCounts(answer))
          resolve()
        })
      })
      await delay(pollMs)
    }
  }
  for (const gateway of managements.keys()) void watch(gateway)

  const isSharedNow = (known: readonly Change[]): boolean => known.at(-1)?.isShared === true
  return {
    isShared: () => changes.every(isSharedNow),
    isUnshared: () => !changes.some(isSharedNow),
    unsharedSince: (since) =>
      changes.map((known) => {
        const before = known.findLast(({ at }) => at < since)
        if (before?.isShared === false) return since
        return known.find(({ at, isShared }) => at >= since && !isShared)?.at
      }),
    sharedSince: (since) =>
      changes.map((known) => {
        const last = known.at(-1)
        return last?.isShared === true ? Math.max(since, last.at) : undefined
      }),
    stop() {
      isStopped = true
      for (const pool of pools) pool.close()
    },
  }
}

/** The part of the answer that the watch reads. A listener that closes answers without it. */
interface Readiness {
  readonly checks?: readonly { readonly name: string; readonly isReady: boolean }[]
}

function sharesCounts(answer: HttpAnswer | undefined): boolean {
  if (answer === undefined || ![200, 503].includes(answer.status)) return false
  const { checks = [] }: Readiness = JSON.parse(answer.body)
  return checks.some(({ name, isReady }) => name === 'counters' && isReady)
}
