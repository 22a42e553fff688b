import type * as registered from '../registry/applications.ts'
import { keyState } from '../registry/key-state.ts'
import type { ApiKey, IssuedKey as Issued } from '../registry/keys.ts'
import type * as joined from '../registry/subscriptions.ts'
import type { Application, IssuedKey, Key, Subscription } from './schemas/applications.ts'

/** An application as the JSON API shows it. */
export function applicationAnswer({
  id,
  name,
  createdAt,
  suspendedAt,
  strict,
}: registered.Application): Application {
  return { id, name, createdAt: instant(createdAt), suspendedAt: instant(suspendedAt), strict }
}

/** A subscription as the JSON API shows it. */
export function subscriptionAnswer(subscription: joined.Subscription): Subscription {
  const { id, api, version, plan, createdAt, endedAt } = subscription
  return { id, api, version, plan, createdAt: instant(createdAt), endedAt: instant(endedAt) }
}

/** A key as the JSON API shows it at a time (milliseconds since 1970). */
export function keyAnswer(key: ApiKey, nowMs: number): Key {
  const { id, name, hint, replacedBy } = key
  const state = keyState(key, nowMs)
  return {
    id,
    name,
    hint,
    state,
    createdAt: instant(key.createdAt),
    expiresAt: instant(key.expiresAt),
    // Revoking an expired key only frees its name; developers still see it as expired.
    revokedAt: state === 'revoked' ? instant(key.revokedAt) : null,
    lastUsedAt: instant(key.lastUsedAt),
    replacedBy,
  }
}

/** A new key: the only answer that holds the key itself. */
export function issuedKeyAnswer(issued: Issued, nowMs: number): IssuedKey {
  return { ...keyAnswer(issued, nowMs), key: issued.key }
}

/** ISO 8601 in UTC with milliseconds. */
export function instant(date: Date): string
export function instant(date: Date | null): string | null
export function instant(date: Date | null): string | null {
  return date === null ? null : date.toISOString()
}
