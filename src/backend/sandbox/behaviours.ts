import type { PsuBehaviour } from '../domain/psu.ts'

/** What a person of the sandbox does, in words; the same in docs/sandbox.md and in `tollgate sandbox people`. */
export const behaviourWords: Readonly<Record<PsuBehaviour, string>> = {
  successful: 'approves everything',
  rejected: 'refuses everything',
  blocked: 'is blocked at the bank: cannot begin anything (401)',
  serviceBlocked: 'has shut the accounts to TPPs (403)',
  internalLimit: 'approves, but the bank rejects the payment: over the limit',
  cancellationRejected: 'approves, but refuses to cancel',
  consentExpired: 'approves a consent that is expired at once',
  consentRevoked: 'approves a consent and revokes it at once',
  consentSuspended: 'approves a consent that the bank suspends at once',
  exempted: 'approves with the password alone',
  oneMethod: 'approves, with one way to get a one-time password',
  confirmation: 'approves on the bank’s page; the TPP has to confirm it',
}
