import type { ErrorCode } from '../../../platform/http/errors.ts'
import { parseKey } from '../../../registry/keys/key-format.ts'
import type { Call } from '../call.ts'

/** Refusals by the key check itself: the caller cannot be found again. */
const unauthenticated: ReadonlySet<ErrorCode> = new Set([
  'KEY_MISSING',
  'ATTEMPTS_EXCEEDED',
  'REGISTRY_UNAVAILABLE',
])

/**
 * Whether the portal may have a record of this call: its application is known,
 * or can be found by the key. Judges an unknown key by its form only, so that
 * the answer does not reveal whether a key existed.
 */
export function mayBeRecorded({ caller, refusal, fields: { key } }: Call): boolean {
  if (caller !== undefined) return true
  if (refusal === undefined || unauthenticated.has(refusal)) return false
  return key !== undefined && key !== 'doubled' && parseKey(key.value) !== undefined
}
