import {
  endOf,
  type MandateEvent,
  type MandateStatus,
  mandateReason,
  mandateTransitions,
} from '../domain/mandate.ts'
import { after, isFinal } from '../domain/transitions.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Mandate } from '../stores/mandates.ts'

/**
 * Applies an event of a day to a mandate that the caller's transaction has locked.
 * The 36 months without a collection begin with the approval. The end of a mandate
 * also ends its open authorisations.
 *
 * @returns the new status; undefined, without a change, if the mandate does not accept the event
 */
export async function moveMandate(
  stores: Stores,
  { id, body, status: from }: Mandate,
  event: MandateEvent,
  day: string,
): Promise<MandateStatus | undefined> {
  const status = after(mandateTransitions, from, event)
  if (status === undefined) return undefined
  if (isFinal(mandateTransitions, status)) {
    await stores.authorisations.failOpen({ kind: 'mandate', id })
  }
  await stores.mandates.update(id, {
    status,
    reason: mandateReason(from, event) ?? null,
    lastActionDay: day,
    ...(event === 'authorise' ? { endsOn: endOf(body, day) } : {}),
  })
  return status
}
