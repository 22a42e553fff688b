// This folder has the bank's changes that touch several resources or need time. Read this file first: it makes the
// changes that are due, in the order of their times, and `timer.ts` wakes it. All approvals, from pages, calls or
// devices, end in `decide.ts`; `advance-payment.ts` and `collect.ts` move money, `book-*.ts` write the entries. Each
// function works in the caller's transaction on rows that `lock-*.ts` lock in one order. Nothing here depends on HTTP
// or the form of a document.

import { isOutage } from '../../platform/database/database.ts'
import { assertFound } from '../assert-found.ts'
import type { Bank } from '../bank.ts'
import { authorisationMs, isDecided } from '../domain/authorisation.ts'
import { approves } from '../domain/psu.ts'
import { type Authorisation, parentOf } from '../stores/authorisations.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Due } from '../stores/due.ts'
import { advance } from './advance-payment.ts'
import { decide } from './decide.ts'
import { lockAuthorisation } from './lock-authorisation.ts'

/** Milliseconds until the clockwork retries a change whose resource another process has locked. */
const busyMs = 50

/** The result of {@link Clockwork.catchUp}. */
export interface CaughtUp {
  /** One error per failed change. The next call retries it. */
  readonly failures: readonly unknown[]
  /** The time of the next planned change, in milliseconds since 1970. Infinity: nothing is planned. */
  readonly nextAt: number
}

/**
 * Changes that only need time: customers answer on their devices, authorisations run
 * out, the bank executes and books payments. The {@link startTimer timer} makes them
 * when they are due; reads change nothing. The end of a consent or mandate is not
 * such a change: each read computes it (`consentAt`, `mandateAt`).
 */
export interface Clockwork {
  /**
   * Makes the changes that are due by `now`, one after the other, in the order of
   * their planned times. So it does not depend on the moment of this call which of
   * two payments gets the money, or which consent ends the other. Of several
   * processes, one makes a change; the others neither wait for it nor overtake it.
   *
   * @throws when the database is down
   */
  catchUp(now: number): Promise<CaughtUp>
}

export function createClockwork(bank: Pick<Bank, 'stores' | 'randomUUID' | 'timeZone'>): Clockwork {
  const { stores } = bank

  async function catchUp(now: number): Promise<CaughtUp> {
    const failed = new Map<string, unknown>()
    for (;;) {
      const due = await stores.due.next([...failed.keys()])
      const failures = [...failed.values()]
      if (due === undefined) return { failures, nextAt: Number.POSITIVE_INFINITY }
      if (due.at.getTime() > now) return { failures, nextAt: due.at.getTime() }
      try {
        const isTaken = await stores.transaction((inside) => change(inside, due))
        if (!isTaken) return { failures, nextAt: now + busyMs }
      } catch (error) {
        if (isOutage(error)) throw error
        failed.set(due.id, error)
      }
    }
  }

  /** @returns false if another transaction has locked the resource */
  async function change(inside: Stores, { kind, id, at }: Due): Promise<boolean> {
    if (kind === 'step') {
      const isLocked = await inside.due.lock({ kind: 'payment', id })
      if (isLocked) await step(inside, id, at)
      return isLocked
    }
    const authorisation = assertFound(await inside.authorisations.find(id))
    const isLocked = await inside.due.lock(parentOf(authorisation))
    if (isLocked) await answer(inside, authorisation, at.getTime())
    return isLocked
  }

  async function step(inside: Stores, id: string, at: Date): Promise<void> {
    const payment = assertFound(await inside.payments.find(id))
    // Another process may have taken the step, or a cancellation may have removed it.
    if (payment.dueAt !== null && payment.dueAt <= at) await advance(bank, inside, payment)
  }

  /** Decides an authorisation whose time has come, unless another process has decided it or its time has changed. */
  async function answer(inside: Stores, found: Authorisation, plannedAt: number): Promise<void> {
    const locked = await lockAuthorisation({ bank, stores: inside, now: plannedAt }, found)
    const { authorisation } = locked
    const runsOutAt = authorisation.createdAt.getTime() + authorisationMs
    const answersAt = authorisation.answersAt?.getTime() ?? Number.POSITIVE_INFINITY
    const now = Math.min(answersAt, runsOutAt)
    if (isDecided(authorisation) || now > plannedAt) return
    const { psuId, purpose } = authorisation
    const psu = psuId === null ? undefined : await inside.psus.find(psuId)
    const isApproved =
      answersAt <= runsOutAt && psu !== undefined && approves(psu.behaviour, purpose)
    await decide({ ...locked, now }, isApproved ? { approved: true, psu } : { approved: false })
  }

  return { catchUp }
}
