import { createNetworks } from '../../../platform/http/networks.ts'
import type { Refusal } from '../../../platform/http/problem.ts'
import type { Caller } from '../../../registry/registry.ts'
import type { AuthenticatedCall } from '../call.ts'
import type { Judge } from '../run-checks.ts'

export interface AddressOptions {
  /** Whether calls have the address of their client. False in a dry run without one: every call passes. */
  readonly isAddressKnown: boolean
}

function addressNotAllowed({ operation: { api, version } }: AuthenticatedCall): Refusal {
  return {
    code: 'ADDRESS_NOT_ALLOWED',
    detail:
      'The key may be used only from the addresses that its developer has listed on the portal. This call came from another one.',
    members: { api, version },
  }
}

/**
 * Refuses a key outside the addresses for which its developer has issued it, so
 * that a stolen key is worth nothing elsewhere. A key without a list may be
 * used from anywhere.
 */
export function address({ isAddressKnown }: AddressOptions): Judge<AuthenticatedCall> {
  /** A changed caller is a new object. */
  const lists = new WeakMap<Caller, (address: string) => boolean>()
  return (call, next) => {
    const { caller } = call
    if (caller.allowedAddresses.length === 0 || !isAddressKnown) {
      next(call)
      return
    }
    let isAllowed = lists.get(caller)
    if (isAllowed === undefined) {
      isAllowed = createNetworks(caller.allowedAddresses)
      lists.set(caller, isAllowed)
    }
    next(isAllowed(call.address) ? call : addressNotAllowed(call))
  }
}
