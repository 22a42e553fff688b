import type { Transitions } from './transitions.ts'

/** As the document of the mandates publishes it. */
export type MandateStatus =
  | 'received'
  | 'rejected'
  | 'valid'
  | 'suspended'
  | 'revokedByPsu'
  | 'expired'
  | 'terminatedByTpp'

export type MandateEvent =
  | 'authorise'
  | 'refuse'
  | 'terminate'
  | 'revoke'
  | 'expire'
  | 'suspend'
  | 'resume'

/**
 * ```
 * received ─authorise→ valid ⇄ suspended
 *    ├─refuse→ rejected  ├─expire→ expired (MD20)
 *    │                   ├─revoke→ revokedByPsu (MD16)
 *    └─terminate (MD22)──┴─terminate (MD17)→ terminatedByTpp
 * ```
 */
export const mandateTransitions: Transitions<MandateStatus, MandateEvent> = {
  received: { authorise: 'valid', refuse: 'rejected', terminate: 'terminatedByTpp' },
  valid: {
    terminate: 'terminatedByTpp',
    revoke: 'revokedByPsu',
    expire: 'expired',
    suspend: 'suspended',
  },
  suspended: {
    terminate: 'terminatedByTpp',
    revoke: 'revokedByPsu',
    expire: 'expired',
    resume: 'valid',
  },
  rejected: {},
  revokedByPsu: {},
  expired: {},
  terminatedByTpp: {},
}

/** Why the last transition happened (ISO 20022 mandate reasons; meanings in docs/bank.md, Mandates). */
export type MandateReason =
  | 'AC01'
  | 'AC04'
  | 'AC06'
  | 'AG01'
  | 'MD09'
  | 'MD13'
  | 'MD16'
  | 'MD17'
  | 'MD20'
  | 'MD22'

/** The reason code of an event, or undefined where the status says it all. */
export function mandateReason(from: MandateStatus, event: MandateEvent): MandateReason | undefined {
  switch (event) {
    case 'refuse':
      return 'MD13'
    case 'revoke':
      return 'MD16'
    case 'expire':
      return 'MD20'
    case 'terminate':
      return from === 'received' ? 'MD22' : 'MD17'
    default:
      return undefined
  }
}
