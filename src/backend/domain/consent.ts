import { addDays, onDay } from './bank-time.ts'
import { after, type EventOf, ends, type Transitions } from './transitions.ts'

/**
 * ```
 * received ─authorise→ valid ⇄ suspendedByASPSP
 *    ├─refuse→ rejected  ├─expire→ expired
 *    │                   ├─revoke→ revokedByPsu
 *    └───terminate───────┴──────→ terminatedByTpp
 * ```
 */
const transitions = {
  received: { authorise: 'valid', refuse: 'rejected', terminate: 'terminatedByTpp' },
  valid: { ...ends, suspend: 'suspendedByASPSP' },
  suspendedByASPSP: { ...ends, resume: 'valid' },
  rejected: {},
  revokedByPsu: {},
  expired: {},
  terminatedByTpp: {},
} as const

/** As the documents publish it. */
export type ConsentStatus = keyof typeof transitions

/**
 * - `authorise`, `refuse`: outcome of the PSU's authorisation
 * - `terminate`: DELETE by the TPP; `revoke`: the PSU at the bank
 * - `expire`: validity over, used up, or superseded by a newer recurring consent
 * - `suspend`, `resume`: the bank, under the central bank's directive
 */
export type ConsentEvent = EventOf<typeof transitions>

/** The life cycle of a consent. */
export const consentTransitions: Transitions<ConsentStatus, ConsentEvent> = transitions

/** The message for the PSU about each status; `psuMessage` of the status answer. */
export const consentMessages: Readonly<Record<ConsentStatus, string>> = {
  received: 'The consent waits for your approval',
  rejected: 'The consent was not given',
  valid: 'The consent is valid',
  revokedByPsu: 'You have revoked the consent',
  expired: 'The consent has expired',
  terminatedByTpp: 'The consent was ended by the service provider',
  suspendedByASPSP: 'The consent is suspended by the bank',
}

/** Milliseconds for which a one-off consent is valid from its first read of data (Bank of Israel). */
export const oneOffMs = 2 * 3_600_000

/** The members that determine whether a consent's time is over. */
export interface ConsentValidity {
  readonly recurring: boolean
  /** Includes this day of the bank. */
  readonly validUntil: string
  /** The first read of data; null: not read yet. */
  readonly firstUsedAt: Date | null
}

/** Whether the time of a consent is over at an instant (milliseconds since 1970), regardless of its status. */
export function isPast(consent: ConsentValidity, now: number, timeZone: string): boolean {
  if (consent.validUntil < onDay(now, timeZone)) return true
  return (
    !consent.recurring &&
    consent.firstUsedAt !== null &&
    consent.firstUsedAt.getTime() + oneOffMs <= now
  )
}

/**
 * A stored consent as it is at an instant (milliseconds since 1970): expired
 * once its time is over. Its last action is then of the day it ended, not of this read.
 */
export function consentAt<
  Row extends ConsentValidity & { readonly status: ConsentStatus; readonly lastActionDay: string },
>(consent: Row, now: number, timeZone: string): Row {
  const status = after(consentTransitions, consent.status, 'expire')
  if (status === undefined || !isPast(consent, now, timeZone)) return consent
  return { ...consent, status, lastActionDay: endedOn(consent, timeZone) }
}

/** The day on which the time of a consent ended. */
function endedOn(consent: ConsentValidity, timeZone: string): string {
  const afterLast = addDays(consent.validUntil, 1)
  if (consent.recurring || consent.firstUsedAt === null) return afterLast
  const usedUp = onDay(consent.firstUsedAt.getTime() + oneOffMs, timeZone)
  return usedUp < afterLast ? usedUp : afterLast
}

/**
 * Maximum reads per day without the PSU present. The Israeli default is 100; the bank
 * reduces a higher request to it.
 */
export const frequencyPerDayMost = 100
