/**
 * How a customer of the sandbox answers a request to approve, and what then happens
 * to the resource (docs/sandbox.md).
 */
export type PsuBehaviour =
  | 'successful'
  /** Refuses everything. */
  | 'rejected'
  /** The bank has blocked this customer: unknown to TPPs. */
  | 'blocked'
  /** Has closed the accounts to TPPs. */
  | 'serviceBlocked'
  /** Approves, but the bank rejects the payment as over the customer's limit. */
  | 'internalLimit'
  /** Approves, but refuses to cancel. */
  | 'cancellationRejected'
  /** Approves a consent, which expires at once. */
  | 'consentExpired'
  /** Approves a consent and revokes it at once. */
  | 'consentRevoked'
  /** Approves a consent, which the bank suspends at once. */
  | 'consentSuspended'
  /** Needs no second factor: the password is enough. */
  | 'exempted'
  /** Has one way to get a one-time password, so there is no choice. */
  | 'oneMethod'
  /** Approves on the bank's page, and the TPP has to confirm the approval. */
  | 'confirmation'

/** Whether the customer approves when asked. */
export function approves(behaviour: PsuBehaviour, purpose: 'creation' | 'cancellation'): boolean {
  switch (behaviour) {
    case 'rejected':
    case 'blocked':
    case 'serviceBlocked':
      return false
    case 'cancellationRejected':
      return purpose === 'creation'
    default:
      return true
  }
}

/** Whether a consent stays valid after the customer's approval. */
export function keepsConsents(behaviour: PsuBehaviour): boolean {
  return approves(behaviour, 'creation') && !behaviour.startsWith('consent')
}

/** One way to approve that a PSU has (`scaMethods` of the documents). */
export interface ScaMethod {
  readonly authenticationType: 'SMS_OTP' | 'PUSH_OTP'
  readonly authenticationMethodId: string
  readonly name: string
  readonly explanation?: string
}

const sms: ScaMethod = {
  authenticationType: 'SMS_OTP',
  authenticationMethodId: 'sms-1',
  name: 'SMS to 05x-xxx-4417',
}

const methods: readonly ScaMethod[] = [
  sms,
  {
    authenticationType: 'SMS_OTP',
    authenticationMethodId: 'sms-2',
    name: 'SMS to 05x-xxx-2093',
  },
  {
    authenticationType: 'PUSH_OTP',
    authenticationMethodId: 'app-1',
    name: 'Bank app',
    explanation: 'Approve in the app',
  },
]

/** The second factors that a person can choose after the password; empty: the password is enough. */
export function scaMethodsOf(behaviour: PsuBehaviour): readonly ScaMethod[] {
  if (behaviour === 'exempted') return []
  return behaviour === 'oneMethod' ? [sms] : methods
}
