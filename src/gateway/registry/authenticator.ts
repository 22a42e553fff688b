import { judgeKey, ownerOfKey } from './judge-key.ts'
import type { CachedKey, KeyCache } from './key-cache.ts'
import { type ParsedKey, parseKey } from './key-format.ts'
import type { KeyLookUps } from './key-lookups.ts'
import type { Peppers } from './key-mac.ts'
import type { LastUsed } from './last-used.ts'
import type { Authentication, KeyAuthenticator, KeyMemory } from './registry.ts'

export interface AuthenticatorOptions {
  readonly cache: KeyCache
  readonly lookUps: KeyLookUps
  readonly peppers: Peppers
  readonly lastUsed: Pick<LastUsed, 'note'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly monotonicNow: () => number
}

/** After a failed or still unanswered refresh, when to try again. */
const refreshAgainMs = 1_000

/**
 * Recognises keys from memory where it can. A key that is due for a look at
 * the database is served as it is known while the look is taken: revocations
 * arrive by the change feed, and a call must not wait for a slow database.
 */
export function createAuthenticator(options: AuthenticatorOptions): KeyAuthenticator & KeyMemory {
  const { cache, lookUps, peppers, lastUsed, now, monotonicNow } = options

  function judge(key: ParsedKey, entry: CachedKey): Authentication {
    const at = now()
    const outcome = judgeKey(key, entry.record, { peppers, nowMs: at })
    if (outcome === 'invalid') return outcome
    const minute = Math.floor(at / 60_000)
    if (entry.usedMinute !== minute) {
      entry.usedMinute = minute
      lastUsed.note(key.id, minute)
    }
    return outcome
  }

  return {
    authenticate(text, done) {
      const key = parseKey(text)
      if (key === undefined) {
        done('invalid')
        return
      }
      const entry = cache.find(key.id)
      if (entry === undefined) {
        lookUps.find(key.id, (outcome) => {
          done(outcome === 'unreachable' ? outcome : judge(key, outcome))
        })
        return
      }
      const at = monotonicNow()
      if (entry.refreshAt <= at) {
        entry.refreshAt = at + refreshAgainMs
        lookUps.refresh(key.id)
      }
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
