import type { Words } from './letter-body.ts'
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

const linkRules = 'The link works once and expires after ten minutes.'

/** Letters about the account itself. They hold no name: a stranger may have typed both the name and the address. */
export const accountLetters = {
  /** To an address that has no account: the link sets its password. */
  'sign-up': (portalUrl: string, { token }: Token) => ({
    subject: 'Confirm your address',
    blocks: [
      'We received a request to create a developer account with this email address. Open the link to choose a password and sign in.',
      { link: 'Confirm the address', url: `${portalUrl}/verify#token=${token}` },
      `${linkRules} If you did not request this, ignore this email. No account is created without the link.`,
    ],
  }),

  /** A sign-up used an address that already has an account. */
  'known-address': (portalUrl: string) => ({
    subject: 'You already have an account',
    blocks: [
      'We received a request to use this email address for a developer account. It already has one, so nothing was changed.',
      { link: 'Sign in', url: `${portalUrl}/sign-in` },
      { link: 'Forgot your password? Choose a new one', url: `${portalUrl}/reset` },
      'If you did not request this, ignore this email.',
    ],
  }),

  /** The link sets a new password. */
  'password-reset': (portalUrl: string, { token }: Token) => ({
    subject: 'Choose a new password',
    blocks: [
      'We received a request to reset the password of your developer account.',
      { link: 'Choose a new password', url: `${portalUrl}/reset/confirm#token=${token}` },
      `${linkRules} A new password signs you out on all devices. If you did not request this, ignore this email. Your password stays the same.`,
    ],
  }),

  'password-changed': (portalUrl: string, { at }: Moment) => ({
    subject: 'Your password was changed',
    blocks: [
      `The password of your developer account was changed on ${utcTime(at)}. You are signed out on all other devices.`,
      { link: 'If this was not you, choose a new password now', url: `${portalUrl}/reset` },
    ],
  }),

  /** To the new address: its link replaces the old address. */
  'email-change': (portalUrl: string, { token }: Token) => ({
    subject: 'Confirm your new address',
    blocks: [
      'We received a request to use this email address for a developer account. Open the link to confirm it. Until then, the account keeps its old address.',
      { link: 'Confirm the new address', url: `${portalUrl}/confirm-email#token=${token}` },
      `${linkRules} If you did not request this, ignore this email.`,
    ],
  }),

  /** To the old address, after the new one has replaced it. */
  'address-changed': (_portalUrl: string, { at }: Moment) => ({
    subject: 'Your email address was changed',
    blocks: [
      `The email address of your developer account was changed on ${utcTime(at)}. This is the last email to the old address.`,
      'If this was not you, contact the operator of the portal now. The person who changed it can create and revoke your API keys.',
    ],
  }),

  /** After too many failures of strangers only known browsers can sign in for a day. */
  'sign-in-paused': (portalUrl: string) => ({
    subject: 'Sign-in is paused on new devices',
    blocks: [
      'There were too many failed attempts to sign in to your account. For a day, you can sign in only with a browser that you have used before. To use another browser, choose a new password there. Your applications and their keys keep working.',
      { link: 'Choose a new password', url: `${portalUrl}/reset` },
    ],
  }),

  /** An authenticator app or a passkey was added. */
  'factor-added': (portalUrl: string, { factor, at }: FactorChange) => ({
    subject: 'A second factor was added',
    blocks: [
      `${capital(factorNames[factor])} was added to your developer account on ${utcTime(at)}. From now on, you need a second factor to sign in.`,
      ...wasNotYou(portalUrl),
    ],
  }),

  'factor-removed': (portalUrl: string, { factor, at }: FactorChange) => ({
    subject: 'A second factor was removed',
    blocks: [
      `${capital(factorNames[factor])} was removed from your developer account on ${utcTime(at)}.`,
      ...wasNotYou(portalUrl),
    ],
  }),

  /** A command removed all second factors. */
  'factors-reset': (_portalUrl: string, { at }: Moment) => ({
    subject: 'Your second factors were removed',
    blocks: [
      `The operator of the portal removed the authenticator app, the passkeys and the recovery codes of your account on ${utcTime(at)}. You are signed out on all devices.`,
      'If you did not request this, contact the operator of the portal now.',
    ],
  }),

  'recovery-code-used': (portalUrl: string, { at }: Moment) => ({
    subject: 'A recovery code was used',
    blocks: [
      `A recovery code of your developer account was used on ${utcTime(at)}. That code no longer works.`,
      ...wasNotYou(portalUrl),
    ],
  }),

  'recovery-codes-replaced': (portalUrl: string, { at }: Moment) => ({
    subject: 'You have new recovery codes',
    blocks: [
      `The recovery codes of your developer account were replaced on ${utcTime(at)}. The old ones no longer work.`,
      ...wasNotYou(portalUrl),
    ],
  }),

  /** After ten wrong codes that followed the right password. */
  'codes-refused': (portalUrl: string) => ({
    subject: 'Ten wrong codes for your account',
    blocks: [
      'A wrong code for your second factor was entered ten times in a row, after the right password. If this was not you, another person knows your password.',
      { link: 'Choose a new password now', url: `${portalUrl}/reset` },
    ],
  }),

  /** An operator approved the account. */
  approved: (portalUrl: string) => ({
    subject: 'Your account is approved',
    blocks: [
      'An operator has approved your developer account.',
      { link: 'Sign in', url: `${portalUrl}/sign-in` },
    ],
  }),
} satisfies Record<string, Words>

const factorNames = { totp: 'an authenticator app', passkey: 'a passkey' } as const

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What to do about a change by a stranger. */
function wasNotYou(portalUrl: string) {
  return [
    { link: 'If this was not you, choose a new password now', url: `${portalUrl}/reset` },
    'Then check the second factors in your profile, and contact the operator of the portal.',
  ]
}
