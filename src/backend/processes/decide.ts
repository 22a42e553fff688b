import type { Bank } from '../bank.ts'
import { consentModel, grantsOf, offeredAccess } from '../domain/access.ts'
import { type AuthorisationEvent, authorisationTransitions } from '../domain/authorisation.ts'
import { instantOf, onDay, timeOnDay } from '../domain/bank-time.ts'
import { type ConsentEvent, consentTransitions } from '../domain/consent.ts'
import { mandateReason, mandateTransitions } from '../domain/mandate.ts'
import { paymentTransitions, planSettlement } from '../domain/payment.ts'
import { findPaymentProduct } from '../domain/payment-products.ts'
import type { PsuBehaviour } from '../domain/psu.ts'
import { after } from '../domain/transitions.ts'
import { type Authorisation, parentOf } from '../stores/authorisations.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Consent } from '../stores/consents.ts'
import type { Mandate } from '../stores/mandates.ts'
import type { Payment } from '../stores/payments.ts'
import { promised } from '../stores/promised.ts'
import type { Psu } from '../stores/psus.ts'
import { findDebtorAccount } from './debtor.ts'
import { holdingsOf } from './holdings.ts'

/** How the PSU, or the time that ran out, decided. */
export type Decision =
  | { readonly approved: true; readonly psu: Psu }
  | { readonly approved: false; readonly psu?: Psu }

/** What every step of a decision needs. */
interface Deciding {
  readonly bank: Pick<Bank, 'timeZone'>
  readonly stores: Stores
  readonly authorisation: Authorisation
  readonly now: number
}

/**
 * Ends an open authorisation and carries the outcome over to what it is about,
 * in the transaction of the caller, who has locked the parent. An approval that
 * cannot take effect (an account the PSU does not have) fails instead.
 *
 * @returns the final status of the authorisation
 */
export async function decide(
  deciding: Deciding,
  decision: Decision,
): Promise<'finalised' | 'failed'> {
  const { stores, authorisation } = deciding
  const parent = parentOf(authorisation)
  const took = await applyTo(deciding, parent, decision)
  const event: AuthorisationEvent = took ? 'approve' : 'fail'
  const status = after(authorisationTransitions, authorisation.status, event)
  if (status === undefined) throw new Error(`authorisation ${authorisation.id} is decided twice`)
  await stores.authorisations.update(authorisation.id, {
    status,
    ...(decision.psu === undefined ? {} : { psuId: decision.psu.id }),
  })
  return took ? 'finalised' : 'failed'
}

async function applyTo(
  deciding: Deciding,
  { kind, id }: ReturnType<typeof parentOf>,
  decision: Decision,
): Promise<boolean> {
  const { stores, authorisation } = deciding
  switch (kind) {
    case 'payment': {
      const payment = promised(await stores.payments.lock(id))
      return authorisation.purpose === 'creation'
        ? decidePayment(deciding, payment, decision)
        : decideCancellation(deciding, payment, decision)
    }
    case 'consent':
      return decideConsent(deciding, promised(await stores.consents.lock(id)), decision)
    case 'mandate':
      return decideMandate(deciding, promised(await stores.mandates.lock(id)), decision)
  }
}

async function decidePayment(
  { bank, stores, now }: Deciding,
  payment: Payment,
  decision: Decision,
): Promise<boolean> {
  const product = findPaymentProduct(payment.product)
  if (product === undefined) throw new Error(`payment ${payment.id} has an unknown product`)
  const { body } = payment
  const account = decision.approved
    ? await findDebtorAccount(stores, decision.psu.id, body.debtorAccount, payment.currency)
    : undefined
  const isPayable = account?.status === 'enabled' && account.iban !== body.creditorAccount.iban
  if (!decision.approved || !isPayable) {
    const status = after(paymentTransitions, payment.status, 'refuse') ?? payment.status
    await stores.payments.update(payment.id, { status })
    return false
  }
  const approved = after(paymentTransitions, payment.status, 'authorise')
  if (approved === undefined) return false
  // Above the person's limit the bank rejects what the person has approved.
  const isOverLimit = decision.psu.behaviour === 'internalLimit'
  const status = isOverLimit ? after(paymentTransitions, approved, 'reject') : approved
  const plan = planSettlement(
    product,
    now,
    requestedStart(payment, now, bank.timeZone),
    bank.timeZone,
  )
  await stores.payments.update(payment.id, {
    status: status ?? approved,
    psuId: decision.psu.id,
    debtorAccountId: account.id,
    executeAt: new Date(plan.executeAt),
    settleAt: new Date(plan.settleAt),
  })
  return true
}

/** When the execution of a payment may begin: a later day begins at 06:00 (our choice). Undefined: at once. */
function requestedStart({ body }: Payment, now: number, timeZone: string): number | undefined {
  const { requestedExecutionDate: day, requestedExecutionTime: time } = body
  if (time !== undefined) return instantOf(time)
  return day === undefined || day <= onDay(now, timeZone) ? undefined : timeOnDay(day, 6, timeZone)
}

async function decideCancellation(
  { stores }: Deciding,
  payment: Payment,
  decision: Decision,
): Promise<boolean> {
  // It may have been booked while the PSU was thinking.
  const status = after(paymentTransitions, payment.status, 'cancel')
  if (!decision.approved || status === undefined) return false
  await stores.payments.update(payment.id, { status })
  return true
}

async function decideConsent(
  { bank, stores, now }: Deciding,
  consent: Consent,
  decision: Decision,
): Promise<boolean> {
  const today = onDay(now, bank.timeZone)
  const holdings = decision.approved ? await holdingsOf(stores, decision.psu.id) : []
  const grants = decision.approved ? grantsOf(consent.access, holdings) : undefined
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
  if (consent.recurring) await stores.consents.supersede(consent, psu.id, today)
  const next = consentEvents[psu.behaviour]
  await stores.consents.update(consent.id, {
    psuId: psu.id,
    status: next === undefined ? status : (after(consentTransitions, status, next) ?? status),
    lastActionDay: today,
    ...(consentModel(consent.access) === 'bankOffered'
      ? { access: JSON.stringify(offeredAccess(consent.access, holdings)) }
      : {}),
  })
  await stores.consents.grant(consent.id, grants)
  return true
}

/** What happens to a consent right after such a person has approved it. */
const consentEvents: Readonly<Partial<Record<PsuBehaviour, ConsentEvent>>> = {
  consentExpired: 'expire',
  consentRevoked: 'revoke',
}

async function decideMandate(
  { bank, stores, now }: Deciding,
  mandate: Mandate,
  decision: Decision,
): Promise<boolean> {
  const event = decision.approved ? 'authorise' : 'refuse'
  const status = after(mandateTransitions, mandate.status, event)
  if (status === undefined) return false
  await stores.mandates.update(mandate.id, {
    status,
    reason: mandateReason(mandate.status, event) ?? null,
    lastActionDay: onDay(now, bank.timeZone),
  })
  return decision.approved
}
