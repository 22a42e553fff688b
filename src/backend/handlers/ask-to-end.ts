import type { Bank } from '../bank.ts'
import type { BankAnswer, BankCall } from '../bank-call.ts'
import { authorisationLinks, type ResourcePaths, resourceLinks } from '../links.ts'
import { type ApprovalPlan, openAuthorisation } from '../processes/open-authorisation.ts'
import type { Parent } from '../stores/authorisations.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Psu } from '../stores/psus.ts'

export interface AskToEndOptions {
  /** Locked by the caller. */
  readonly parent: Parent
  readonly paths: ResourcePaths
  readonly plan: ApprovalPlan
  readonly psu: Psu | undefined
  /** Its state, as in the answer. */
  readonly state: object
}

/**
 * Opens the authorisation to end an approved resource, replacing one that is
 * open, and answers 202: nothing has changed yet.
 */
export async function askToEnd(
  bank: Bank,
  stores: Stores,
  { now }: Pick<BankCall, 'now'>,
  { parent, paths, plan, psu, state }: AskToEndOptions,
): Promise<BankAnswer> {
  await stores.authorisations.failOpen(parent)
  const asked = { parent, purpose: 'cancellation', plan, psu, now } as const
  const authorisation = await openAuthorisation(bank, stores, asked)
  const { scaPublicUrl } = bank
  return {
    status: 202,
    headers: { 'aspsp-sca-approach': plan.approach },
    body: {
      ...state,
      _links: {
        ...authorisationLinks(authorisation, { paths, scaPublicUrl }),
        ...resourceLinks(paths),
      },
    },
  }
}
