import { randomInt } from 'node:crypto'
import type { Logger } from '../../../platform/log.ts'
import { heartbeatScript } from './grant-script.ts'
import type { ScriptCall, ScriptHandlers, ScriptReply } from './redis-connection.ts'

/** Reports to the store once a second that this process admits calls, and learns which other processes do. */
export interface Heartbeat {
  /**
   * The divisor for an outage: the highest number of processes seen in the last
   * five seconds before it, and at least the number in the settings.
   */
  processes(): number
  /** This process first, then all others seen in the last five seconds. */
  living(): readonly number[]
  /** Beats now instead of at the next interval. */
  beat(): void
  /** Removes this process from the store, so that the others no longer count it. Never rejects. */
  close(): Promise<void>
}

export interface HeartbeatOptions {
  /** Maximum number of processes, by the settings. */
  readonly configured: number
  readonly log: Pick<Logger, 'warn'>
  /** Runs the script on the server that has the key. */
  ask(command: Omit<ScriptCall, keyof ScriptHandlers>): Promise<ScriptReply>
  /** Called with the number of processes after each beat. */
  onSeen(processes: number): void
}

/** A single key; in a cluster it lies on one node. */
export const processesKey = 'tollgate:processes'

const beatMs = 1000

/**
 * A process is gone after this number of missed beats. Replies are also kept
 * for this number: if the key is lost, the other processes need a beat to
 * reappear.
 */
const beatsKept = 5

const askMs = 500
const farewellMs = 200

export function createHeartbeat({ configured, log, ask, onSeen }: HeartbeatOptions): Heartbeat {
  const id = randomInt(1, 2 ** 47)
  /** The processes seen in each of the last seconds. Beats also run whenever the store returns. */
  let recent: ReadonlySet<number>[] = []
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
      args: () => [id, isCounting ? 1 : 0, beatMs * beatsKept],
      deadlineMs,
    })
  }

  async function beat(): Promise<void> {
    if (isBeating || isClosed) return
    isBeating = true
    try {
      const { numbers } = await tell(true, askMs)
      // Only gateways of this version write numbers; what another program has left is not counted.
      const ids = new Set(numbers.filter(Number.isSafeInteger))
      recent = isNextSecond
        ? [...recent, ids].slice(-beatsKept)
        : recent.with(-1, new Set([...(recent.at(-1) ?? []), ...ids]))
      isNextSecond = false
      const seen = ids.size
      onSeen(seen)
      if (seen > warnedOf) {
        warnedOf = seen
        log.warn(
          { seen, configured },
          'more gateway processes run than GATEWAY_PROCESSES allows for; raise it, or a process that starts during a Redis outage takes too large a share',
        )
      }
    } catch {
      // Other parts report the outage. The processes seen last remain the answer.
    } finally {
      isBeating = false
    }
  }

  return {
    processes: () => Math.max(configured, ...recent.map(({ size }) => size)),
    living: () => [...new Set([id, ...recent.flatMap((ids) => [...ids])])],
    beat: () => void beat(),
    async close() {
      isClosed = true
      clearInterval(timer)
      if (recent.length > 0) await tell(false, farewellMs).catch(() => undefined)
    },
  }
}
