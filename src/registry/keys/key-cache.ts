import { isDeepStrictEqual } from 'node:util'
import { createBoundedMap } from '../../platform/bounded-map.ts'
import type { ChangeOf } from '../feed/change.ts'
import type { KeyRecord } from './key-record.ts'

/** A moment in the life of the cache. A look-up begun at it sees every change applied before. */
export interface Mark {
  /** Monotonic milliseconds. */
  readonly at: number
  /** Number of changes applied by then. */
  readonly sequence: number
}

/** What outdates entries: a change of a developer, of a key, or of what an application has. */
export type CachedChange =
  | Pick<ChangeOf<'developer'>, 'kind' | 'developerId'>
  | Pick<ChangeOf<'key'>, 'kind' | 'action' | 'keyId'>
  | {
      readonly kind: 'application' | 'subscription' | 'certificate'
      /** Absent: of no application, such as a certificate that is blocked. */
      readonly applicationId?: string
    }

export interface CachedKey {
  /** Undefined: the key does not exist. */
  readonly record: KeyRecord | undefined
  /** When the entry's look-up began. */
  readonly mark: Mark
  /** Monotonic milliseconds before which no refresh is needed. */
  refreshAt: number
  /** The last recorded minute of use (minutes since 1970). */
  usedMinute: number
  /** SHA-256 of the key once it was verified against the record; undefined before. */
  proven: Buffer | undefined
}

/**
 * The gateway's cache of keys, and the rules for how long an entry may serve
 * calls.
 *
 * Every entry carries the mark of the start of its look-up. A change applied
 * later makes the entry stale, no matter when the result arrives. So a look-up
 * that began before a revocation can never bring the key back.
 */
export interface KeyCache {
  mark(): Mark
  /** Undefined when the cache has no entry that may still serve calls. */
  find(id: string): CachedKey | undefined
  /**
   * Stores the result of a look-up begun at `mark`. Returns the entry, or
   * undefined when a change has made the result stale: then look the key up
   * again.
   */
  keep(id: string, record: KeyRecord | undefined, mark: Mark): CachedKey | undefined
  /** Applies a change of the feed. */
  apply(change: CachedChange): void
  /** Makes every entry stale, because changes may have been missed. */
  forgetAll(): void
  readonly size: number
}

export interface KeyCacheOptions {
  /** Monotonic milliseconds. */
  readonly monotonicNow: () => number
  /** Known keys per generation, of which there are two; about 0.5 KB each. (Default: 100,000) */
  readonly capacity?: number
}

/** Time before a known key is refreshed. */
const freshMs = 30_000
/** Time for which a known key still serves calls when its refresh fails. */
const servableMs = 300_000
/** Time for which an unknown id stays cached as unknown. */
const unknownMs = 5_000
/** Unknown ids have a separate map, so that strangers cannot push out known keys. */
const unknownCapacity = 10_000
/** Maximum number of changes kept one by one; beyond it every entry becomes stale. */
const changesMax = 50_000

export function createKeyCache({ monotonicNow, capacity = 100_000 }: KeyCacheOptions): KeyCache {
  const known = createBoundedMap<CachedKey>({ capacity })
  const unknown = createBoundedMap<CachedKey>({ capacity: unknownCapacity })
  // Last change of each key, by id. Insertion order is age.
  const changedKeys = new Map<string, Mark>()
  const changedApplications = new Map<string, Mark>()
  const changedDevelopers = new Map<string, Mark>()
  const revokedKeys = new Map<string, Mark>()
  let sequence = 0
  let forgottenBefore = 0

  function isOutdated(id: string, record: KeyRecord | undefined, mark: Mark): boolean {
    if (mark.sequence < forgottenBefore) return true
    if (mark.sequence === sequence) return false
    return (
      isLater(changedKeys.get(id), mark) ||
      (record !== undefined &&
        (isLater(changedApplications.get(record.caller.applicationId), mark) ||
          isLater(changedDevelopers.get(record.caller.developerId), mark)))
    )
  }

  function note(changes: Map<string, Mark>, id: string, mark: Mark): void {
    changes.delete(id)
    changes.set(id, mark)
    // Entries looked up before the oldest change are too old to serve calls.
    for (const [oldest, { at }] of changes) {
      if (mark.at - at <= servableMs * 2) break
      changes.delete(oldest)
    }
    if (changes.size > changesMax) forgetAll()
  }

  function forgetAll(): void {
    sequence += 1
    forgottenBefore = sequence
    known.clear()
    unknown.clear()
    changedKeys.clear()
    changedApplications.clear()
    changedDevelopers.clear()
    // Tombstones stay: no key comes back after a revocation.
    while (revokedKeys.size > changesMax) {
      const [oldest] = revokedKeys.keys()
      if (oldest !== undefined) revokedKeys.delete(oldest)
    }
  }

  return {
    mark: () => ({ at: monotonicNow(), sequence }),

    find(id) {
      const entry = known.get(id) ?? unknown.get(id)
      if (entry === undefined) return undefined
      const age = monotonicNow() - entry.mark.at
      const limit = entry.record === undefined && !revokedKeys.has(id) ? unknownMs : servableMs
      if (age < limit && !isOutdated(id, entry.record, entry.mark)) return entry
      known.delete(id)
      unknown.delete(id)
      return undefined
    },

    keep(id, found, mark) {
      const record = revokedKeys.has(id) ? undefined : found
      if (isOutdated(id, record, mark)) return undefined
      const refreshAt = mark.at + freshMs
      const before = known.get(id)
      // An unchanged caller stays the same object, because other components cache what they derive from it.
      const isSame = before !== undefined && isDeepStrictEqual(before.record, record)
      const entry: CachedKey = isSame
        ? { ...before, mark, refreshAt }
        : { record, mark, refreshAt, usedMinute: 0, proven: undefined }
      known.delete(id)
      unknown.delete(id)
      const map = record === undefined ? unknown : known
      map.set(id, entry)
      return entry
    },

    apply(change) {
      sequence += 1
      const mark = { at: monotonicNow(), sequence }
      if (change.kind === 'developer') {
        note(changedDevelopers, change.developerId, mark)
      } else if (change.kind !== 'key') {
        const { applicationId } = change
        if (applicationId !== undefined) note(changedApplications, applicationId, mark)
      } else {
        const { action, keyId } = change
        note(changedKeys, keyId, mark)
        if (action !== 'revoke') return
        note(revokedKeys, keyId, mark)
        known.delete(keyId)
        // Cached as revoked, so that even during an outage the refusal stays certain.
        unknown.set(keyId, {
          record: undefined,
          mark,
          refreshAt: Number.POSITIVE_INFINITY,
          usedMinute: 0,
          proven: undefined,
        })
      }
    },

    forgetAll,

    get size() {
      return known.size + unknown.size
    },
  }
}

function isLater(change: Mark | undefined, mark: Mark): boolean {
  return change !== undefined && change.sequence > mark.sequence
}
