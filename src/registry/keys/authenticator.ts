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

/** Time until a refresh is tried again if the last one failed or is still running. */
const refreshAgainMs = 1_000

/**
 * Recognises keys from memory where possible. When a key is due for a refresh,
 * its cached state still serves the call while the database is asked:
 * revocations arrive by the change feed, and a call must not wait for a slow
 * database.
 */
export function createAuthenticator(options: AuthenticatorOptions): KeyAuthenticator & KeyMemory {
  const { cache, lookUps, peppers, lastUsed, pepperUpgrades, now, monotonicNow } = options

  /** Whether this process lacks the pepper of the key, so that it cannot verify the key. */
  function lacksPepper({ record }: CachedKey): boolean {
    return record !== undefined && !peppers.secrets.has(record.pepperVersion)
  }

  /** Verifies a key against its record by its MAC. */
  function verify(key: ParsedKey, entry: CachedKey): Authentication {
    if (lacksPepper(entry)) return 'unreachable'
    const at = now()
    const outcome = judgeKey(key, entry.record, { peppers, nowMs: at })
    if (outcome === 'invalid') return outcome
    entry.proven = proofOf(key.text)
    if (hasOldPepper(entry)) pepperUpgrades.note(key)
    noteUse(key.id, entry, at)
    return outcome
  }

  /** Recognises a key that was verified before, without its MAC; undefined: it must be verified. */
  function recognise(text: string, entry: CachedKey): Authentication | undefined {
    const { record, proven } = entry
    if (record === undefined || proven === undefined || !isProven(text, proven)) return undefined
    const at = now()
    if (record.expiresAt <= at) return 'invalid'
    noteUse(record.caller.keyId, entry, at)
    return record.caller
  }

  /** Notes at most one use a minute. */
  function noteUse(id: string, entry: CachedKey, at: number): void {
    const minute = Math.floor(at / 60_000)
    if (entry.usedMinute !== minute) {
      entry.usedMinute = minute
      lastUsed.note(id, at)
    }
  }

  /** @returns whether it began a refresh */
  function refreshIfDue(id: string, entry: CachedKey): boolean {
    const at = monotonicNow()
    if (entry.refreshAt > at) return false
    entry.refreshAt = at + refreshAgainMs
    lookUps.refresh(id)
    return true
  }

  function hasOldPepper({ record }: CachedKey): boolean {
    return record !== undefined && record.pepperVersion < peppers.current
  }

  return {
    authenticate(text, done) {
      const id = idOf(text)
      const entry = cache.find(id)
      const known = entry === undefined ? undefined : recognise(text, entry)
      if (entry !== undefined && known !== undefined) {
        const isRefreshed = refreshIfDue(id, entry)
        // The pepper may have changed since the key was verified. Checked once per refresh, not for each call.
        if (isRefreshed && known !== 'invalid' && hasOldPepper(entry)) {
          pepperUpgrades.note({ id, text })
        }
        done(known)
        return
      }
      const key = parseKey(text)
      if (key === undefined) {
        done('invalid')
        return
      }
      // Without its pepper, the entry is of no use; by now the key may be stored under another one.
      if (entry === undefined || lacksPepper(entry)) {
        lookUps.find(key.id, (outcome) => {
          done(outcome === 'unreachable' ? outcome : verify(key, outcome))
        })
        return
      }
      refreshIfDue(key.id, entry)
      done(verify(key, entry))
    },

    recogniseCached(text) {
      const key = parseKey(text)
      if (key === undefined) return 'invalid'
      const entry = cache.find(key.id)
      if (entry === undefined || lacksPepper(entry)) return 'unknown'
      return ownerOfKey(key, entry.record, peppers) ?? 'invalid'
    },
  }
}
