import type { ListedOperation } from '../../../calls/call-shape.ts'
import { stepOperations } from '../../../calls/check-list.ts'

/** A customer of the sandbox whom a link asks for. */
export interface AskedCustomer {
  readonly psuId: string
  /** Empty if the customer acts for no corporation. */
  readonly corporateId: string
}

/** The customer whom an address of the playground names. */
export function askedCustomer(parameters: URLSearchParams): AskedCustomer | undefined {
  const psuId = parameters.get('customer')
  if (psuId === null) return undefined
  return { psuId, corporateId: parameters.get('corporation') ?? '' }
}

/** The operation that asks a customer for a consent, of the first version that has one. */
export function consentCall<Version extends { readonly operations: readonly ListedOperation[] }>(
  versions: readonly Version[],
): { readonly version: Version; readonly operation: ListedOperation } | undefined {
  for (const version of versions) {
    const operation = stepOperations(version.operations).consent
    if (operation !== undefined) return { version, operation }
  }
  return undefined
}
