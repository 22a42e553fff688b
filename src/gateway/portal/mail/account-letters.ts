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

const linkRules = 'The link works once, for ten minutes.'

/** Letters about the account itself. They hold no name: a stranger may have typed both the name and the address. */
export function accountLetter(letter: AccountLetter, portalUrl: string): LetterText {
  switch (letter.kind) {
    case 'sign-up':
      return {
        subject: 'Confirm your address',
        blocks: [
          {
            paragraph:
              'We received a request to create a developer account with this email address. Open the link to choose a password and sign in.',
          },
          { link: 'Confirm the address', url: `${portalUrl}/verify#token=${letter.token}` },
          {
            paragraph: `${linkRules} If you did not ask for it, ignore this email: no account is created.`,
          },
        ],
      }
    case 'known-address':
      return {
        subject: 'You already have an account',
        blocks: [
          {
            paragraph:
              'We received a request to use this email address for a developer account. You already have an account with it, so nothing was changed.',
          },
          { link: 'Sign in', url: `${portalUrl}/sign-in` },
          { link: 'Forgot your password? Choose a new one', url: `${portalUrl}/reset` },
          { paragraph: 'If you did not ask for it, ignore this email.' },
        ],
      }
    case 'password-reset':
      return {
        subject: 'Choose a new password',
        blocks: [
          {
            paragraph: 'We received a request to reset the password of your developer account.',
          },
          {
            link: 'Choose a new password',
            url: `${portalUrl}/reset/confirm#token=${letter.token}`,
          },
          {
            paragraph: `${linkRules} The new password signs you out on all devices. If you did not ask for it, ignore this email: your password stays the same.`,
          },
        ],
      }
    case 'password-changed':
      return {
        subject: 'Your password was changed',
        blocks: [
          {
            paragraph: `The password of your developer account was changed on ${utcTime(letter.at)}. You are signed out on all other devices.`,
          },
          { link: 'Was this not you? Choose a new password now', url: `${portalUrl}/reset` },
        ],
      }
    case 'email-change':
      return {
        subject: 'Confirm your new address',
        blocks: [
          {
            paragraph:
              'We received a request to use this email address for a developer account. Open the link to confirm it. The old address stays in use until then.',
          },
          {
            link: 'Confirm the new address',
            url: `${portalUrl}/confirm-email#token=${letter.token}`,
          },
          { paragraph: `${linkRules} If you did not ask for it, ignore this email.` },
        ],
      }
    case 'address-changed':
      return {
        subject: 'The address of your account was changed',
        blocks: [
          {
            paragraph: `Your developer account got a new email address on ${utcTime(letter.at)}. This is the last email to the old one.`,
          },
          {
            paragraph:
              'If this was not you, contact the operator of the portal now: the person who changed it can create and revoke your API keys.',
          },
        ],
      }
    case 'sign-in-paused':
      return {
        subject: 'Sign-in is paused',
        blocks: [
          {
            paragraph:
              'There were too many failed attempts to sign in to your account. Choose a new password to sign in again. Your applications and their keys keep working.',
          },
          { link: 'Choose a new password', url: `${portalUrl}/reset` },
        ],
      }
    case 'approved':
      return {
        subject: 'Your account is approved',
        blocks: [
          { paragraph: 'An operator has approved your developer account.' },
          { link: 'Sign in', url: `${portalUrl}/sign-in` },
        ],
      }
  }
}
