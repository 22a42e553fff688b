import type { Bank } from '../bank.ts'
import { attemptsMost, authorisationTransitions, hasPsuDecided } from '../domain/authorisation.ts'
import { scaMethodsOf } from '../domain/psu.ts'
import { after } from '../domain/transitions.ts'
import { decide } from '../processes/decide.ts'
import { lockAuthorisation } from '../processes/lock-authorisation.ts'
import { lockAttempts } from '../processes/psu-attempts.ts'
import type { Authorisation } from '../stores/authorisations.ts'
import { hashOf } from './session.ts'

/** The sign-in form of a PSU. */
export interface SignInEntry {
  readonly psuId: string
  readonly password: string
  /** The secret that identifies the browser after the sign-in. */
  readonly session: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * - `wrong`: id or password; the PSU may try again
 * - `failed`: the authorisation has failed, by this attempt or before it
 * - `used`: the authorisation was approved before this attempt
 * - `blockedUntil`: end of the PSU's block after failed attempts, in milliseconds since 1970
 */
export type SignInOutcome =
  | 'signed-in'
  | 'wrong'
  | 'failed'
  | 'used'
  | { readonly blockedUntil: number }

/**
 * Signs a PSU in to decide one authorisation. Only one browser is signed in: a
 * later one replaces an earlier one. The third wrong password fails the
 * authorisation, and the fifth failed attempt in a row also blocks the customer.
 */
export function signIn(
  bank: Bank,
  found: Authorisation,
  { psuId, password, session, now }: SignInEntry,
): Promise<SignInOutcome> {
  return bank.stores.transaction(async (stores) => {
    const locked = await lockAuthorisation({ bank, stores, now }, found)
    const { authorisation } = locked
    if (hasPsuDecided(authorisation)) return authorisation.status === 'failed' ? 'failed' : 'used'
    // The database rejects a text with NUL, and no id contains one.
    const psu = psuId.includes('\0') ? undefined : await stores.psus.find(psuId)
    const isAble =
      psu !== undefined &&
      psu.behaviour !== 'blocked' &&
      (authorisation.psuId === null || authorisation.psuId === psu.id)
    // Another customer's password is not checked, so it cannot be guessed here and counts only for the link.
    const attempts = isAble ? await lockAttempts(locked, psu.id) : undefined
    if (attempts?.blockedUntil !== undefined) return { blockedUntil: attempts.blockedUntil }
    if (!isAble || !bank.credentials.isPassword(psu.id, password)) {
      const until = await attempts?.fail()
      const passwordFailures = authorisation.passwordFailures + 1
      await stores.authorisations.update(authorisation.id, { passwordFailures })
      if (passwordFailures < attemptsMost && until === undefined) return 'wrong'
      await decide(locked, { approved: false })
      return 'failed'
    }
    if (scaMethodsOf(psu.behaviour).length === 0) await attempts?.succeed()
    // A repeated sign-in continues in the same state.
    const { status } = authorisation
    await stores.authorisations.update(authorisation.id, {
      status: after(authorisationTransitions, status, 'authenticate') ?? status,
      psuId: psu.id,
      sessionSha256: hashOf(session),
    })
    return 'signed-in'
  })
}
