import type { Bank } from '../bank.ts'
import { decoupledMs, type ScaApproach, type ScaStatus } from '../domain/authorisation.ts'
import type { Authorisation, Parent } from '../stores/authorisations.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Psu } from '../stores/psus.ts'

/** How the PSU will approve, and where the bank's page then sends the browser. */
export interface ApprovalPlan {
  readonly approach: ScaApproach
  readonly redirectUri: string | undefined
  readonly nokRedirectUri: string | undefined
  /** The name of the TPP in the gateway's signed header. */
  readonly applicationName?: string | undefined
  /** The brand that the call claims. */
  readonly brand?: string | undefined
}

export interface OpenAuthorisationOptions {
  readonly parent: Parent
  readonly purpose: 'creation' | 'cancellation'
  readonly plan: ApprovalPlan
  /** Undefined: not identified yet. */
  readonly psu: Psu | undefined
  readonly now: number
}

/**
 * Opens the authorisation of a resource in the transaction that creates or locks
 * the resource. A decoupled authorisation of an identified PSU starts at once.
 */
export async function openAuthorisation(
  bank: Pick<Bank, 'randomUUID'>,
  stores: Stores,
  { parent, purpose, plan, psu, now }: OpenAuthorisationOptions,
): Promise<Pick<Authorisation, 'id' | 'approach' | 'status'>> {
  const { approach } = plan
  const id = bank.randomUUID()
  const start = startOf(approach, psu, now)
  await stores.authorisations.insert(parent, {
    id,
    purpose,
    approach,
    ...start,
    psuId: psu?.id ?? null,
    methodId: null,
    redirectUri: plan.redirectUri ?? null,
    nokRedirectUri: plan.nokRedirectUri ?? null,
    applicationName: plan.applicationName ?? null,
    brand: plan.brand ?? null,
    createdAt: new Date(now),
  })
  return { id, approach, status: start.status }
}

/** The first state of an authorisation, and its next state once the PSU is identified. */
export function startOf(
  approach: ScaApproach,
  psu: Psu | undefined,
  now: number,
): { readonly status: ScaStatus; readonly answersAt: Date | null } {
  if (psu === undefined) return { status: 'received', answersAt: null }
  return approach === 'DECOUPLED'
    ? { status: 'started', answersAt: new Date(now + decoupledMs) }
    : { status: 'psuIdentified', answersAt: null }
}
