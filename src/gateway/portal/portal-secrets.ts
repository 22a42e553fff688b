import { hkdfSync, randomBytes } from 'node:crypto'

/**
 * The keys derived from SESSION_SECRET, one per purpose, so that a leaked key
 * reveals nothing about another. 256 bits each.
 */
export interface PortalSecrets {
  /** Signs the id in the session's cookie; base64url. */
  readonly cookie: string
  /** Seals mails that wait to be sent. */
  readonly mails: Buffer
  /** Signs the opt-out links of mails. */
  readonly optOut: Buffer
  /** Seals the secrets of webhooks. */
  readonly webhooks: Buffer
  /** Seals the secrets of authenticator apps. */
  readonly totp: Buffer
  /** Turns addresses into the names under which attempts are counted. */
  readonly attempts: Buffer
  /** Proves that a browser was used by the owner of an account. */
  readonly devices: Buffer
  /** Seals what a browser keeps while its person is at the OpenID Connect provider. */
  readonly oidc: Buffer
}

/** How an embedded installation keeps SESSION_SECRET. */
export const embeddedSessionSecret = {
  name: 'session-secret',
  generate: (): string => randomBytes(32).toString('base64url'),
} as const

/** Derives the keys (HKDF-SHA-256, RFC 5869). Another secret ends every session, makes waiting mails unreadable (they are given up after a day), and voids opt-out links, authenticator apps and secrets of webhooks; passkeys and recovery codes keep working. */
export function derivePortalSecrets(sessionSecret: string): PortalSecrets {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', sessionSecret, '', `tollgate portal ${purpose}`, 32))
  return {
    cookie: derive('cookie').toString('base64url'),
    mails: derive('mails'),
    optOut: derive('opt-out'),
    webhooks: derive('webhooks'),
    totp: derive('totp'),
    attempts: derive('attempts'),
    devices: derive('devices'),
    oidc: derive('oidc'),
  }
}
