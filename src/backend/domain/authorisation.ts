import { type EventOf, isFinal, type Transitions } from './transitions.ts'

/**
 * ```
 * embedded   received → psuIdentified → psuAuthenticated → scaMethodSelected ─────→ finalised
 *                                          │  └─exempt→ exempted └─start→ started ──↑
 * redirect   received → psuIdentified → psuAuthenticated → started ─approve─────────┤
 *                                                             └─hold→ unconfirmed ──┘
 * decoupled  received → psuIdentified → started ────────────────────→ finalised
 * ```
 * Every open state can end in `failed`. Identification may be skipped where the
 * password brings it along.
 */
const transitions = {
  received: {
    identify: 'psuIdentified',
    authenticate: 'psuAuthenticated',
    start: 'started',
    fail: 'failed',
  },
  psuIdentified: { authenticate: 'psuAuthenticated', start: 'started', fail: 'failed' },
  psuAuthenticated: {
    selectMethod: 'scaMethodSelected',
    start: 'started',
    exempt: 'exempted',
    fail: 'failed',
  },
  scaMethodSelected: {
    selectMethod: 'scaMethodSelected',
    start: 'started',
    approve: 'finalised',
    fail: 'failed',
  },
  started: { hold: 'unconfirmed', approve: 'finalised', fail: 'failed' },
  unconfirmed: { confirm: 'finalised', fail: 'failed' },
  finalised: {},
  failed: {},
  exempted: {},
} as const

/** As the documents publish it; the way through them is docs/bank.md, Approval. */
export type ScaStatus = keyof typeof transitions

/**
 * - `identify`, `authenticate`: who the PSU is, and that it is the one
 * - `selectMethod`: how it gets its one-time password
 * - `start`: it is asked, on its device or on the bank's page
 * - `hold`: it has approved, and the TPP has to `confirm`
 * - `approve`, `exempt`, `fail`: decided; exempted is who needs no second factor
 */
export type AuthorisationEvent = EventOf<typeof transitions>

/** The life cycle of an authorisation. */
export const authorisationTransitions: Transitions<ScaStatus, AuthorisationEvent> = transitions

/** The event with which an open authorisation ends well. */
export function approvalOf(status: ScaStatus): AuthorisationEvent {
  switch (status) {
    case 'psuAuthenticated':
      return 'exempt'
    case 'unconfirmed':
      return 'confirm'
    default:
      return 'approve'
  }
}

/** How the PSU approves: on the bank's page, on the bank's app, or through the TPP. */
export type ScaApproach = 'REDIRECT' | 'DECOUPLED' | 'EMBEDDED'

/** Wrong passwords, one-time passwords or confirmation codes that fail an authorisation (our choice). */
export const attemptsMost = 3
/** Milliseconds an authorisation waits for the PSU. */
export const authorisationMs = 24 * 3_600_000
/** Milliseconds the link to the bank's page works. */
export const redirectLinkMs = 10 * 60_000
/** Milliseconds the persona of the sandbox takes to answer on its device. */
export const decoupledMs = 2000

/** Whether the PSU can no longer decide. */
export function hasRunOut({ createdAt }: { readonly createdAt: Date }, now: number): boolean {
  return createdAt.getTime() + authorisationMs <= now
}

/** Whether the PSU has nothing to decide any more. What it has approved may have to be confirmed by the TPP. */
export function hasPsuDecided(authorisation: { readonly status: ScaStatus }): boolean {
  return isDecided(authorisation) || authorisation.status === 'unconfirmed'
}

/** Whether nothing can happen to an authorisation any more. */
export function isDecided({ status }: { readonly status: ScaStatus }): boolean {
  return isFinal(authorisationTransitions, status)
}
