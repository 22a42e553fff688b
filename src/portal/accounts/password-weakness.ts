import { inputInvalid } from '../api/portal-error.ts'
import { QueueFull } from './fair-queue.ts'
import { estimatePassword } from './password-estimate.ts'
import type { PasswordEstimate } from './password-estimate-thread.ts'
import { overloaded } from './passwords.ts'

/** The owner of the new password: guessing programs try an owner's address and name first. */
export interface PasswordOwner {
  readonly email: string
  readonly name: string
}

const lengthMin = 15

/** Guesses that a new password must withstand, as a power of ten. Four random words from a list are enough. */
const guessesLog10Min = 13

/**
 * The same for only the letters and digits of a password that consists of known
 * pieces. Four frequent pieces (`summer2026winter2025`) reach 12.0, four rarer words more.
 */
const knownPiecesLog10Min = 12.1

/**
 * Refuses a password that guessing programs try early. Length matters most
 * (NIST SP 800-63B, 5.1.1.2: no rules about kinds of characters), so an
 * estimate looks for passwords that are long but easy to guess.
 *
 * @param portalUrl its host name contains the bank's own words
 * @throws {PortalError} INPUT_INVALID for `/password`, with the reason; OVERLOADED
 */
export async function refuseWeakPassword(
  password: string,
  owner: PasswordOwner,
  portalUrl: string,
): Promise<void> {
  const words = guessable(owner, new URL(portalUrl).hostname)
  const estimate = (text: string) => estimatePassword(text, owner.email)
  const rule = await weaknessOf(password, words, estimate).catch((error: unknown) => {
    throw error instanceof QueueFull ? overloaded(error) : error
  })
  if (rule !== undefined) throw inputInvalid('/password', rule)
}

/** The rule a password breaks, to complete "must be …". */
async function weaknessOf(
  password: string,
  words: readonly string[],
  estimate: (text: string) => Promise<PasswordEstimate>,
): Promise<string | undefined> {
  // Composed characters and spaces at the ends may have made it look longer than it is.
  const normal = password.normalize('NFKC').trim()
  if ([...normal].length < lengthMin) return 'at least 15 characters'
  const plain = plainOf(normal)
  const own = words.find((word) => plain.includes(word))
  if (own !== undefined) return `without "${own}", which is easy to guess`
  const asGiven = await estimate(normal)
  if (asGiven.guessesLog10 < guessesLog10Min) return easyToGuess(asGiven)
  // A few punctuation marks between common words hide them from the estimate, but not from guessing programs.
  if (normal.length - plain.length >= 6) return undefined
  const asPlain = await estimate(plain)
  const isAllKnown = asPlain.pieces.every(({ pattern }) => pattern !== 'bruteforce')
  return isAllKnown && asPlain.guessesLog10 < knownPiecesLog10Min ? easyToGuess(asPlain) : undefined
}

/** A rule that explains why a password is easy to guess and how to improve it. */
function easyToGuess({ pieces }: PasswordEstimate): string {
  const [longest] = pieces.toSorted((a, b) => b.length - a.length)
  const why = reasons[longest?.pattern ?? ''] ?? 'it consists of parts that attackers try first'
  return `harder to guess: ${why}. Use four or more words that do not belong together`
}

const reasons: Readonly<Record<string, string>> = {
  dictionary: 'it consists of common words or passwords',
  spatial: 'it follows the keys of a keyboard',
  repeat: 'it repeats one part',
  sequence: 'it follows the alphabet or counts',
  wordSequence: 'its words follow a well-known order',
  regex: 'it contains a year',
  date: 'it contains a date',
}

/**
 * Parts of the owner's address and name, of the portal's host, and the
 * product's name. Parts under 4 characters occur everywhere.
 */
function guessable({ email, name }: PasswordOwner, portalHost: string): string[] {
  const [local = '', host = ''] = email.split('@')
  const parts = [local, ...local.split(/[^\p{L}\p{N}]/u), name, ...name.split(/\s+/)]
  const ofHosts = [host, portalHost].flatMap((one) => one.split('.').slice(0, -1))
  return ['tollgate', ...[...parts, ...ofHosts].map(plainOf).filter((part) => part.length >= 4)]
}

/** Letters and digits in lower case: guessing programs also vary case and punctuation. */
function plainOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}
