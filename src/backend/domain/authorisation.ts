import type { Transitions } from './transitions.ts'

/** As the documents publish it; the way through them is docs/bank.md, Approval. */
export type ScaStatus =
  | 'received'
  | 'psuIdentified'
  | 'psuAuthenticated'
  | 'scaMethodSelected'
  | 'started'
  | 'finalised'
  | 'failed'
  | 'exempted'

/** `push`: the request is on its way to the PSU's device. `approve` and `fail` end it. */
export type AuthorisationEvent =
  | 'identify'
  | 'authenticate'
  | 'selectMethod'
  | 'push'
  | 'approve'
  | 'fail'

/**
 * ```
 * embedded   received → psuIdentified → psuAuthenticated → scaMethodSelected → finalised
 * redirect   received → psuIdentified ──────────────────────────────────────→ finalised
 * decoupled  received → psuIdentified → started ────────────────────────────→ finalised
 * ```
 * Every open state can end in `failed`. Identification may be skipped where the
 * password or the approval brings it along.
 */
export const authorisationTransitions: Transitions<ScaStatus, AuthorisationEvent> = {
  received: {
    identify: 'psuIdentified',
    authenticate: 'psuAuthenticated',
    push: 'started',
    approve: 'finalised',
    fail: 'failed',
  },
  psuIdentified: {
    authenticate: 'psuAuthenticated',
    push: 'started',
    approve: 'finalised',
    fail: 'failed',
  },
  psuAuthenticated: { selectMethod: 'scaMethodSelected', fail: 'failed' },
  scaMethodSelected: {
    selectMethod: 'scaMethodSelected',
    push: 'started',
    approve: 'finalised',
    fail: 'failed',
  },
  started: { approve: 'finalised', fail: 'failed' },
  finalised: {},
  failed: {},
  exempted: {},
}

/** How the PSU approves: on the bank's page, on the bank's app, or through the TPP. */
export type ScaApproach = 'REDIRECT' | 'DECOUPLED' | 'EMBEDDED'

/** Wrong passwords, and wrong one-time passwords, that fail an authorisation (our choice). */
export const attemptsMost = 3
/** Milliseconds an authorisation waits for the PSU. */
export const authorisationMs = 24 * 3_600_000
/** Milliseconds the link to the bank's page works. */
export const redirectLinkMs = 10 * 60_000
/** Milliseconds the persona of the sandbox takes to answer on its device. */
export const decoupledMs = 2000

/** One way to approve that a PSU has (`scaMethods` of the documents). */
export interface ScaMethod {
  readonly authenticationType: 'SMS_OTP'
  readonly authenticationMethodId: string
  readonly name: string
}

/** The methods of every PSU of the sandbox. */
export const scaMethods: readonly ScaMethod[] = [
  {
    authenticationType: 'SMS_OTP',
    authenticationMethodId: 'sms-1',
    name: 'SMS to 05x-xxx-4417',
  },
  {
    authenticationType: 'SMS_OTP',
    authenticationMethodId: 'sms-2',
    name: 'SMS to 05x-xxx-2093',
  },
]
