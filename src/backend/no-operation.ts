import type { Router } from '../catalogue/router.ts'
import { BankError } from './bank-error.ts'

/** A request that calls no operation, and the content of its answer. */
export interface NoOperation {
  readonly error: BankError
  /** The API that has the path; undefined for an unknown path. */
  readonly api: string | undefined
  /** Further headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Distinguishes a path without this method (405 SERVICE_INVALID) from an
 * unknown path (404 RESOURCE_UNKNOWN). Neither happens through the gateway.
 */
export function noOperation(router: Router, method: string, target: string): NoOperation {
  const match = router.match(method, target.split('?')[0] ?? '')
  if (match.kind !== 'method-not-allowed') {
    const error = new BankError('RESOURCE_UNKNOWN', 'No operation has this path')
    return { error, api: undefined, headers: {} }
  }
  const error = new BankError('SERVICE_INVALID', 'The path has no such method')
  return { error, api: match.apiVersion.api, headers: { allow: match.allow.join(', ') } }
}
