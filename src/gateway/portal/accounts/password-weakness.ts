import { inputInvalid } from '../portal-error.ts'
import { wellKnownPasswords } from './well-known-passwords.ts'

/** The owner of the new password: guessing programs try an owner's address and name first. */
export interface PasswordOwner {
  readonly email: string
  readonly name: string
}

const lengthMin = 15

/**
 * Refuses a password that guessing programs try early. Length matters most
 * (NIST SP 800-63B, 5.1.1.2: no rules about kinds of characters), so the rules
 * look for passwords that are long but easy to guess.
 *
 * @throws {PortalError} INPUT_INVALID for `/password`, naming the rule
 */
export function refuseWeakPassword(password: string, owner: PasswordOwner): void {
  const rule = weaknessOf(password, owner)
  if (rule !== undefined) throw inputInvalid('/password', rule)
}

/** The rule a password breaks, to complete "must be …". */
function weaknessOf(password: string, owner: PasswordOwner): string | undefined {
  const normal = password.normalize('NFKC')
  const plain = plainOf(normal)
  // Composed characters and spaces at the ends may have made it look longer than it is.
  if ([...normal.trim()].length < lengthMin) return 'at least 15 characters'
  if (wellKnownPasswords.has(plain)) return guessed('it is on the lists that attackers try first')
  if (plain !== '' && isRepetition(plain)) return guessed('it repeats one short piece')
  if (new Set(plain).size < 5 && new Set(normal).size < 5) {
    return guessed('it has fewer than 5 different characters')
  }
  const known = guessable(owner).find((word) => plain.includes(word))
  if (known !== undefined) return `without "${known}", which is easy to guess`
  if (withoutRuns(plain).length < 6 && [...normal].length - plain.length < 6) {
    return guessed('it is little more than rows of keys, letters or digits')
  }
  return undefined
}

/** A rule that says why a password is easy to guess, and what helps. */
function guessed(why: string): string {
  return `harder to guess: ${why}. Use a few words that do not belong together`
}

/** Letters and digits in lower case: guessing programs also vary capitals and signs. */
function plainOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/** Whether the text only repeats a piece of up to 8 characters: "abcabcabcab". */
function isRepetition(text: string): boolean {
  for (let length = 1; length <= Math.min(8, text.length / 2); length++) {
    if (text.slice(length) === text.slice(0, -length)) return true
  }
  return false
}

/** Parts of the address and the name, and the product's name. Parts under 4 characters occur everywhere. */
function guessable({ email, name }: PasswordOwner): string[] {
  const local = email.split('@', 1)[0] ?? ''
  const parts = [local, ...local.split(/[^\p{L}\p{N}]/u), name, ...name.split(/\s+/)]
  return ['tollgate', ...parts.map(plainOf).filter((part) => part.length >= 4)]
}

const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'qsdfghjklm',
  'zxcvbnm',
  'yxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
]
const runs = new Set(
  [...rows, ...rows.map((row) => [...row].reverse().join(''))].flatMap((row) =>
    Array.from({ length: row.length - 3 }, (_, at) => row.slice(at, at + 4)),
  ),
)

/** The text without stretches of four and more characters that are neighbours or all the same. */
function withoutRuns(text: string): string {
  const isInRun = new Array<boolean>(text.length).fill(false)
  for (let at = 0; at + 4 <= text.length; at++) {
    const four = text.slice(at, at + 4)
    if (runs.has(four) || /^(.)\1{3}$/.test(four)) isInRun.fill(true, at, at + 4)
  }
  return [...isInRun.keys()].map((at) => (isInRun[at] ? '' : text[at])).join('')
}
