import type { Words } from './letter-body.ts'
import { utcTime } from './utc-time.ts'

interface Token {
  readonly token: string
}
interface Moment {
  readonly at: Date
}

const linkRules = 'The link works once, for ten minutes.'

/** Letters about the account itself. They hold no name: a stranger may have typed both the name and the address. */
export const accountLetters = {
  /** To an address that has no account: the link sets its password. */
  'sign-up': (portalUrl: string, { token }: Token) => ({
    subject: 'Confirm your address',
    blocks: [
      'We received a request to create a developer account with this email address. Open the link to choose a password and sign in.',
      { link: 'Confirm the address', url: `${portalUrl}/verify#token=${token}` },
      `${linkRules} If you did not ask for it, ignore this email: no account is created.`,
    ],
  }),

  /** A sign-up used an address that already has an account. */
  'known-address': (portalUrl: string) => ({
    subject: 'You already have an account',
    blocks: [
      'We received a request to use this email address for a developer account. You already have an account with it, so nothing was changed.',
      { link: 'Sign in', url: `${portalUrl}/sign-in` },
      { link: 'Forgot your password? Choose a new one', url: `${portalUrl}/reset` },
      'If you did not ask for it, ignore this email.',
    ],
  }),

  /** The link sets a new password. */
  'password-reset': (portalUrl: string, { token }: Token) => ({
    subject: 'Choose a new password',
    blocks: [
      'We received a request to reset the password of your developer account.',
      { link: 'Choose a new password', url: `${portalUrl}/reset/confirm#token=${token}` },
      `${linkRules} The new password signs you out on all devices. If you did not ask for it, ignore this email: your password stays the same.`,
    ],
  }),

  'password-changed': (portalUrl: string, { at }: Moment) => ({
    subject: 'Your password was changed',
    blocks: [
      `The password of your developer account was changed on ${utcTime(at)}. You are signed out on all other devices.`,
      { link: 'Was this not you? Choose a new password now', url: `${portalUrl}/reset` },
    ],
  }),

  /** To the new address: its link replaces the old address. */
  'email-change': (portalUrl: string, { token }: Token) => ({
    subject: 'Confirm your new address',
    blocks: [
      'We received a request to use this email address for a developer account. Open the link to confirm it. The old address stays in use until then.',
      { link: 'Confirm the new address', url: `${portalUrl}/confirm-email#token=${token}` },
      `${linkRules} If you did not ask for it, ignore this email.`,
    ],
  }),

  /** To the old address, after the new one has replaced it. */
  'address-changed': (_portalUrl: string, { at }: Moment) => ({
    subject: 'The address of your account was changed',
    blocks: [
      `Your developer account got a new email address on ${utcTime(at)}. This is the last email to the old one.`,
      'If this was not you, contact the operator of the portal now: the person who changed it can create and revoke your API keys.',
    ],
  }),

  /** After too many failures the password needs a reset. */
  'sign-in-paused': (portalUrl: string) => ({
    subject: 'Sign-in is paused',
    blocks: [
      'There were too many failed attempts to sign in to your account. Choose a new password to sign in again. Your applications and their keys keep working.',
      { link: 'Choose a new password', url: `${portalUrl}/reset` },
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
