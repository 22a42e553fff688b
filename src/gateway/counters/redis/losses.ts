import type { CatchUp } from './catch-up.ts'
import type { GrantReply, MarkerKnowledge, MarkerPlace } from './grant-script.ts'
import type { Part } from './part.ts'

/**
 * What this process knows about losses of counters on one server. The server's
 * marker changes with each loss. This process then pushes every count it knows,
 * and from then on relies on the new marker.
 */
export interface Losses {
  /** The marker of the last loss for which this process has pushed its counts; undefined before the first push. */
  marker(): number | undefined
  /** The place of that marker. */
  place(): MarkerPlace | undefined
  /** Counters were lost, although the marker does not show it. */
  add(): void
  /** Whether counters were lost since the first push. */
  hasHappened(): boolean
  /** Whether such a loss still waits for its push. */
  isPending(): boolean
  /**
   * Probes the server and, after a loss, pushes the counts. Steps 2 and 3 of a
   * return (`shared-mode.ts`).
   *
   * @returns the reply to the last probe
   */
  pushAfterLoss(here: MarkerPlace, server: ServerKnowledge): Promise<GrantReply>
  /**
   * Writes the known marker to another place, because the server no longer has
   * the old one.
   *
   * @returns the reply; the counters are lost if it has another marker
   */
  probeNewPlace(to: MarkerPlace, server: ServerKnowledge): Promise<GrantReply>
  /** The known marker is now there. */
  moved(to: MarkerPlace): void
}

/** What the connection knows about the server. */
export type ServerKnowledge = Pick<MarkerKnowledge, 'runId' | 'living'>

export interface LossesOptions {
  readonly catchUp: Pick<CatchUp, 'probe' | 'pushFloors'>
  readonly part: Pick<Part, 'isComplete'>
}

/** A marker up to this age leaves enough settling time for all processes that detect the same loss. */
const freshMs = 500

/** The marker to vouch for on a server that cannot have lost a count. */
const neverLost = 0

export function createLosses({ catchUp, part }: LossesOptions): Losses {
  let marker: number | undefined
  let place: MarkerPlace | undefined
  /** Markers of earlier losses. */
  const formerMarkers = new Set<number>()
  /** Numbers of the latest loss that the marker does not show, and of the latest one after which counts were pushed. */
  let added = 0
  let pushed = 0

  function isPending(): boolean {
    return pushed < added
  }

  function knowledge(server: ServerKnowledge): MarkerKnowledge {
    return { ...server, answered: isPending() ? undefined : marker }
  }

  return {
    marker: () => marker,
    place: () => place,
    add() {
      added += 1
    },
    hasHappened: () => added > 0 || formerMarkers.size > 0,
    isPending,
    async pushAfterLoss(here, server) {
      const vouched = marker === undefined && part.isComplete() ? neverLost : undefined
      let probe = await catchUp.probe(here, { ...knowledge(server), vouched })
      // A loss that comes later waits for the next attempt.
      const before = added
      const wasPending = isPending()
      if ((wasPending && !isFresh(probe)) || formerMarkers.has(probe.marker)) {
        probe = await catchUp.probe(here, { ...knowledge(server), stale: probe.marker })
      }
      place = here
      if (probe.marker === marker && !wasPending) return probe
      await catchUp.pushFloors(here, knowledge(server))
      if (marker !== undefined && marker !== probe.marker) formerMarkers.add(marker)
      marker = probe.marker
      pushed = before
      // Report to the server that this process is done, because the others wait for it.
      return catchUp.probe(here, knowledge(server))
    },
    probeNewPlace: (to, server) => catchUp.probe(to, { ...knowledge(server), vouched: marker }),
    moved(to) {
      place = to
    },
  }
}

function isFresh({ isSettling, marker, serverTimeMs }: GrantReply): boolean {
  return isSettling && serverTimeMs - marker / 1000 < freshMs
}
