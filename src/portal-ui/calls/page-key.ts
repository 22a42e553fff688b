import type { IssuedKey } from '../../portal/api/schemas/applications.ts'
import { withNewRequestId } from './call-draft.ts'
import { type CallAnswer, isKeyRefused, type SendCallOptions, sendCall } from './send-call.ts'

/** A call that still needs a key. */
export type KeylessCall = Omit<SendCallOptions, 'key'>

/** The key of a page. Calls share it. */
export interface PageKey {
  /**
   * Sends a call with the key: makes one for the first call, and in place of one
   * that is about to end. If the gateway refuses the key, as after signing out
   * in another tab, sends the call once more with another key.
   *
   * @throws what making a key throws
   */
  send(call: KeylessCall): Promise<CallAnswer>
}

/** How long a key must still work to be used again. */
const leastLeftMs = 30_000

interface Made {
  /** Two calls at once wait for one key. */
  readonly issued: Promise<IssuedKey>
  /** By the clock that counts on: that of the browser may be wrong. */
  endsAt: number
}

/**
 * Creates the key of a page, which is made when the first call needs it.
 *
 * @param issue makes a key
 * @param send tests give their own
 */
export function createPageKey(issue: () => Promise<IssuedKey>, send = sendCall): PageKey {
  let current: Made | undefined

  function key(): Made {
    if (current !== undefined && current.endsAt >= performance.now() + leastLeftMs) return current
    const made: Made = { issued: issue(), endsAt: Number.POSITIVE_INFINITY }
    current = made
    made.issued.then(
      ({ createdAt, expiresAt }) => {
        made.endsAt = performance.now() + Date.parse(expiresAt ?? '') - Date.parse(createdAt)
      },
      () => drop(made),
    )
    return made
  }

  /** Another call may have replaced it already. */
  function drop(made: Made): void {
    if (current === made) current = undefined
  }

  return {
    async send(call) {
      const made = key()
      const answer = await send({ ...call, key: (await made.issued).key })
      if (!isKeyRefused(answer)) return answer
      drop(made)
      const { key: next } = await key().issued
      return send({ ...call, draft: withNewRequestId(call.draft), key: next })
    },
  }
}
