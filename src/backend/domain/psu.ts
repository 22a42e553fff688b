/**
 * How a person of the sandbox answers when asked to approve, and what happens
 * to the approved resource then (docs/bank.md, People).
 */
export type PsuBehaviour =
  | 'successful'
  /** Refuses everything. */
  | 'rejected'
  /** Is blocked at the bank: cannot begin anything. */
  | 'blocked'
  /** Approves, but the bank rejects the payment: over the person's limit. */
  | 'internalLimit'
  /** Approves, but refuses to cancel. */
  | 'cancellationRejected'
  /** Approves a consent that is expired at once. */
  | 'consentExpired'
  /** Approves a consent and revokes it at once. */
  | 'consentRevoked'

/** Whether the person says yes when asked on its own device. */
export function approves(behaviour: PsuBehaviour, purpose: 'creation' | 'cancellation'): boolean {
  return purpose === 'creation'
    ? behaviour !== 'rejected' && behaviour !== 'blocked'
    : behaviour !== 'rejected' && behaviour !== 'blocked' && behaviour !== 'cancellationRejected'
}
