import type { Keyring } from '../sealing/keyring.ts'
import { seal, unseal } from '../sealing/sealed.ts'
import type { Letter } from './letters.ts'

/** A mail as it waits: everything but its sender's address. */
export interface WaitingMail {
  readonly kind: Letter['kind']
  /** Null: a decoy. */
  readonly to: string | null
  /** With its angle brackets. */
  readonly messageId: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The sender's name where MAIL_FROM has none. */
  readonly sender?: string | undefined
  /** Address of RFC 8058's one-click request; null if the mail has no opt-out. */
  readonly optOutUrl: string | null
}

const purpose = 'tollgate portal mail'

/** Encrypts a mail. */
export function sealMail(key: Keyring, mail: WaitingMail): Buffer {
  return seal(key, purpose, JSON.stringify(mail))
}

/** Undefined when it was sealed under another key, or is damaged. */
export function unsealMail(key: Keyring, sealed: Buffer): WaitingMail | undefined {
  const plain = unseal(key, purpose, sealed)
  // What carries our tag was written by `sealMail`.
  return plain === undefined ? undefined : (JSON.parse(plain) as WaitingMail)
}
