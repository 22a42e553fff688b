import type { ErrorCode } from '../../platform/errors.ts'
import type { Call } from '../edge/call.ts'
import { parseKey } from '../registry/key-format.ts'
import type { Caller, KeyAuthenticator, KeyMemory, RevokedKeys } from '../registry/registry.ts'

/**
 * Finds out whose call was refused before that was asked, to whom it is worth
 * explaining. `found` is called at most once, at once or later, and not for
 * strangers.
 */
export type RecogniseCaller = (call: Call, endedAt: number, found: (caller: Caller) => void) => void

/** In a second: keys looked up in memory. */
const recognisedMax = 1_000
/** Of those, keys memory knows nothing of and such as may be revoked, which the database is asked about: first calls go wrong, and old keys are forgotten in corners. So few that strangers can cost nobody anything. */
const askedMax = 10

/** Refusals that come from asking whose key it is; there is nothing to find out any more. */
const unauthenticated: ReadonlySet<ErrorCode> = new Set([
  'KEY_MISSING',
  'ATTEMPTS_EXCEEDED',
  'REGISTRY_UNAVAILABLE',
])

/** Keys are judged as on the data path, so nobody's call is taken for another's. */
export function createRecogniseCaller(
  keys: KeyMemory & KeyAuthenticator & RevokedKeys,
): RecogniseCaller {
  let second = 0
  let recognisable = 0
  let askable = 0

  function askRevoked(key: string, found: (caller: Caller) => void): void {
    if (askable === 0) return
    askable -= 1
    keys.recogniseRevoked(key).then(
      (caller) => {
        if (caller !== undefined) found(caller)
      },
      // Without a database nothing would be written either.
      () => undefined,
    )
  }

  return (call, endedAt, found) => {
    if (call.refusal === undefined || unauthenticated.has(call.refusal)) return
    if (second !== Math.floor(endedAt / 1_000)) {
      second = Math.floor(endedAt / 1_000)
      recognisable = recognisedMax
      askable = askedMax
    }
    if (recognisable === 0) return
    const { key } = call.fields
    if (key === undefined || key === 'doubled' || parseKey(key.value) === undefined) return
    recognisable -= 1
    const known = keys.recogniseCached(key.value)
    if (typeof known === 'object') found(known)
    if (known === 'invalid' && call.refusal === 'KEY_INVALID') askRevoked(key.value, found)
    if (known !== 'unknown' || askable === 0) return
    askable -= 1
    keys.authenticate(key.value, () => {
      const caller = keys.recogniseCached(key.value)
      if (typeof caller === 'object') found(caller)
    })
  }
}
