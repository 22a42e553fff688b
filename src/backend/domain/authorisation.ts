import { type EventOf, isFinal, type Transitions } from './transitions.ts'

/**
 * ```
 * embedded   received → psuIdentified → psuAuthenticated → scaMethodSelected ─────→ finalised
 *                                          │  └─exempt→ exempted └─start→ started ──↑
 * redirect   received → psuIdentified → psuAuthenticated → started ─approve─────────┤
 *                                                             └─hold→ unconfirmed ──┘
 * decoupled  received → psuIdentified → started ────────────────────→ finalised
 * ```
 * Every open state can end in `failed`. A password with a PSU-ID also identifies,
 * so it may skip `psuIdentified`.
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

/** As the documents publish it; docs/bank.md, Approval, describes the order. */
export type ScaStatus = keyof typeof transitions

/**
 * - `identify`, `authenticate`: the PSU is named, and has proved its identity
 * - `selectMethod`: how the PSU gets its one-time password
 * - `start`: the bank asks the PSU, on its device or on the bank's page
 * - `hold`: the PSU has approved, and the TPP has to `confirm`
 * - `approve`, `exempt`, `fail`: decided; `exempt` is an approval without a second factor
 */
export type AuthorisationEvent = EventOf<typeof transitions>

/** The life cycle of an authorisation. */
export const authorisationTransitions: Transitions<ScaStatus, AuthorisationEvent> = transitions

/** The event that approves an authorisation in an open state. */
export function approvingEvent(status: ScaStatus): AuthorisationEvent {
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
/** Milliseconds until a persona of the sandbox answers on its device. */
export const decoupledMs = 2000

/** Whether the time of the PSU to decide is over. */
export function hasRunOut({ createdAt }: { readonly createdAt: Date }, now: number): boolean {
  return createdAt.getTime() + authorisationMs <= now
}

/** Whether the PSU has nothing left to decide. The TPP may still have to confirm the approval. */
export function hasPsuDecided(authorisation: { readonly status: ScaStatus }): boolean {
  return isDecided(authorisation) || authorisation.status === 'unconfirmed'
}

/** Whether the state of an authorisation is final. */
export function isDecided({ status }: { readonly status: ScaStatus }): boolean {
  return isFinal(authorisationTransitions, status)
}
