import type { Bank } from '../bank.ts'
import { onDay } from '../domain/bank-time.ts'
import { consentTransitions } from '../domain/consent.ts'
import { after } from '../domain/transitions.ts'
import type { Stores } from '../stores/bank-stores.ts'
import { lockConsent, lockMandate } from './lock-resource.ts'
import { moveMandate } from './move-mandate.ts'

/** Numbers of resources of an application that ended. */
export interface EndedResources {
  readonly consents: number
  readonly payments: number
  readonly mandates: number
}

/**
 * Ends the resources of a deleted application, as its own DELETE would: every open
 * consent, and payments and mandates that wait for approval. An approved payment is
 * the customer's order and continues; an approved mandate is between debtor and
 * creditor. Idempotent: each resource has its own transaction, so a repetition
 * continues where the last one stopped.
 *
 * @param now milliseconds since 1970
 */
export async function endApplication(
  bank: Pick<Bank, 'stores' | 'timeZone'>,
  applicationId: string,
  now: number,
): Promise<EndedResources> {
  const today = onDay(now, bank.timeZone)

  async function endConsent(inside: Stores, id: string): Promise<boolean> {
    const consent = await lockConsent({ bank, stores: inside, now }, id)
    const status = consent && after(consentTransitions, consent.status, 'terminate')
    if (status === undefined) return false
    await inside.authorisations.failOpen({ kind: 'consent', id })
    await inside.consents.update(id, { status, lastActionDay: today })
    return true
  }

  async function cancelPayment(inside: Stores, id: string): Promise<boolean> {
    const payment = await inside.payments.lock(id)
    if (payment?.status !== 'RCVD') return false
    await inside.authorisations.failOpen({ kind: 'payment', id })
    await inside.payments.update(id, { status: 'CANC', dueAt: null })
    return true
  }

  async function endMandate(inside: Stores, id: string): Promise<boolean> {
    const mandate = await lockMandate({ bank, stores: inside, now }, id)
    if (mandate?.status !== 'received') return false
    return (await moveMandate(inside, mandate, 'terminate', today)) !== undefined
  }

  async function each(
    ids: readonly string[],
    end: (inside: Stores, id: string) => Promise<boolean>,
  ): Promise<number> {
    let ended = 0
    for (const id of ids) {
      if (await bank.stores.transaction((inside) => end(inside, id))) ended += 1
    }
    return ended
  }

  const { stores } = bank
  return {
    consents: await each(await stores.consents.openOf(applicationId), endConsent),
    payments: await each(await stores.payments.waitingOf(applicationId), cancelPayment),
    mandates: await each(await stores.mandates.waitingOf(applicationId), endMandate),
  }
}
