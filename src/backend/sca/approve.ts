import type { Bank } from '../bank.ts'
import { attemptsMost } from '../domain/authorisation.ts'
import { approves } from '../domain/psu.ts'
import { type Clockwork, isDecided } from '../processes/clockwork.ts'
import { decide } from '../processes/decide.ts'
import { parentOf } from '../stores/authorisations.ts'

export type FormDecision = 'approve' | 'refuse'

/** What a PSU has entered on the page. */
export interface FormEntry {
  readonly psuId: string
  readonly password: string
  readonly decision: FormDecision
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Decided, or the secrets were wrong and may be tried again. */
export type FormOutcome =
  | { readonly kind: 'decided'; readonly status: 'finalised' | 'failed' }
  | { readonly kind: 'wrong' }

/**
 * Takes the decision of a PSU on the bank's page, in one transaction with what
 * it is about. Refusing needs the password as well: who has only the link must
 * not decide. The third wrong password fails the authorisation.
 */
export function approve(
  bank: Bank,
  clockwork: Clockwork,
  authorisationId: string,
  entry: FormEntry,
): Promise<FormOutcome> {
  return bank.stores.transaction(async (stores) => {
    const unlocked = await stores.authorisations.find(authorisationId)
    if (unlocked === undefined) throw new Error(`no authorisation ${authorisationId}`)
    await clockwork.lock(stores, parentOf(unlocked), entry.now)
    const authorisation = (await stores.authorisations.find(authorisationId)) ?? unlocked
    // Sent twice: the first one counts, the second leads to the same place.
    if (isDecided(authorisation)) {
      return { kind: 'decided', status: authorisation.status === 'failed' ? 'failed' : 'finalised' }
    }
    const deciding = { bank, stores, authorisation, now: entry.now }
    // No text of the database has a NUL, so asking for one would be an error.
    const psu = entry.psuId.includes('\0') ? undefined : await stores.psus.find(entry.psuId)
    const isKnown =
      psu !== undefined &&
      psu.behaviour !== 'blocked' &&
      (authorisation.psuId === null || authorisation.psuId === psu.id) &&
      bank.credentials.isPassword(psu.id, entry.password)
    if (!isKnown) {
      const passwordFailures = authorisation.passwordFailures + 1
      await stores.authorisations.update(authorisationId, { passwordFailures })
      if (passwordFailures < attemptsMost) return { kind: 'wrong' }
      return { kind: 'decided', status: await decide(deciding, { approved: false }) }
    }
    const isApproved =
      entry.decision === 'approve' && approves(psu.behaviour, authorisation.purpose)
    const decision = isApproved
      ? { approved: true as const, psu }
      : { approved: false as const, psu }
    return { kind: 'decided', status: await decide(deciding, decision) }
  })
}
