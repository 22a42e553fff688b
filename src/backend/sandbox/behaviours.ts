import type { PsuBehaviour } from '../domain/psu.ts'

/** The behaviour of a sandbox customer in words, for docs/sandbox.md, `tollgate sandbox customers` and the portal's page. */
export const behaviourWords: Readonly<Record<PsuBehaviour, string>> = {
  successful: 'approves everything',
  rejected: 'refuses everything',
  blocked: 'is blocked at the bank and cannot begin anything (401)',
  serviceBlocked: 'lets no app see any account (403)',
  internalLimit: 'approves, but the bank rejects the payment: over the limit',
  cancellationRejected: 'approves, but refuses to cancel',
  consentExpired: 'approves a consent that expires at once',
  consentRevoked: 'approves a consent and revokes it at once',
  consentSuspended: 'approves a consent that the bank suspends at once',
  exempted: 'approves with the password alone',
  oneMethod: 'approves, with one way to get a one-time password',
  confirmation: 'approves on the bank’s page; your app then confirms it',
}
