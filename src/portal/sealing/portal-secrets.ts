// This folder encrypts what the portal keeps. Read this file first: it derives one `Keyring` for each purpose from
// SESSION_SECRET. `sealed.ts` encrypts and decrypts with one, by the cipher of `aes-gcm.ts`, and `re-seal.ts` moves
// stored secrets to the newest SESSION_SECRET. What is sealed belongs to `accounts/`, `alerts/` and `mail/`.

import { hkdfSync, randomBytes } from 'node:crypto'
import { Signer } from '@fastify/cookie'
import { splitSecrets } from '../../platform/settings/secret-list.ts'
import type { Keyring } from './keyring.ts'

/**
 * The keys derived from SESSION_SECRET, one per purpose, so that a leaked key
 * reveals nothing about another. 256 bits each. Each setting may hold several
 * secrets, and change while the process runs.
 */
export interface PortalSecrets {
  /** Signs the id in the session's cookie. */
  readonly cookie: Pick<Signer, 'sign' | 'unsign'>
  /** Seals mails that wait to be sent. */
  readonly mails: Keyring
  /** Signs the opt-out links of mails. */
  readonly optOut: Keyring
  /** Seals the secrets of webhooks. */
  readonly webhooks: Keyring
  /** Seals the secrets of authenticator apps. */
  readonly totp: Keyring
  /** Turns addresses into the names under which attempts are counted. */
  readonly attempts: Keyring
  /** Proves that a browser was used by the owner of an account. */
  readonly devices: Keyring
  /** Seals what a browser keeps while its person is at the OpenID Connect provider. */
  readonly oidc: Keyring
}

/** How an embedded installation keeps SESSION_SECRET. */
export const embeddedSessionSecret = {
  name: 'session-secret',
  generate: (): string => randomBytes(32).toString('base64url'),
} as const

/**
 * Derives the keys (HKDF-SHA-256, RFC 5869) from each secret of SESSION_SECRET.
 * Once a secret has left the list, what only it protects is void: sessions,
 * waiting mails (they are given up after a day), opt-out links, and the
 * authenticator apps and secrets of webhooks that `re-seal.ts` has not moved.
 * Passkeys and recovery codes keep working.
 *
 * @param setting asked at each use
 */
export function derivePortalSecrets(setting: () => string): PortalSecrets {
  function keyring(purpose: string): Keyring {
    let text: string | undefined
    let keys: readonly [Buffer, ...Buffer[]] = [Buffer.alloc(0)]
    function now(): readonly [Buffer, ...Buffer[]] {
      if (text === setting()) return keys
      text = setting()
      const [first = '', ...others] = splitSecrets(text)
      keys = [derive(first, purpose), ...others.map((secret) => derive(secret, purpose))]
      return keys
    }
    return {
      get newest() {
        return now()[0]
      },
      get all() {
        return now()
      },
    }
  }

  return {
    cookie: signer(keyring('cookie')),
    mails: keyring('mails'),
    optOut: keyring('opt-out'),
    webhooks: keyring('webhooks'),
    totp: keyring('totp'),
    attempts: keyring('attempts'),
    devices: keyring('devices'),
    oidc: keyring('oidc'),
  }
}

function derive(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `tollgate portal ${purpose}`, 32))
}

/** Signs cookies as @fastify/cookie does. */
function signer(keyring: Keyring): PortalSecrets['cookie'] {
  const signerOf = (all: readonly Buffer[]): Signer =>
    new Signer(all.map((key) => key.toString('base64url')))
  let keys = keyring.all
  let made = signerOf(keys)
  function now(): Signer {
    if (keys === keyring.all) return made
    keys = keyring.all
    made = signerOf(keys)
    return made
  }
  return { sign: (value) => now().sign(value), unsign: (input) => now().unsign(input) }
}
