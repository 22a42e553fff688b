import { randomUUID } from 'node:crypto'
import type { Logger } from '../../platform/log.ts'
import { heartbeatScript } from './grant-script.ts'
import type { ScriptCall, ScriptHandlers, ScriptReply } from './redis-connection.ts'

/** Tells the store once a second that this process admits calls, and hears how many do. */
export interface Heartbeat {
  /**
   * Among how many the calls of an outage are divided: the most that were told
   * of in the last five seconds before the store went away, and at least as
   * many as the settings say.
   */
  processes(): number
  /** Beats now, rather than within a second. */
  beat(): void
  /** Says farewell, so that nobody counts on this process any more. Never rejects. */
  close(): Promise<void>
}

export interface HeartbeatOptions {
  /** As many as the settings say there are at most. */
  readonly configured: number
  readonly log: Pick<Logger, 'warn'>
  /** Runs the script where the key is. */
  ask(command: Omit<ScriptCall, keyof ScriptHandlers>): Promise<ScriptReply>
  /** How many there are was told. */
  onSeen(processes: number): void
}

/** One key, in a cluster on one node. */
export const processesKey = 'tollgate:processes'

const beatMs = 1000

/** After so many silent beats a process is gone; and so long a number is remembered, because after a loss of the key it takes all others a beat to be told of again. */
const beatsKept = 5

const askMs = 500
const farewellMs = 200

export function createHeartbeat({ configured, log, ask, onSeen }: HeartbeatOptions): Heartbeat {
  const id = randomUUID()
  /** The most told in each of the last seconds; beats upon a return of the store come at any time. */
  let recent: number[] = []
  let isNextSecond = true
  let warnedOf = configured
  let isBeating = false
  let isClosed = false
  const timer = setInterval(() => {
    isNextSecond = true
    void beat()
  }, beatMs).unref()

  function tell(isCounting: boolean, deadlineMs: number): Promise<ScriptReply> {
    return ask({
      script: heartbeatScript,
      keys: [processesKey],
      args: [id, isCounting ? 1 : 0, beatMs * beatsKept],
      deadlineMs,
    })
  }

  async function beat(): Promise<void> {
    if (isBeating || isClosed) return
    isBeating = true
    try {
      const { numbers } = await tell(true, askMs)
      const [seen = 0] = numbers
      recent = isNextSecond
        ? [...recent, seen].slice(-beatsKept)
        : recent.with(-1, Math.max(seen, recent.at(-1) ?? 0))
      isNextSecond = false
      onSeen(seen)
      if (seen > warnedOf) {
        warnedOf = seen
        log.warn(
          { seen, configured },
          'more gateway processes than GATEWAY_PROCESSES says; raise it, or those that start while Redis is away are not reckoned with',
        )
      }
    } catch {
      // The store is away, which is told elsewhere. What was seen last holds.
    } finally {
      isBeating = false
    }
  }

  return {
    processes: () => Math.max(configured, ...recent),
    beat: () => void beat(),
    async close() {
      isClosed = true
      clearInterval(timer)
      if (recent.length > 0) await tell(false, farewellMs).catch(() => undefined)
    },
  }
}
