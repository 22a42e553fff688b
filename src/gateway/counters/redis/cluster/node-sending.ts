import type { CallBatch } from '../call-batch.ts'
import type { CountingServer, Sending } from '../counting-server.ts'
import { DeadlineMissedError } from '../redis-connection.ts'
import { type Redirection, redirectionOf } from './redirection.ts'
import { createVerdict, type Verdict } from './verdict.ts'

/** How often a batch was sent, and until when. */
export interface NodeSending {
  /** Monotonic milliseconds at which its calls are decided without a node. */
  readonly deadlineAt: number
  /** Number of times it was already redirected. */
  readonly redirections: number
  /** Ask the node although the slot is still moving to it (ASK). */
  readonly isAsking?: boolean
}

export interface NodeSendingOptions {
  readonly server: CountingServer
  readonly monotonic: () => number
  /** The batch did not run and must be sent elsewhere. It stays in flight. */
  onRedirected(batch: CallBatch, redirection: Redirection, sending: NodeSending): void
  onMisplaced(): void
}

/**
 * Sends batches to a cluster node, one script call for each slot. The node's
 * marker is in one slot, so no script call on another slot can read it. It is
 * read after the batches, on the same connection, and their replies count only
 * if the counters were still there. A script that the connection sends again
 * runs after that read, so it gets its own read.
 */
export function sendToNode(
  { server, monotonic, onRedirected, onMisplaced }: NodeSendingOptions,
  batches: readonly CallBatch[],
  how: NodeSending,
): void {
  const verdictOnAll = createVerdict()
  for (const batch of batches) server.send(batch, sendingOf())
  checkMarker(verdictOnAll)

  function sendingOf(): Sending {
    let verdict = verdictOnAll
    return {
      deadlineMs: () => how.deadlineAt - monotonic(),
      marker: undefined,
      preceding: how.isAsking === true ? 'ASKING' : undefined,
      confirm: (_read, reply) => verdict.wait(reply),
      onSentAgain() {
        verdict = createVerdict()
        checkMarker(verdict)
      },
      resend(batch, error) {
        const redirection = redirectionOf(error)
        return redirection === undefined ? undefined : () => onRedirected(batch, redirection, how)
      },
    }
  }

  function checkMarker(verdict: Verdict): void {
    const place = server.mode.place()
    // A node without slots so far is only asked because the slot's owner redirected here, so there is no marker to
    // check.
    if (place === undefined) {
      verdict.known(true)
      return
    }
    let isMissed = false
    server.connection.read({
      key: place.key,
      deadlineMs: how.deadlineAt - monotonic(),
      onReply: (value) => verdict.known(server.mode.observeMarker(value)),
      onError(cause) {
        const isRedirected = redirectionOf(cause) !== undefined
        // The marker's slot is moving. The server is alive, so no count was lost.
        if (isRedirected) onMisplaced()
        else if (!isMissed) server.failed(cause)
        verdict.known(isRedirected)
      },
      onMissed() {
        isMissed = true
        server.failed(new DeadlineMissedError())
        verdict.missed()
      },
    })
  }
}
