import { assertFound } from '../assert-found.ts'
import type { Bank } from '../bank.ts'
import { attemptsMost, authorisationTransitions, hasPsuDecided } from '../domain/authorisation.ts'
import { approves, scaMethodsOf } from '../domain/psu.ts'
import { after } from '../domain/transitions.ts'
import { decide } from '../processes/decide.ts'
import { lockAuthorisation } from '../processes/lock-authorisation.ts'
import { lockAttempts } from '../processes/psu-attempts.ts'
import type { Authorisation } from '../stores/authorisations.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Psu } from '../stores/psus.ts'
import { isSignedIn, newSecret } from './session.ts'

/** The decision form of a signed-in PSU. */
export interface PageDecision {
  readonly session: string | undefined
  readonly isApproved: boolean
  readonly oneTimePassword: string
  /** Ids of the accounts that the PSU has picked; undefined if the form had no choice. */
  readonly picked: readonly string[] | undefined
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * - `decided`: with a code if the TPP has to confirm the approval
 * - `wrong`: the one-time password; the PSU may try again
 * - `blocked`: the PSU, after failed attempts, until an instant in milliseconds since 1970
 * - `signed-out`: this browser is not signed in, or another one has replaced it
 */
export type PageOutcome =
  | { readonly kind: 'decided'; readonly isApproved: boolean; readonly confirmationCode?: string }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'blocked'; readonly until: number }
  | { readonly kind: 'signed-out' }

/**
 * Takes the decision of a PSU on the bank's page and applies it in one transaction.
 * A refusal needs no one-time password, because it grants nothing. The third wrong
 * one-time password fails the authorisation.
 */
export function takeDecision(
  bank: Bank,
  found: Authorisation,
  entry: PageDecision,
): Promise<PageOutcome> {
  return bank.stores.transaction(async (stores) => {
    const locked = await lockAuthorisation({ bank, stores, now: entry.now }, found)
    const { authorisation } = locked
    if (!isSignedIn(authorisation, entry.session)) return { kind: 'signed-out' }
    // If the form is sent twice, the first decision counts, and the second leads to the same address.
    if (hasPsuDecided(authorisation)) return decidedAs(authorisation)
    const psu = assertFound(await stores.psus.find(authorisation.psuId ?? ''))
    if (!entry.isApproved || !approves(psu.behaviour, authorisation.purpose)) {
      await decide(locked, { approved: false, psu })
      return { kind: 'decided', isApproved: false }
    }
    const needsCode = scaMethodsOf(psu.behaviour).length > 0
    if (needsCode) {
      const attempts = await lockAttempts(locked, psu.id)
      const { blockedUntil } = attempts
      if (blockedUntil !== undefined) return { kind: 'blocked', until: blockedUntil }
      if (!bank.credentials.isOneTimePassword(psu.id, entry.oneTimePassword)) {
        const until = await attempts.fail()
        const otpFailures = authorisation.otpFailures + 1
        await stores.authorisations.update(authorisation.id, { otpFailures })
        if (otpFailures < attemptsMost && until === undefined) return { kind: 'wrong' }
        await decide(locked, { approved: false, psu })
        return { kind: 'decided', isApproved: false }
      }
      await attempts.succeed()
    }
    const picked = entry.picked === undefined ? null : [...entry.picked]
    if (mustBeConfirmed(authorisation, psu)) return hold(stores, authorisation, picked)
    const status = await decide(locked, { approved: true, psu, picked })
    return { kind: 'decided', isApproved: status !== 'failed' }
  })
}

/** Only the creation of payments and consents has a path on which the TPP can confirm. */
function mustBeConfirmed({ purpose, mandateId }: Authorisation, { behaviour }: Psu): boolean {
  return behaviour === 'confirmation' && purpose === 'creation' && mandateId === null
}

/** Stores the approval until the TPP confirms it with the code from the PSU's browser. */
async function hold(
  stores: Stores,
  { id, status }: Authorisation,
  picked: string[] | null,
): Promise<PageOutcome> {
  const held = after(authorisationTransitions, status, 'hold')
  if (held === undefined) throw new Error(`authorisation ${id} is ${status}: no hold`)
  const confirmationCode = newSecret()
  await stores.authorisations.update(id, { status: held, confirmationCode, picked })
  return { kind: 'decided', isApproved: true, confirmationCode }
}

function decidedAs({ status, confirmationCode }: Authorisation): PageOutcome {
  return {
    kind: 'decided',
    isApproved: status !== 'failed',
    ...(status === 'unconfirmed' && confirmationCode !== null ? { confirmationCode } : {}),
  }
}
