import type { LetterText } from './letter-body.ts'
import type {
  AddressChangedLetter,
  EmailChangeLetter,
  PasswordChangedLetter,
  PasswordResetLetter,
  PlainLetter,
  SignUpLetter,
} from './letters.ts'
import { utcTime } from './utc-time.ts'

export type AccountLetter =
  | SignUpLetter
  | PlainLetter
  | PasswordResetLetter
  | PasswordChangedLetter
  | EmailChangeLetter
  | AddressChangedLetter

const linkRules = 'The link works once and for ten minutes.'

/** Letters about the account itself. They hold no name: a stranger may have typed it, and the address too. */
export function accountLetter(letter: AccountLetter, portalUrl: string): LetterText {
  switch (letter.kind) {
    case 'sign-up':
      return {
        subject: 'Confirm your address',
        blocks: [
          {
            paragraph:
              'Somebody, probably you, wants to sign up on our developer portal with this address. Open the link and choose a password.',
          },
          { link: 'Confirm the address', url: `${portalUrl}/verify?token=${letter.token}` },
          {
            paragraph: `${linkRules} If it was not you, do nothing: without the link there is no account.`,
          },
        ],
      }
    case 'known-address':
      return {
        subject: 'You have an account already',
        blocks: [
          {
            paragraph:
              'Somebody, probably you, wants to sign up on our developer portal with this address, or to give it to another account. It has an account already, and nothing was changed.',
          },
          { link: 'Sign in', url: `${portalUrl}/sign-in` },
          { link: 'If you do not know the password any more', url: `${portalUrl}/reset` },
          { paragraph: 'If it was not you, there is nothing to do.' },
        ],
      }
    case 'password-reset':
      return {
        subject: 'Choose a new password',
        blocks: [
          {
            paragraph:
              'Somebody, probably you, asked for a new password of your account on our developer portal.',
          },
          {
            link: 'Choose a new password',
            url: `${portalUrl}/reset/confirm?token=${letter.token}`,
          },
          {
            paragraph: `${linkRules} The new password ends every session. If it was not you, do nothing: your password stays as it is.`,
          },
        ],
      }
    case 'password-changed':
      return {
        subject: 'Your password was changed',
        blocks: [
          {
            paragraph: `The password of your account was changed on ${utcTime(letter.at)}. Sessions that were open elsewhere have ended.`,
          },
          { link: 'If it was not you, choose a new one at once', url: `${portalUrl}/reset` },
        ],
      }
    case 'email-change':
      return {
        subject: 'Confirm your new address',
        blocks: [
          {
            paragraph:
              'Somebody, probably you, wants to use this address for an account on our developer portal. Until you open the link, the old one stays.',
          },
          {
            link: 'Confirm the new address',
            url: `${portalUrl}/confirm-email?token=${letter.token}`,
          },
          { paragraph: `${linkRules} If it was not you, do nothing.` },
        ],
      }
    case 'address-changed':
      return {
        subject: 'Your account has another address',
        blocks: [
          {
            paragraph: `Since ${utcTime(letter.at)} your account on our developer portal has another address. This is the last mail to this one.`,
          },
          {
            paragraph:
              'If it was not you, tell the operator of the portal at once: whoever has the account now can issue and revoke its keys.',
          },
        ],
      }
    case 'sign-in-paused':
      return {
        subject: 'Sign-in is paused',
        blocks: [
          {
            paragraph:
              'There were too many failed attempts to sign in to your account. Until a new password is chosen, none is accepted. Your applications and their keys go on working.',
          },
          { link: 'Choose a new password', url: `${portalUrl}/reset` },
        ],
      }
    case 'approved':
      return {
        subject: 'Your account is approved',
        blocks: [
          { paragraph: 'An operator has approved your account on our developer portal.' },
          { link: 'Sign in', url: `${portalUrl}/sign-in` },
        ],
      }
  }
}
