import { isOutage } from '../../platform/database.ts'
import type { Bank } from '../bank.ts'
import { authorisationMs, authorisationTransitions } from '../domain/authorisation.ts'
import { addDays, onDay } from '../domain/bank-time.ts'
import { consentTransitions, endedOn, isPast, oneOffMs } from '../domain/consent.ts'
import { mandateTransitions } from '../domain/mandate.ts'
import { paymentTransitions } from '../domain/payment.ts'
import { approves } from '../domain/psu.ts'
import { after, isFinal } from '../domain/transitions.ts'
import type { Account } from '../stores/accounts.ts'
import { type Authorisation, type Parent, parentOf } from '../stores/authorisations.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Consent } from '../stores/consents.ts'
import type { Due } from '../stores/due.ts'
import type { Mandate } from '../stores/mandates.ts'
import type { Payment } from '../stores/payments.ts'
import { promised } from '../stores/promised.ts'
import { advance } from './advance-payment.ts'
import { decide } from './decide.ts'
import { moveMandate } from './move-mandate.ts'

/**
 * Changes that only need time: people of the sandbox answer on their devices,
 * authorisations expire, payments are executed and booked, consents and
 * mandates end. Nothing waits for a timer: a read first applies the changes
 * that are due, and the job does so for resources that no call reads.
 */
export interface Clockwork {
  /** The payment as it is at `now` (milliseconds since 1970), or undefined for an unknown id. */
  payment(id: string, now: number): Promise<Payment | undefined>
  consent(id: string, now: number): Promise<Consent | undefined>
  /** Whether a consent that was just read is as it is at `now`, unless a newer one has ended it. */
  isConsentSettled(consent: Consent, now: number): boolean
  mandate(id: string, now: number): Promise<Mandate | undefined>
  /**
   * Does what is due by `now`, one thing after the other in the order of the
   * times for which they were planned, whatever they are of: people answer on
   * their devices, payments take their steps. Which of two gets the money, and
   * which consent ends the other, must not depend on who looks.
   *
   * @returns by its id (of an authorisation or a payment), what failed and is left for later
   * @throws when the database cannot be asked: nothing may overtake what was to be done then
   */
  catchUp(now: number): Promise<ReadonlyMap<string, unknown>>
  /** The accounts of these ids after everything that is due by `now` was done, in the order of their positions. */
  accounts(ids: readonly string[], now: number): Promise<readonly Account[]>
  /**
   * Brings everything due up to date and forgets old answers.
   *
   * @throws {AggregateError} at the end, of what failed: one resource does not hold up the others
   */
  run(now: number): Promise<void>
  /** Locks a parent and brings it up to date, in the transaction of `stores`; before anything is changed. */
  lock(stores: Stores, parent: Parent, now: number): Promise<void>
}

export function createClockwork(bank: Pick<Bank, 'stores' | 'randomUUID' | 'timeZone'>): Clockwork {
  const { stores, timeZone } = bank

  const advances = {
    payment: advancePayment,
    consent: advanceConsent,
    mandate: advanceMandate,
  }

  async function lock(inside: Stores, parent: Parent, now: number): Promise<void> {
    await lockRow(inside, parent)
    await answer(inside, parent, now)
    await advances[parent.kind](inside, parent.id, now)
  }

  /** Decides the authorisations of a locked parent whose time has come. */
  async function answer(inside: Stores, parent: Parent, now: number): Promise<void> {
    for (const authorisation of await inside.authorisations.openOf(parent)) {
      if (!isAuthorisationDue(authorisation, now)) continue
      const psu =
        authorisation.psuId === null ? undefined : await inside.psus.find(authorisation.psuId)
      const runsOutAt = authorisation.createdAt.getTime() + authorisationMs
      const answersAt = authorisation.answersAt?.getTime() ?? Number.POSITIVE_INFINITY
      const hasAnswered = answersAt <= Math.min(now, runsOutAt)
      const at = hasAnswered ? answersAt : runsOutAt
      // Things happen in their order: what was booked, or has ended, before the answer cannot be cancelled by it.
      if (parent.kind === 'payment') await advancePayment(inside, parent.id, at)
      if (parent.kind === 'mandate') await advanceMandate(inside, parent.id, at)
      await decide(
        { bank, stores: inside, authorisation, now: at },
        hasAnswered && psu !== undefined && approves(psu.behaviour, authorisation.purpose)
          ? { approved: true, psu }
          : { approved: false },
      )
    }
  }

  /** Takes a payment step by step to where it is at `now`; each step happens at the time it was planned for. */
  async function advancePayment(inside: Stores, id: string, now: number): Promise<void> {
    for (;;) {
      const payment = await inside.payments.find(id)
      if (payment === undefined || !isPaymentDue(payment, now)) return
      await advance(bank, inside, payment)
    }
  }

  async function advanceConsent(inside: Stores, id: string, now: number): Promise<void> {
    const consent = await inside.consents.find(id)
    if (consent === undefined || !isConsentDue(consent, now)) return
    const status = after(consentTransitions, consent.status, 'expire')
    if (status === undefined) return
    // The day it ended, not the day of this read.
    await inside.consents.update(id, { status, lastActionDay: endedOn(consent, timeZone) })
  }

  async function advanceMandate(inside: Stores, id: string, now: number): Promise<void> {
    const mandate = await inside.mandates.find(id)
    if (mandate === undefined || !isMandateDue(mandate, now)) return
    // The day after its last, not the day of this read.
    await moveMandate(inside, mandate, 'expire', addDays(mandate.endsOn, 1))
  }

  function isConsentDue(consent: Consent, now: number): boolean {
    return (
      after(consentTransitions, consent.status, 'expire') !== undefined &&
      isPast(consent, now, timeZone)
    )
  }

  /** Nothing but the answer to a newer one can have happened to it. */
  function isConsentSettled(consent: Consent, now: number): boolean {
    return consent.status !== 'received' && !isConsentDue(consent, now)
  }

  function isMandateDue(mandate: Mandate, now: number): mandate is Mandate & { endsOn: string } {
    return (
      mandate.endsOn !== null &&
      mandate.endsOn < onDay(now, timeZone) &&
      after(mandateTransitions, mandate.status, 'expire') !== undefined
    )
  }

  /** Reads a resource as it is at `now`. */
  async function current<Row>(
    parent: Parent,
    now: number,
    {
      find,
      isSettled,
      isDue,
    }: {
      readonly find: (id: string) => Promise<Row | undefined>
      /** Nothing can have happened to it by now. */
      readonly isSettled: (row: Row) => boolean
      readonly isDue: (row: Row) => boolean
    },
  ): Promise<Row | undefined> {
    const found = await find(parent.id)
    if (found === undefined || isSettled(found)) return found
    const failures = await catchUp(now)
    if (failures.has(parent.id)) throw failures.get(parent.id)
    // In this order: the row then shows a decision made in between by another process.
    const open = await stores.authorisations.openOf(parent)
    const row = await find(parent.id)
    if (row === undefined || isSettled(row)) return row
    const isWaiting = open.every((authorisation) => !isAuthorisationDue(authorisation, now))
    if (isWaiting && !isDue(row)) return row
    await bringUp(parent, now)
    return find(parent.id)
  }

  /** Does what a time-out or a last day has done. Steps of payments have their turn in {@link catchUp} alone. */
  function bringUp(parent: Parent, now: number): Promise<void> {
    return stores.transaction(async (inside) => {
      if (parent.kind !== 'payment') return lock(inside, parent, now)
      await lockRow(inside, parent)
      await answer(inside, parent, now)
    })
  }

  let running: Promise<unknown> = Promise.resolve()

  /** One after the other in a process: who comes meanwhile would only do the same, and wait for its locks. */
  function catchUp(now: number): Promise<ReadonlyMap<string, unknown>> {
    const work = running.then(() => doDue(now))
    running = work.catch(() => undefined)
    return work
  }

  async function doDue(now: number): Promise<ReadonlyMap<string, unknown>> {
    const failures = new Map<string, unknown>()
    for (;;) {
      const due = await stores.due.next(new Date(now), [...failures.keys()])
      if (due === undefined) return failures
      try {
        await (due.kind === 'answer' ? takeAnswer(due) : takeStep(due))
      } catch (error) {
        if (isOutage(error)) throw error
        failures.set(due.id, error)
      }
    }
  }

  function takeAnswer({ id, at }: Due): Promise<void> {
    return stores.transaction(async (inside) => {
      const parent = parentOf(promised(await inside.authorisations.find(id)))
      await lockRow(inside, parent)
      await answer(inside, parent, at.getTime())
    })
  }

  function takeStep({ id, at }: Due): Promise<void> {
    return stores.transaction(async (inside) => {
      const payment = await inside.payments.lock(id)
      // Another process may have taken the step meanwhile.
      if (payment === undefined || !isPaymentDue(payment, at.getTime())) return
      await advance(bank, inside, payment)
    })
  }

  async function accounts(ids: readonly string[], now: number): Promise<readonly Account[]> {
    const { accounts: found, isDue } = await stores.accounts.current(ids, new Date(now))
    if (!isDue) return found
    // A failure concerns one payment: reads of that payment and the job report it.
    await catchUp(now)
    return stores.accounts.byIds(ids)
  }

  return {
    lock,
    catchUp,
    accounts,
    isConsentSettled,

    payment(id, now) {
      return current<Payment>({ kind: 'payment', id }, now, {
        find: stores.payments.find,
        isSettled: ({ status }) => isFinal(paymentTransitions, status),
        isDue: (payment) => isPaymentDue(payment, now),
      })
    },

    consent(id, now) {
      return current<Consent>({ kind: 'consent', id }, now, {
        find: stores.consents.find,
        isSettled: ({ status }) => isFinal(consentTransitions, status),
        isDue: (consent) => isConsentDue(consent, now),
      })
    },

    mandate(id, now) {
      return current<Mandate>({ kind: 'mandate', id }, now, {
        find: stores.mandates.find,
        isSettled: ({ status }) => isFinal(mandateTransitions, status),
        isDue: (mandate) => isMandateDue(mandate, now),
      })
    },

    async run(now) {
      const today = onDay(now, timeZone)
      const failures: unknown[] = [...(await catchUp(now)).values()]
      const [authorisations, consents, mandates] = await Promise.all([
        stores.authorisations.openUntil(new Date(now - authorisationMs)),
        stores.consents.due(today, new Date(now - oneOffMs)),
        stores.mandates.due(today),
      ])
      const parents: readonly Parent[] = [
        ...authorisations.map(parentOf),
        ...consents.map((id) => ({ kind: 'consent', id }) as const),
        ...mandates.map((id) => ({ kind: 'mandate', id }) as const),
      ]
      for (const parent of parents) {
        await bringUp(parent, now).catch((error: unknown) => failures.push(error))
      }
      await stores.idempotency.forget(new Date(now))
      if (failures.length > 0) throw new AggregateError(failures, 'resources are not up to date')
    },
  }
}

/** Holds a parent until the transaction ends; whatever happens to it or its authorisations waits. */
function lockRow(inside: Stores, { kind, id }: Parent): Promise<unknown> {
  switch (kind) {
    case 'payment':
      return inside.payments.lock(id)
    case 'consent':
      return inside.consents.lock(id)
    case 'mandate':
      return inside.mandates.lock(id)
  }
}

/** Whether an open authorisation is decided by now: answered on the device, or run out. */
function isAuthorisationDue({ answersAt, createdAt }: Authorisation, now: number): boolean {
  if (answersAt !== null && answersAt.getTime() <= now) return true
  return hasRunOut({ createdAt }, now)
}

/** Whether the PSU can no longer decide. */
export function hasRunOut({ createdAt }: Pick<Authorisation, 'createdAt'>, now: number): boolean {
  return createdAt.getTime() + authorisationMs <= now
}

function isPaymentDue({ dueAt }: Payment, now: number): boolean {
  return dueAt !== null && dueAt.getTime() <= now
}

/** Whether the PSU has nothing to decide any more. What it has approved may have to be confirmed by the TPP. */
export function hasPsuDecided(authorisation: Pick<Authorisation, 'status'>): boolean {
  return isDecided(authorisation) || authorisation.status === 'unconfirmed'
}

/** Whether nothing can happen to an authorisation any more. */
export function isDecided({ status }: Pick<Authorisation, 'status'>): boolean {
  return isFinal(authorisationTransitions, status)
}
