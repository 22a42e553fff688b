import { isRedirectTarget } from '../../platform/http/redirect-target.ts'
import { type BankCall, textOf } from '../bank-call.ts'
import { formatError } from '../bank-error.ts'
import {
  chooseApproach,
  chooseApproachWithoutPath,
  type ScaPreferences,
} from '../domain/approach.ts'
import type { ApprovalPlan } from '../processes/open-authorisation.ts'

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
