import { isRedirectTarget } from '../../platform/http/redirect-target.ts'
import type { Bank } from '../bank.ts'
import { type BankCall, textOf } from '../bank-call.ts'
import { formatError } from '../bank-error.ts'
import {
  type ApproachPreferences,
  chooseApproach,
  chooseApproachWithoutPath,
} from '../domain/approach.ts'
import { decoupledMs, type ScaApproach, type ScaStatus } from '../domain/authorisation.ts'
import type { Authorisation, Parent } from '../stores/authorisations.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Psu } from '../stores/psus.ts'

/** How the PSU will approve, and where the bank's page sends it afterwards. */
export interface ApprovalPlan {
  readonly approach: ScaApproach
  readonly redirectUri: string | undefined
  readonly nokRedirectUri: string | undefined
  /** Who asks, as the gateway has signed it. */
  readonly applicationName?: string | undefined
  /** Under which brand, as the call itself says. */
  readonly brand?: string | undefined
}

/**
 * Reads from the headers how the PSU shall approve.
 *
 * @param hasPath whether the interface has a path on which the TPP can update the authorisation
 * @throws {BankError} 400 FORMAT_ERROR for a contradiction, or an address that is invalid or not registered
 */
export function planApproval(call: BankCall, hasPath: boolean): ApprovalPlan {
  const preferences: ApproachPreferences = {
    redirectPreferred: flag(call, 'tpp-redirect-preferred'),
    decoupledPreferred: flag(call, 'tpp-decoupled-preferred'),
    redirectUri: address(call, 'TPP-Redirect-URI'),
    hasReturnPage: call.hasReturnPage,
  }
  const nokRedirectUri = address(call, 'TPP-Nok-Redirect-URI')
  const approach = hasPath ? chooseApproach(preferences) : chooseApproachWithoutPath(preferences)
  if (approach === undefined) {
    throw formatError('TPP-Redirect-URI', 'Must be sent when TPP-Redirect-Preferred is true')
  }
  return {
    approach,
    redirectUri: preferences.redirectUri,
    nokRedirectUri,
    applicationName: call.applicationName,
    brand: textOf(call.headers['tpp-brand-logging-information']),
  }
}

function flag(call: BankCall, name: string): boolean | undefined {
  const value = textOf(call.headers[name])?.toLowerCase()
  return value === undefined ? undefined : value === 'true'
}

/**
 * Only web addresses of the TPP: the bank's page sends the PSU there, and a
 * script in its place would run there.
 */
function address(call: BankCall, name: string): string | undefined {
  const text = textOf(call.headers[name.toLowerCase()])
  if (text === undefined) return undefined
  const url = URL.parse(text)
  if (url === null || !isRedirectTarget(url)) {
    throw formatError(
      name,
      'Must be an absolute https address without a user; http only to this machine (127.0.0.1, [::1], localhost)',
    )
  }
  const { redirectOrigins } = call
  if (redirectOrigins?.includes(url.origin) === false) {
    throw formatError(
      name,
      `The application has not registered the origin ${cut(url.origin)}. It has registered: ${cut(redirectOrigins.join(', ')) || 'none'}. Add the origin on the portal, under Settings of the application`,
    )
  }
  return text
}

/** A message has room for 500 characters. */
function cut(text: string): string {
  return text.length <= 150 ? text : `${text.slice(0, 150)} …`
}

export interface OpenAuthorisationOptions {
  readonly parent: Parent
  readonly purpose: 'creation' | 'cancellation'
  readonly plan: ApprovalPlan
  /** The PSU, if known already. */
  readonly psu: Psu | undefined
  readonly now: number
}

/**
 * Opens the authorisation of a resource, in the transaction that makes the
 * resource: there is no operation to open one later. A decoupled one with a
 * known PSU starts at once.
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

/** The state in which an authorisation begins, and continues once its PSU is known. */
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
