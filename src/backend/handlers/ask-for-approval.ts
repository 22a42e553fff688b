import type { Bank } from '../bank.ts'
import type { BankCall } from '../bank-call.ts'
import type { ScaApproach } from '../domain/authorisation.ts'
import { authorisationLinks, type ResourcePaths, resourceLinks } from '../links.ts'
import { type ApprovalPlan, openAuthorisation } from '../processes/open-authorisation.ts'
import type { Parent } from '../stores/authorisations.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Psu } from '../stores/psus.ts'

export interface AskForApprovalOptions {
  /** The resource that was just created. */
  readonly parent: Parent
  readonly paths: ResourcePaths
  readonly plan: ApprovalPlan
  readonly psu: Psu | undefined
}

/** Opens the authorisation of a new resource. @returns its part of the answer: links, and a message for the PSU */
export async function askForApproval(
  bank: Bank,
  stores: Stores,
  call: BankCall,
  { parent, paths, plan, psu }: AskForApprovalOptions,
) {
  const asked = { parent, purpose: 'creation', plan, psu, now: call.now } as const
  const authorisation = await openAuthorisation(bank, stores, asked)
  const links = authorisationLinks(authorisation, {
    paths,
    scaPublicUrl: bank.scaPublicUrl,
    isReadable: call.offers.has(`get${named[parent.kind]}Authorisation`),
    isUpdatable: call.offers.has(`update${named[parent.kind]}Authorisation`),
    needsConfirmation: psu?.behaviour === 'confirmation',
  })
  return {
    _links: { ...links, ...resourceLinks(paths) },
    psuMessage: `Please approve the ${parent.kind} ${wheres[plan.approach]}`,
  }
}

/** In the ids of operations. */
const named = { payment: 'Payment', consent: 'Consent', mandate: 'Mandate' } as const

const wheres: Readonly<Record<ScaApproach, string>> = {
  REDIRECT: 'on the page of the bank',
  DECOUPLED: 'in the app of the bank',
  EMBEDDED: 'with your password and the code sent to you',
}
