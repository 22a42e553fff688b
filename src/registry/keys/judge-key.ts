import type { Caller } from '../registry.ts'
import type { ParsedKey } from './key-format.ts'
import { keyMac, type Peppers, sameMac } from './key-mac.ts'
import type { KeyRecord } from './key-record.ts'

/** A MAC that matches no key, so that an unknown id costs the same work as a wrong secret. */
const nobodysMac = Buffer.alloc(32)

/**
 * Decides whether a presented key is the recorded one and still valid. Its
 * duration does not reveal why a key is invalid.
 *
 * @param record the record of the key's id; undefined if unknown
 * @param nowMs milliseconds since 1970
 */
export function judgeKey(
  key: ParsedKey,
  record: KeyRecord | undefined,
  { peppers, nowMs }: { readonly peppers: Peppers; readonly nowMs: number },
): Caller | 'invalid' {
  const caller = ownerOfKey(key, record, peppers)
  if (caller === undefined || record === undefined || record.expiresAt <= nowMs) return 'invalid'
  return caller
}

/**
 * The owner of a presented key that matches the record, even if expired. Its
 * duration does not reveal why a key does not match.
 */
export function ownerOfKey(
  key: ParsedKey,
  record: KeyRecord | undefined,
  peppers: Peppers,
): Caller | undefined {
  const mac =
    keyMac(peppers, record?.pepperVersion ?? peppers.current, key.text) ??
    keyMac(peppers, peppers.current, key.text) ??
    nobodysMac
  const isSame = sameMac(mac, record?.mac ?? nobodysMac)
  return isSame ? record?.caller : undefined
}
