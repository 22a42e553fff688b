// This folder recognises API keys. Read this file first: it answers from `key-cache.ts` where possible, and from the
// database through `key-lookups.ts`. `judge-key.ts` decides whether a key is valid, `key-format.ts` says what it looks
// like and `key-mac.ts` how it is stored. `keys.ts` creates and changes keys for the portal and commands. A key itself
// is never stored.

import type { Authentication, KeyAuthenticator, KeyMemory } from '../registry.ts'
import { judgeKey, ownerOfKey } from './judge-key.ts'
import type { CachedKey, KeyCache } from './key-cache.ts'
import { idOf, type ParsedKey, parseKey } from './key-format.ts'
import type { KeyLookUps } from './key-lookups.ts'
import type { Peppers } from './key-mac.ts'
import type { LastUsed } from './last-used.ts'
import type { PepperUpgrades } from './pepper-upgrades.ts'
import { isProven, proofOf } from './proven-key.ts'

export interface AuthenticatorOptions {
  readonly cache: KeyCache
  readonly lookUps: KeyLookUps
  readonly peppers: Peppers
  readonly lastUsed: Pick<LastUsed, 'note'>
  readonly pepperUpgrades: Pick<PepperUpgrades, 'note'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly monotonicNow: () => number
}

/** Time until the next attempt after a refresh that failed or is still running. */
const refreshAgainMs = 1_000

/**
 * Recognises keys from memory where possible. When a key is due for a refresh,
 * its cached state still serves the call while the database is asked:
 * revocations arrive by the change feed, and a call must not wait for a slow
 * database.
 */
export function createAuthenticator(options: AuthenticatorOptions): KeyAuthenticator & KeyMemory {
  const { cache, lookUps, peppers, lastUsed, pepperUpgrades, now, monotonicNow } = options

  /** Whether it takes a pepper that this process does not have: nothing can be said about the key. */
  function lacksPepper({ record }: CachedKey): boolean {
    return record !== undefined && !peppers.secrets.has(record.pepperVersion)
  }

  function judge(key: ParsedKey, entry: CachedKey): Authentication {
    if (lacksPepper(entry)) return 'unreachable'
    const at = now()
    const outcome = judgeKey(key, entry.record, { peppers, nowMs: at })
    if (outcome === 'invalid') return outcome
    entry.proven = proofOf(key.text)
    if ((entry.record?.pepperVersion ?? 0) < peppers.current) pepperUpgrades.note(key)
    noteUse(key.id, entry, at)
    return outcome
  }

  /** Undefined when the key itself must be looked up. */
  function recognise(text: string, entry: CachedKey): Authentication | undefined {
    const { record, proven } = entry
    if (record === undefined || proven === undefined || !isProven(text, proven)) return undefined
    const at = now()
    if (record.expiresAt <= at) return 'invalid'
    noteUse(record.caller.keyId, entry, at)
    return record.caller
  }

  function noteUse(id: string, entry: CachedKey, at: number): void {
    const minute = Math.floor(at / 60_000)
    if (entry.usedMinute !== minute) {
      entry.usedMinute = minute
      lastUsed.note(id, at)
    }
  }

  function refreshIfDue(id: string, entry: CachedKey): boolean {
    const at = monotonicNow()
    if (entry.refreshAt > at) return false
    entry.refreshAt = at + refreshAgainMs
    lookUps.refresh(id)
    return true
  }

  /** A key that is recognised from memory is not judged, so the pepper may have changed since it was. */
  function moveToNewest(text: string, { record }: CachedKey): void {
    if ((record?.pepperVersion ?? 0) >= peppers.current) return
    const key = parseKey(text)
    if (key !== undefined) pepperUpgrades.note(key)
  }

  return {
    authenticate(text, done) {
      const id = idOf(text)
      const entry = cache.find(id)
      const known = entry === undefined ? undefined : recognise(text, entry)
      if (entry !== undefined && known !== undefined) {
        if (refreshIfDue(id, entry) && known !== 'invalid') moveToNewest(text, entry)
        done(known)
        return
      }
      const key = parseKey(text)
      if (key === undefined) {
        done('invalid')
        return
      }
      // A retired pepper: by now the key is stored under another one.
      if (entry === undefined || lacksPepper(entry)) {
        lookUps.find(key.id, (outcome) => {
          done(outcome === 'unreachable' ? outcome : judge(key, outcome))
        })
        return
      }
      refreshIfDue(key.id, entry)
      done(judge(key, entry))
    },

    recogniseCached(text) {
      const key = parseKey(text)
      if (key === undefined) return 'invalid'
      const entry = cache.find(key.id)
      if (entry === undefined) return 'unknown'
      return ownerOfKey(key, entry.record, peppers) ?? 'invalid'
    },
  }
}
