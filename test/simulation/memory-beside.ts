import type { BucketLimit, Counter, Grant, Standing } from '../../src/gateway/counters/counter.ts'
import { createMemoryCounter } from '../../src/gateway/counters/memory/memory-counter.ts'
import type { Schedule } from './schedule.ts'
import { beginning } from './server.ts'
import type { World } from './world.ts'

/** The counter in the memory of one process, which gets the same calls. */
export interface MemoryBeside {
  /** Decides the call that Redis has just decided so. */
  compare(limits: readonly BucketLimit[], grant: Grant): void
  reset(limit: BucketLimit): void
  readonly disagreements: readonly string[]
}

export interface MemoryBesideOptions {
  readonly world: World
  readonly delay: Schedule['delay']
}

/** For calls one after the other, none of which is under way at the edge of a window. */
export function compareWithMemory({ world, delay }: MemoryBesideOptions): MemoryBeside {
  const disagreements: string[] = []
  let memory: Counter | undefined
  const nothing = () => undefined
  void createMemoryCounter({
    now: () => beginning + world.now(),
    log: { info: nothing, warn: nothing, error: nothing },
  }).then((counter) => {
    memory = counter
  })
  // Redis decides a packet earlier than its answer arrives, and a process knows its time as exactly as that.
  const apartMs = 2 * delay.most + 5

  /** @param isLocal whether a process refused the call by what it knows, which may be old for its other limits */
  function isEqual(own: Standing, other: Standing | undefined, isLocal: boolean): boolean {
    if (isLocal && other?.granted === true) return true
    if (own.granted !== other?.granted) return false
    return (
      own.remaining === other.remaining &&
      own.window === other.window &&
      Math.abs((own.resetMs ?? 0) - (other.resetMs ?? 0)) <= apartMs
    )
  }

  return {
    disagreements,
    compare(limits, grant) {
      if (memory === undefined) throw new Error('the counter in memory has not started')
      memory.grant(limits, 'local-share', (own) => {
        const isLocal = grant.decision === 'refused_local'
        const isSame =
          own.admitted === grant.admitted &&
          own.standings.every((standing, index) =>
            isEqual(standing, grant.standings[index], isLocal),
          ) &&
          (isLocal || Math.abs(own.retryAfterMs - grant.retryAfterMs) <= apartMs)
        if (isSame) return
        const { decision, standings } = own
        const memoryHas = `memory ${decision} ${JSON.stringify(standings)}`
        disagreements.push(
          `${world.now()} ms: ${memoryHas}, Redis ${grant.decision} ${JSON.stringify(grant.standings)}`,
        )
      })
    },
    reset: (limit) => void memory?.reset(limit),
  }
}
