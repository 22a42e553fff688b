import { hashText } from '../../../platform/hash-text.ts'
import type { Logger } from '../../../platform/log/log.ts'
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
  /**
   * Whether this process has met the others: it has beaten for long enough for
   * each other one to beat meanwhile, even if the store had lost all ids.
   */
  knowsOthers(): boolean
  /**
   * The place of this process in the order in which the processes share what
   * does not divide, from 0; another order for each bucket. Undefined before all
   * others know of this process, and after a pause in which they may have
   * forgotten it. No two processes have the same place, if each knows all that live.
   */
  place(bucket: string): number | undefined
  /**
   * Whether the last beat failed. While beats arrive, a call that is decided alone
   * waits for counters that were lost or for a moment: what others have used up is
   * about to be known, and nothing may be handed out beside it.
   */
  isCutOff(): boolean
  /** Changes whenever {@link place} may. */
  placesVersion(): number
  /** Beats now instead of at the next interval. */
  beat(): void
  /** Removes this process from the store, so that the others no longer count it. Never rejects. */
  close(): Promise<void>
}

export interface HeartbeatOptions {
  /** Maximum number of processes, by the settings. */
  readonly configured: number
  readonly log: Pick<Logger, 'warn'>
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  /** A random whole number from `least` up to but not including `above`. */
  readonly randomInt: (least: number, above: number) => number
  /** Runs the script on the server that has the key. */
  ask(command: Omit<ScriptCall, keyof ScriptHandlers>): Promise<ScriptReply>
  /** Called with the number of processes after each beat. */
  onSeen(processes: number): void
}

/** Represents processes that a process does not know; no process has this id. */
export const unknownProcess = 0

/** A single key; in a cluster it is on one node. */
export const processesKey = 'tollgate:processes'

const beatMs = 1000

/**
 * A process is gone after this number of missed beats. Replies are also kept
 * for this number: if the key is lost, the other processes need a beat to
 * reappear.
 */
const beatsKept = 5

/** After a longer time without a beat, the process itself stood still. */
const pauseMs = 2 * beatMs

/** After this number of beats in a row, every process that beats too has seen this one. */
const beatsUntilKnown = 3

const askMs = 500
const farewellMs = 200

export function createHeartbeat({
  configured,
  log,
  monotonic,
  randomInt,
  ask,
  onSeen,
}: HeartbeatOptions): Heartbeat {
  const id = randomInt(1, 2 ** 47)
  /** The processes seen in each of the last seconds. Beats also run whenever the store returns. */
  let recent: ReadonlySet<number>[] = []
  let isNextSecond = true
  /** Seconds in a row with a beat; those before an outage still count in it. */
  let beatsInRow = 0
  let isCutOff = false
  let triedAt = monotonic()
  let placesVersion = 0
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
    if (monotonic() - triedAt > pauseMs) beatsInRow = 0
    triedAt = monotonic()
    try {
      const { numbers } = await tell(true, askMs)
      // Only gateways of this version write numbers; what another program has left is not counted.
      const ids = new Set(numbers.filter(Number.isSafeInteger))
      if (isCutOff) beatsInRow = 1
      else if (isNextSecond) beatsInRow += 1
      recent = isNextSecond
        ? [...recent, ids].slice(-beatsKept)
        : recent.with(-1, new Set([...(recent.at(-1) ?? []), ...ids]))
      isNextSecond = false
      isCutOff = false
      placesVersion += 1
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
      isCutOff = true
    } finally {
      isBeating = false
    }
  }

  function living(): readonly number[] {
    return [...new Set([id, ...recent.flatMap((ids) => [...ids])])]
  }

  return {
    processes: () => Math.max(configured, ...recent.map(({ size }) => size)),
    living,
    knowsOthers: () => recent.length >= beatsUntilKnown,
    place(bucket) {
      if (beatsInRow < beatsUntilKnown) return undefined
      const own = rankOf(bucket, id)
      // Of two equal ranks, the lower id comes first.
      return living().filter((each) => {
        const rank = rankOf(bucket, each)
        return rank < own || (rank === own && each < id)
      }).length
    },
    isCutOff: () => isCutOff,
    placesVersion: () => placesVersion,
    beat: () => void beat(),
    async close() {
      isClosed = true
      clearInterval(timer)
      if (recent.length > 0) await tell(false, farewellMs).catch(() => undefined)
    },
  }
}

/** Spreads the places of a process over the buckets. */
function rankOf(bucket: string, id: number): number {
  return hashText(`${id} ${bucket}`)
}
