/** The place of one request in a {@link FairQueue}. */
export interface Turn {
  /** What a request shares with others of the same source: its network, its account. */
  readonly lanes: readonly string[]
  /** Whether it goes before others of the same round. */
  readonly isPreferred: boolean
}

/** Runs a few pieces of work at once and shares the wait among the sources. */
export interface FairQueue {
  /** Waits for its turn, then works. @throws {QueueFull}, and what `work` throws */
  run<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result>
}

export interface FairQueueOptions {
  /** How many work at once. */
  readonly workers: number
  /** How many may wait. */
  readonly waitingMax: number
}

/** The queue has no room for this work, or gave its room to a source with less work. */
export class QueueFull extends Error {
  constructor() {
    super('too much work waits already')
    this.name = 'QueueFull'
  }
}

interface Entry {
  readonly round: number
  readonly isPreferred: boolean
  readonly begin: () => void
  readonly refuse: (reason: QueueFull) => void
}

/** Lanes in memory above which idle ones are removed. */
const lanesMax = 1_000

/**
 * Creates a queue that works in rounds. Each lane has one turn in a round, and
 * a request waits for the first round in which none of its lanes has had its
 * turn (start-time fair queueing, Goyal, Vin and Cheng 1996).
 *
 * ```
 * 72 requests for one account wait     rounds 1 … 72
 * another account comes during round 3 round 4: after one request, not after 69
 * ```
 *
 * A full queue drops the request with the latest round.
 */
export function createFairQueue({ workers, waitingMax }: FairQueueOptions): FairQueue {
  /** In the order of their turns. */
  const waiting: Entry[] = []
  /** The last round taken in each lane. */
  const taken = new Map<string, number>()
  let round = 0
  let working = 0

  function wait({ lanes, isPreferred }: Turn): Promise<void> {
    const next = 1 + Math.max(round, ...lanes.map((lane) => taken.get(lane) ?? 0))
    return new Promise((begin, refuse) => {
      const entry: Entry = { round: next, isPreferred, begin, refuse }
      const place = waiting.findIndex((other) => isBefore(entry, other))
      if (waiting.length >= waitingMax) {
        // The last one waits longest anyway; its source already has the most work here.
        if (place === -1) return refuse(new QueueFull())
        waiting.pop()?.refuse(new QueueFull())
      }
      waiting.splice(place === -1 ? waiting.length : place, 0, entry)
      for (const lane of lanes) taken.set(lane, next)
    })
  }

  function passOn(): void {
    const next = waiting.shift()
    if (next === undefined) {
      working -= 1
      taken.clear()
      round = 0
      return
    }
    round = next.round
    if (taken.size > lanesMax) {
      for (const [lane, last] of taken) if (last <= round) taken.delete(lane)
    }
    next.begin()
  }

  return {
    async run(turn, work) {
      if (working < workers) working += 1
      else await wait(turn)
      try {
        return await work()
      } finally {
        passOn()
      }
    },
  }
}

/** Whether one comes before another; of two that are alike, the first to arrive does. */
function isBefore(one: Entry, other: Entry): boolean {
  if (one.round !== other.round) return one.round < other.round
  return one.isPreferred && !other.isPreferred
}
