import { Secret, TOTP } from 'otpauth'
import type { Language } from '../../messages/language.ts'
import type { Keyring } from '../sealing/keyring.ts'
import { reSealed, seal, unseal } from '../sealing/sealed.ts'

/** The owner of an authenticator app. */
export interface TotpOwner {
  readonly developerId: string
  readonly email: string
  /** The language in which apps name the bank. */
  readonly language: Language
}

/** A secret for an authenticator app. */
export interface NewTotp {
  /** As stored. */
  readonly sealed: Buffer
  /** Base32, 160 bits, to type in. */
  readonly secret: string
  /** `otpauth://totp/…`, to scan. */
  readonly uri: string
}

/**
 * Codes of authenticator apps (TOTP, RFC 6238): six digits, SHA-1, 30 seconds,
 * the only parameters that every app supports. A secret is sealed for its owner,
 * so that it opens in no other row.
 */
export interface Totp {
  create(owner: TotpOwner): NewTotp
  /**
   * The time step of a right code: of now, the step before or the step after,
   * since clocks of phones differ (RFC 6238, 5.2). Undefined for a wrong code,
   * and for a secret that was sealed under another SESSION_SECRET.
   */
  stepOf(developerId: string, sealed: Buffer, code: string): number | undefined
}

export interface TotpOptions {
  readonly key: Keyring
  /** Name of the bank in apps. */
  readonly brandName: (language: Language) => string
  /** The portal's own origin; apps show its host after the name. */
  readonly portalUrl: () => string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const stepMs = 30_000
const parameters = { algorithm: 'SHA1', digits: 6, period: stepMs / 1000 } as const

export function createTotp({ key, brandName, portalUrl, now }: TotpOptions): Totp {
  return {
    create({ developerId, email, language }) {
      const secret = new Secret({ size: 20 })
      // A colon would separate the issuer from the address.
      const name = brandName(language).replaceAll(':', ' ')
      const issuer = `${name} ${new URL(portalUrl()).hostname}`
      const uri = new TOTP({ ...parameters, issuer, label: email, secret }).toString()
      return {
        sealed: seal(key, purposeOf(developerId), secret.base32),
        secret: secret.base32,
        uri,
      }
    },

    stepOf(developerId, sealed, code) {
      const secret = unsealTotp(key, developerId, sealed)
      // The library compares octets and throws for a text of another length.
      if (secret === undefined || !/^\d{6}$/.test(code)) return undefined
      const timestamp = now()
      const totp = new TOTP({ ...parameters, secret: Secret.fromBase32(secret) })
      const delta = totp.validate({ token: code, timestamp, window: 1 })
      return delta === null ? undefined : Math.floor(timestamp / stepMs) + delta
    },
  }
}

/** Undefined when it was sealed under another key or for another developer. */
export function unsealTotp(key: Keyring, developerId: string, sealed: Buffer): string | undefined {
  return unseal(key, purposeOf(developerId), sealed)
}

/** The secret under the newest key; undefined when it is already. */
export function reSealTotp(key: Keyring, developerId: string, sealed: Buffer): Buffer | undefined {
  return reSealed(key, purposeOf(developerId), sealed)
}

function purposeOf(developerId: string): string {
  return `tollgate portal totp ${developerId}`
}
