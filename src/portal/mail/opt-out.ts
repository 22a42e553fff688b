import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../sealing/keyring.ts'

/** The mails that a developer can switch off; also the names of the preferences. */
const optionalMails = ['limits', 'deprecations', 'expiry'] as const
export type OptionalMail = (typeof optionalMails)[number]

/** A developer and the kind of mails that the developer no longer wants. */
export interface OptOut {
  readonly developerId: string
  readonly mail: OptionalMail
}

/** Unsubscribe tokens, each for one developer and one kind of mail. They never expire. */
export interface OptOuts {
  /** 66 characters base64url. */
  sign(optOut: OptOut): string
  /** Undefined if the token was not signed with one of our keys. */
  verify(token: string): OptOut | undefined
}

/** Number of each kind of mail in a token. 0 was for mails about keys, which have no opt-out now. */
const numbers: Readonly<Record<OptionalMail, number>> = {
  limits: 1,
  deprecations: 2,
  expiry: 3,
}

const idBytes = 16
const signatureBytes = 32

/** A token is the developer's id (16 bytes), the kind of mail (1 byte) and their HMAC-SHA-256 (32 bytes). */
export function createOptOuts({ key }: { key: Keyring }): OptOuts {
  function signatureOf(claim: Buffer, secret: Buffer): Buffer {
    return createHmac('sha256', secret).update(claim).digest()
  }

  return {
    sign({ developerId, mail }) {
      const id = Buffer.from(developerId.replaceAll('-', ''), 'hex')
      const claim = Buffer.concat([id, Buffer.of(numbers[mail])])
      return Buffer.concat([claim, signatureOf(claim, key.newest)]).toString('base64url')
    },

    verify(token) {
      const bytes = Buffer.from(token, 'base64url')
      // Several base64 strings decode to the same bytes; accepts only the canonical one.
      if (bytes.length !== idBytes + 1 + signatureBytes || bytes.toString('base64url') !== token) {
        return undefined
      }
      const claim = bytes.subarray(0, idBytes + 1)
      const given = bytes.subarray(idBytes + 1)
      if (!key.all.some((secret) => timingSafeEqual(given, signatureOf(claim, secret)))) {
        return undefined
      }
      const mail = optionalMails.find((name) => numbers[name] === claim[idBytes])
      const hex = claim.subarray(0, idBytes).toString('hex')
      const developerId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
      return mail === undefined ? undefined : { developerId, mail }
    },
  }
}
