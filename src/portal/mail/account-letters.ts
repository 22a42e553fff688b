import type { Words } from '../../messages/format.ts'
import type { LetterWriter } from './letter-body.ts'
import { utcTime } from './utc-time.ts'

interface Token {
  readonly token: string
}
interface Moment {
  readonly at: Date
}
interface FactorChange extends Moment {
  readonly factor: 'totp' | 'passkey'
}

/** Letters about the account itself. They hold no name: a stranger may have typed both the name and the address. */
export const accountLetters = {
  /** To an address that has no account: the link sets its password. */
  'sign-up': (portalUrl: string, { token }: Token, { t }: Words) => ({
    subject: t('mail.signUp.subject'),
    blocks: [
      t('mail.signUp.lead'),
      { link: t('mail.signUp.link'), url: `${portalUrl}/verify#token=${token}` },
      t('mail.signUp.rules'),
    ],
  }),

  /** A sign-up used an address that already has an account. */
  'known-address': (portalUrl: string, _facts: object, { t }: Words) => ({
    subject: t('mail.knownAddress.subject'),
    blocks: [
      t('mail.knownAddress.lead'),
      { link: t('mail.signIn'), url: `${portalUrl}/sign-in` },
      { link: t('mail.knownAddress.reset'), url: `${portalUrl}/reset` },
      t('mail.knownAddress.ignore'),
    ],
  }),

  /** The link sets a new password. */
  'password-reset': (portalUrl: string, { token }: Token, { t }: Words) => ({
    subject: t('mail.passwordReset.subject'),
    blocks: [
      t('mail.passwordReset.lead'),
      { link: t('mail.passwordReset.link'), url: `${portalUrl}/reset/confirm#token=${token}` },
      t('mail.passwordReset.rules'),
    ],
  }),

  'password-changed': (portalUrl: string, { at }: Moment, { t, language }: Words) => ({
    subject: t('mail.passwordChanged.subject'),
    blocks: [
      t('mail.passwordChanged.lead', { at: utcTime(at, language) }),
      { link: t('mail.notYou'), url: `${portalUrl}/reset` },
    ],
  }),

  /** To the new address: its link replaces the old address. */
  'email-change': (portalUrl: string, { token }: Token, { t }: Words) => ({
    subject: t('mail.emailChange.subject'),
    blocks: [
      t('mail.emailChange.lead'),
      { link: t('mail.emailChange.link'), url: `${portalUrl}/confirm-email#token=${token}` },
      t('mail.emailChange.rules'),
    ],
  }),

  /** To the old address, after the new one has replaced it. */
  'address-changed': (_portalUrl: string, { at }: Moment, { t, language }: Words) => ({
    subject: t('mail.addressChanged.subject'),
    blocks: [
      t('mail.addressChanged.lead', { at: utcTime(at, language) }),
      t('mail.addressChanged.notYou'),
    ],
  }),

  /** After too many failures of strangers only known browsers can sign in for a day. */
  'sign-in-paused': (portalUrl: string, _facts: object, { t }: Words) => ({
    subject: t('mail.signInPaused.subject'),
    blocks: [
      t('mail.signInPaused.lead'),
      { link: t('mail.passwordReset.link'), url: `${portalUrl}/reset` },
    ],
  }),

  /** An authenticator app or a passkey was added. */
  'factor-added': (portalUrl: string, { factor, at }: FactorChange, words: Words) => ({
    subject: words.t('mail.factorAdded.subject'),
    blocks: [
      words.t('mail.factorAdded.lead', { factor, at: utcTime(at, words.language) }),
      ...wasNotYou(portalUrl, words),
    ],
  }),

  'factor-removed': (portalUrl: string, { factor, at }: FactorChange, words: Words) => ({
    subject: words.t('mail.factorRemoved.subject'),
    blocks: [
      words.t('mail.factorRemoved.lead', { factor, at: utcTime(at, words.language) }),
      ...wasNotYou(portalUrl, words),
    ],
  }),

  /** A command removed all second factors. */
  'factors-reset': (_portalUrl: string, { at }: Moment, { t, language }: Words) => ({
    subject: t('mail.factorsReset.subject'),
    blocks: [
      t('mail.factorsReset.lead', { at: utcTime(at, language) }),
      t('mail.factorsReset.notYou'),
    ],
  }),

  'recovery-code-used': (portalUrl: string, { at }: Moment, words: Words) => ({
    subject: words.t('mail.recoveryCodeUsed.subject'),
    blocks: [
      words.t('mail.recoveryCodeUsed.lead', { at: utcTime(at, words.language) }),
      ...wasNotYou(portalUrl, words),
    ],
  }),

  'recovery-codes-replaced': (portalUrl: string, { at }: Moment, words: Words) => ({
    subject: words.t('mail.recoveryCodesReplaced.subject'),
    blocks: [
      words.t('mail.recoveryCodesReplaced.lead', { at: utcTime(at, words.language) }),
      ...wasNotYou(portalUrl, words),
    ],
  }),

  /** After ten wrong codes that followed the right password. */
  'codes-refused': (portalUrl: string, _facts: object, { t }: Words) => ({
    subject: t('mail.codesRefused.subject'),
    blocks: [
      t('mail.codesRefused.lead'),
      { link: t('mail.codesRefused.link'), url: `${portalUrl}/reset` },
    ],
  }),

  /** An operator approved the account. */
  approved: (portalUrl: string, _facts: object, { t }: Words) => ({
    subject: t('mail.approved.subject'),
    blocks: [t('mail.approved.lead'), { link: t('mail.signIn'), url: `${portalUrl}/sign-in` }],
  }),
} satisfies Record<string, LetterWriter>

/** What to do about a change by a stranger. */
function wasNotYou(portalUrl: string, { t }: Words) {
  return [{ link: t('mail.notYou'), url: `${portalUrl}/reset` }, t('mail.notYouFactors')]
}
