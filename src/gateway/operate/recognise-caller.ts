import type { Caller, KeyAuthenticator, KeyMemory, RevokedKeys } from '../../registry/registry.ts'
import { mayBeRecorded } from '../edge/answer/may-be-recorded.ts'
import type { Call } from '../edge/call.ts'

/**
 * Finds the caller of a call that was refused before its key was checked, so
 * that the record can explain the refusal. Calls `found` at most once,
 * synchronously or later, and only for known applications.
 */
export type RecogniseCaller = (call: Call, endedAt: number, found: (caller: Caller) => void) => void

/** Maximum number of keys looked up in memory per second. */
const recognisedMax = 1_000
/**
 * Maximum number of database look-ups per second, for keys that are not cached
 * or may be revoked. Low, so that strangers cannot load the database.
 */
const askedMax = 10

/** Judges keys as the data path does, so a call is never recorded for another application. */
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
      // Without the database the record could not be written either.
      () => undefined,
    )
  }

  return (call, endedAt, found) => {
    if (!mayBeRecorded(call)) return
    if (second !== Math.floor(endedAt / 1_000)) {
      second = Math.floor(endedAt / 1_000)
      recognisable = recognisedMax
      askable = askedMax
    }
    if (recognisable === 0) return
    const { key } = call.fields
    if (key === undefined || key === 'doubled') return
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
