import { addDays, addMonths, onDay } from './bank-time.ts'
import { lastDayOf, type MandateRequest } from './mandate-request.ts'
import { after, type EventOf, ends, type Transitions } from './transitions.ts'

/**
 * ```
 * received ─authorise→ valid ⇄ suspended
 *    │                   ├─expire→ expired (MD20)
 *    ├─refuse→ rejected  ├─revoke→ revokedByPsu (MD16)
 *    │         (MD13)    │
 *    └─terminate (MD22)──┴─terminate (MD17)→ terminatedByTpp
 * ```
 * Every transition from `valid` also exists from `suspended`. A mandate on an
 * account that cannot be debited starts as `rejected`, with its own reason.
 */
const transitions = {
  received: { authorise: 'valid', refuse: 'rejected', terminate: 'terminatedByTpp' },
  valid: { ...ends, suspend: 'suspended' },
  suspended: { ...ends, resume: 'valid' },
  rejected: {},
  revokedByPsu: {},
  expired: {},
  terminatedByTpp: {},
} as const

/** As the document of the mandates publishes it. */
export type MandateStatus = keyof typeof transitions

/**
 * - `authorise`: the debtor approved; `refuse`: the debtor refused, failed or let the time run out
 * - `suspend`, `resume`: by the bank; `revoke`: by the debtor at the bank
 * - `expire`: its last day is over ({@link endOf}), or its single collection is made
 * - `terminate`: by the creditor
 */
export type MandateEvent = EventOf<typeof transitions>

/** The life cycle of a mandate. */
export const mandateTransitions: Transitions<MandateStatus, MandateEvent> = transitions

/** Why the last transition happened (ISO 20022 mandate reasons; meanings in docs/bank.md, Mandates). */
export type MandateReason =
  | 'AC01'
  | 'AC04'
  | 'AC06'
  | 'AG01'
  | 'BE01'
  | 'MD09'
  | 'MD13'
  | 'MD16'
  | 'MD17'
  | 'MD20'
  | 'MD22'

/** The reason code of an event; undefined if the status needs no reason. */
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

/** Months without a collection after which a mandate is dormant (SEPA rulebooks; for MASAV our choice). */
const dormancyMonths = 36

/**
 * The last day of collections of an approved mandate: that of the request, but at
 * most 36 months after the last collection, or after the approval if there is no
 * collection. The day with the same date still counts (Regulation 1182/71, 3).
 *
 * Example: approved on 2026-11-20, it ends with 2029-11-20; collected on 2027-01-05, with 2030-01-05.
 */
export function endOf(request: MandateRequest, usedOn: string): string {
  const dormantAfter = addMonths(usedOn, dormancyMonths)
  const last = lastDayOf(request)
  return last !== undefined && last < dormantAfter ? last : dormantAfter
}

/** The members that determine whether a mandate has ended. */
export interface MandateValidity {
  readonly status: MandateStatus
  readonly reason: MandateReason | null
  /** The last day of collections, in the bank's zone; null: not set yet. */
  readonly endsOn: string | null
  readonly lastActionDay: string
}

/**
 * A stored mandate as it is at an instant (milliseconds since 1970): expired
 * after its last day. Its last action is then of the day after, not of this read.
 */
export function mandateAt<Row extends MandateValidity>(
  mandate: Row,
  now: number,
  timeZone: string,
): Row {
  const { endsOn } = mandate
  const status = after(mandateTransitions, mandate.status, 'expire')
  if (status === undefined || endsOn === null || endsOn >= onDay(now, timeZone)) return mandate
  return { ...mandate, status, reason: 'MD20', lastActionDay: addDays(endsOn, 1) }
}
