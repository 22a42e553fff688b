export type KeyState = 'active' | 'replaced' | 'expired' | 'revoked'

/** What the state of a key depends on. */
export interface KeyLife {
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  /** The key that took over; null: none. */
  readonly replacedBy: string | null
}

/** The state of a key at a time (milliseconds since 1970). */
export function keyState(key: KeyLife, at: number): KeyState {
  if (key.expiresAt !== null && key.expiresAt.getTime() <= at) {
    // A revocation after the expiry changes nothing.
    const wasRevoked = key.revokedAt !== null && key.revokedAt < key.expiresAt
    return wasRevoked ? 'revoked' : 'expired'
  }
  if (key.revokedAt !== null) return 'revoked'
  return key.replacedBy === null ? 'active' : 'replaced'
}

/** Whether gateways take the key at a time: it is active, or replaced and within its overlap. */
export function isWorking(key: KeyLife, at: number): boolean {
  const state = keyState(key, at)
  return state === 'active' || state === 'replaced'
}
