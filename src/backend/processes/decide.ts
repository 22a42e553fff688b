// This file decides authorisations. Three callers do so: the bank's pages (`sca/sign-in.ts`, `sca/take-decision.ts`),
// the calls of a third party (`handlers/update-authorisation.ts`), and the clockwork, when a customer answers on a
// device or the time to approve is over (`processes/clockwork.ts`). The sandbox also approves its ready consents here.

import { assertFound } from '../assert-found.ts'
import { consentModel, grantsOf, offeredAccess } from '../domain/access.ts'
import { approvingEvent, authorisationTransitions } from '../domain/authorisation.ts'
import { onDay } from '../domain/bank-time.ts'
import { type ConsentEvent, consentTransitions, isPast } from '../domain/consent.ts'
import { paymentTransitions } from '../domain/payment.ts'
import { findPaymentProduct, withdrawn } from '../domain/payment-products.ts'
import type { PsuBehaviour } from '../domain/psu.ts'
import { planSettlement } from '../domain/settlement.ts'
import { after } from '../domain/transitions.ts'
import type { Account } from '../stores/accounts.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Consent } from '../stores/consents.ts'
import type { Mandate } from '../stores/mandates.ts'
import type { Payment } from '../stores/payments.ts'
import type { Psu } from '../stores/psus.ts'
import type { BankWork } from './bank-work.ts'
import { holdingsOf } from './holdings.ts'
import type { LockedAuthorisation } from './lock-authorisation.ts'
import { moveMandate } from './move-mandate.ts'
import { findCreditorAccount, findDebtorAccount, isDebitable } from './transfer-accounts.ts'

/** The decision of the PSU. An authorisation whose time has run out counts as refused. */
export type Decision =
  | {
      readonly approved: true
      readonly psu: Psu
      /** Ids of the accounts and cards that the PSU picked, if the TPP left the choice. (Default and null: all) */
      readonly picked?: readonly string[] | null
    }
  | { readonly approved: false; readonly psu?: Psu }

/** How an authorisation ends. */
export type DecidedStatus = 'finalised' | 'exempted' | 'failed'

/**
 * Ends an open authorisation and applies the outcome to its parent, in the
 * transaction that has locked both. An approval that cannot take effect, for
 * example because the PSU has no such account, fails instead.
 *
 * @returns the final status of the authorisation
 */
export async function decide(
  locked: LockedAuthorisation,
  decision: Decision,
): Promise<DecidedStatus> {
  const { stores, authorisation } = locked
  const hasEffect = await applyToParent(locked, decision)
  const event = hasEffect ? approvingEvent(authorisation.status) : 'fail'
  const status = after(authorisationTransitions, authorisation.status, event)
  if (status !== 'finalised' && status !== 'exempted' && status !== 'failed') {
    throw new Error(`authorisation ${authorisation.id} is ${authorisation.status}: no ${event}`)
  }
  await stores.authorisations.update(authorisation.id, {
    status,
    ...(decision.psu === undefined ? {} : { psuId: decision.psu.id }),
  })
  return status
}

/** @returns whether the PSU has approved and the approval took effect */
async function applyToParent(locked: LockedAuthorisation, decision: Decision): Promise<boolean> {
  const { parent } = locked
  const isCreation = locked.authorisation.purpose === 'creation'
  switch (parent.kind) {
    case 'payment':
      return isCreation
        ? decidePayment(locked, parent.resource, decision)
        : decideCancellation(locked, parent.resource, decision)
    case 'consent':
      return decideConsent(locked, parent.resource, decision)
    case 'mandate':
      return isCreation
        ? decideMandate(locked, parent.resource, decision)
        : decideMandateCancellation(locked, parent.resource, decision)
  }
}

async function decidePayment(
  { bank, stores, now }: BankWork,
  payment: Payment,
  decision: Decision,
): Promise<boolean> {
  const product = assertFound(findPaymentProduct(payment.product))
  const { body } = payment
  const account = decision.approved ? await debtorOf(stores, payment, decision) : undefined
  const isPayable =
    account !== undefined &&
    isDebitable(account, payment.currency) &&
    account.iban !== body.creditorAccount.iban
  if (!decision.approved || !isPayable) {
    const status = after(paymentTransitions, payment.status, 'refuse') ?? payment.status
    await stores.payments.update(payment.id, { status })
    return false
  }
  const approved = after(paymentTransitions, payment.status, 'authorise')
  if (approved === undefined) return false
  const plan = planSettlement(product, body, now, bank.timeZone)
  const creditor = await findCreditorAccount(stores, body.creditorAccount, payment.currency)
  const isCreditable = creditor === undefined || creditor.status === 'enabled'
  // The bank can still reject an approved payment. Earlier, the answer to POST would
  // reveal to every TPP which accounts are closed.
  const isRejected = decision.psu.behaviour === 'internalLimit' || !isCreditable
  const event = isRejected ? 'reject' : plan.isPostponed ? 'postpone' : undefined
  const status = event === undefined ? approved : after(paymentTransitions, approved, event)
  await stores.payments.update(payment.id, {
    status: status ?? approved,
    psuId: decision.psu.id,
    debtorAccountId: account.id,
    executeAt: new Date(plan.executeAt),
    settleAt: new Date(plan.settleAt),
    dueAt: isRejected ? null : new Date(plan.fundsAt),
  })
  return true
}

/** The account to debit: named by the TPP, otherwise picked by the PSU, otherwise the PSU's first that fits. */
async function debtorOf(
  stores: Stores,
  { body, currency }: Payment,
  { psu, picked }: Extract<Decision, { approved: true }>,
): Promise<Account | undefined> {
  if (body.debtorAccount !== undefined || !picked) {
    return findDebtorAccount(stores, psu.id, body.debtorAccount, currency)
  }
  const accounts = await stores.accounts.ofPsu(psu.id)
  return accounts.find((account) => isDebitable(account, currency) && picked.includes(account.id))
}

async function decideCancellation(
  { stores }: BankWork,
  payment: Payment,
  decision: Decision,
): Promise<boolean> {
  // The bank may have booked the payment before the PSU decided.
  const status = withdrawn(assertFound(findPaymentProduct(payment.product)), payment.status)
  if (!decision.approved || status === undefined) return false
  await stores.payments.update(payment.id, { status, dueAt: null })
  return true
}

async function decideConsent(
  { bank, stores, now }: BankWork,
  consent: Consent,
  decision: Decision,
): Promise<boolean> {
  const today = onDay(now, bank.timeZone)
  const isOffered = consentModel(consent.access) === 'bankOffered'
  const owned = decision.approved ? await holdingsOf(stores, decision.psu.id) : []
  const picked = decision.approved && isOffered ? decision.picked : undefined
  const holdings = picked ? owned.filter(({ id }) => picked.includes(id)) : owned
  // After the last day, an approval comes too late.
  const isInTime = !isPast(consent, now, bank.timeZone)
  const grants = decision.approved && isInTime ? grantsOf(consent.access, holdings) : undefined
  const status = after(
    consentTransitions,
    consent.status,
    decision.approved && grants !== undefined ? 'authorise' : 'refuse',
  )
  if (status === undefined) return false
  if (!decision.approved || grants === undefined) {
    await stores.consents.update(consent.id, { status, lastActionDay: today })
    return false
  }
  const { psu } = decision
  await stores.psus.lock(psu.id)
  if (consent.recurring) await supersede(stores, consent, psu.id, today)
  const next = consentEvents[psu.behaviour]
  await stores.consents.update(consent.id, {
    psuId: psu.id,
    status: next === undefined ? status : (after(consentTransitions, status, next) ?? status),
    lastActionDay: today,
    ...(isOffered ? { access: JSON.stringify(offeredAccess(consent.access, holdings)) } : {}),
  })
  await stores.consents.grant(consent.id, grants)
  return true
}

/** Ends the older consents that a recurring consent replaces: approved ones expire, the others are rejected. */
async function supersede(
  stores: Stores,
  consent: Consent,
  psuId: string,
  today: string,
): Promise<void> {
  await stores.consents.supersede(consent, psuId, today)
  for (const id of await stores.consents.lockWaiting(consent, psuId)) {
    await stores.authorisations.failOpen({ kind: 'consent', id })
    await stores.consents.update(id, { status: 'rejected', lastActionDay: today })
  }
}

/** The event that follows at once when a customer of this behaviour approves a consent. */
const consentEvents: Readonly<Partial<Record<PsuBehaviour, ConsentEvent>>> = {
  consentExpired: 'expire',
  consentRevoked: 'revoke',
  consentSuspended: 'suspend',
}

async function decideMandate(
  { bank, stores, now }: BankWork,
  mandate: Mandate,
  decision: Decision,
): Promise<boolean> {
  const today = onDay(now, bank.timeZone)
  // After the last day, an approval comes too late.
  const isInTime = mandate.endsOn === null || mandate.endsOn >= today
  const event = decision.approved && isInTime ? 'authorise' : 'refuse'
  const status = await moveMandate(stores, mandate, event, today)
  return event === 'authorise' && status !== undefined
}

async function decideMandateCancellation(
  { bank, stores, now }: BankWork,
  mandate: Mandate,
  decision: Decision,
): Promise<boolean> {
  if (!decision.approved) return false
  // The mandate may have ended before the PSU decided.
  const status = await moveMandate(stores, mandate, 'terminate', onDay(now, bank.timeZone))
  return status !== undefined
}
