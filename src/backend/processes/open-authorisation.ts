import { isRedirectTarget } from '../../platform/http/redirect-target.ts'
import type { Bank } from '../bank.ts'
import { type BankCall, textOf } from '../bank-call.ts'
import { formatError } from '../bank-error.ts'
import {
  chooseApproach,
  chooseApproachWithoutPath,
  type ScaPreferences,
} from '../domain/approach.ts'
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

/**
 * Reads from the headers how the PSU will approve.
 *
 * @param hasPath whether the interface has a path on which the TPP can update the authorisation
 * @throws {BankError} 400 FORMAT_ERROR for a contradiction, or an address that is invalid or not registered
 */
export function planApproval(call: BankCall, hasPath: boolean): ApprovalPlan {
  const preferences: ScaPreferences = {
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
 * Reads an address of the TPP. It must be a web address, because the bank's page
 * sends the browser there, and a script address would run.
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

/** Shortens a text, because a message has at most 500 characters. */
function cut(text: string): string {
  return text.length <= 150 ? text : `${text.slice(0, 150)} …`
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
