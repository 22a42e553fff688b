/**
 * How a person of the sandbox answers when asked to approve, and what happens
 * to the approved resource then (docs/sandbox.md).
 */
export type PsuBehaviour =
  | 'successful'
  /** Refuses everything. */
  | 'rejected'
  /** Is blocked at the bank: unknown to TPPs. */
  | 'blocked'
  /** Has shut its accounts to TPPs. */
  | 'serviceBlocked'
  /** Approves, but the bank rejects the payment: over the person's limit. */
  | 'internalLimit'
  /** Approves, but refuses to cancel. */
  | 'cancellationRejected'
  /** Approves a consent that is expired at once. */
  | 'consentExpired'
  /** Approves a consent and revokes it at once. */
  | 'consentRevoked'
  /** Approves a consent that the bank suspends at once. */
  | 'consentSuspended'
  /** Needs no second factor: the password is enough. */
  | 'exempted'
  /** Has a single way to get a one-time password, so there is nothing to choose. */
  | 'oneMethod'
  /** Approves on the bank's page, and the bank wants the TPP to confirm it. */
  | 'confirmation'

/** Whether the person says yes when asked on its own device. */
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

/** Whether a consent that the person approves stays valid. */
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

/** The ways in which a person can approve once its password was right; none: the password is enough. */
export function scaMethodsOf(behaviour: PsuBehaviour): readonly ScaMethod[] {
  if (behaviour === 'exempted') return []
  return behaviour === 'oneMethod' ? [sms] : methods
}
