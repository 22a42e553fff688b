/** States as docs/bank.md draws them; what is decided in them is written down here once more, on purpose. */
export type ConsentState =
  | 'received'
  | 'valid'
  | 'rejected'
  | 'revokedByPsu'
  | 'expired'
  | 'terminatedByTpp'
export type MandateState = 'received' | 'valid' | 'rejected' | 'expired' | 'terminatedByTpp'
export type Approach = 'EMBEDDED' | 'DECOUPLED' | 'REDIRECT'
export type Put =
  | 'identify'
  | 'password'
  | 'wrongPassword'
  | 'sms'
  | 'app'
  | 'noMethod'
  | 'otp'
  | 'wrongOtp'
  | 'confirm'

/** How a person of the sandbox behaves, as far as the model looks at it. */
export interface Person {
  readonly id: string
  readonly approves: boolean
  readonly approvesCancellation: boolean
  /** What happens to an approved consent at once. */
  readonly consentBecomes: ConsentState
  /** Whether the bank rejects its approved payments. */
  readonly isOverLimit: boolean
}

export interface AuthorisationModel {
  readonly id: string | undefined
  readonly createdAt: number
  approach: Approach
  status: string
  person: Person | undefined
  answersAt: number | undefined
  passwordFailures: number
  otpFailures: number
}

export interface ConsentModel {
  readonly kind: 'consent'
  readonly id: string
  readonly createdAt: number
  readonly isRecurring: boolean
  /** Number of the last day, since 1970. */
  readonly lastDay: number
  readonly authorisation: AuthorisationModel
  person: Person | undefined
  state: ConsentState
  usedAt: number | undefined
}

export type Product = 'fp' | 'masav' | 'zahav'

export interface PaymentModel {
  readonly kind: 'payment'
  readonly id: string
  readonly product: Product
  /** Number of the day it is dated to, since 1970. */
  readonly day: number | undefined
  readonly authorisation: AuthorisationModel
  /** Until it is approved, or once it has ended otherwise than by settlement. */
  state: 'RCVD' | 'RJCT' | 'CANC' | 'approved'
  /** Once approved: from when on it is what. */
  timeline: readonly (readonly [from: number, state: string])[]
  cancellation: { readonly answersAt: number; readonly person: Person } | undefined
}

export interface MandateModel {
  readonly kind: 'mandate'
  readonly id: string
  readonly isB2b: boolean
  /** Number of the last day, since 1970. */
  readonly lastDay: number
  readonly authorisation: AuthorisationModel
  state: MandateState
  reason: string | undefined
  cancelledAt: number | undefined
}

export type ResourceModel = ConsentModel | PaymentModel | MandateModel

const hour = 3_600_000
export const dayMs = 24 * hour
/** Winter in Jerusalem: the model is for 2026-11-20 to 2027-03-25, when there are no feasts either. */
const offset = 2 * hour

export function dayOf(instant: number): number {
  return Math.floor((instant + offset) / dayMs)
}

/** When clocks of the bank show an hour of a day. */
function at(day: number, hours: number): number {
  return day * dayMs - offset + hours * hour
}

/** `YYYY-MM-DD`. */
export function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** Sunday to Thursday; 1970-01-01 was a Thursday. */
function bankingDayFrom(day: number): number {
  let found = day
  while ((found + 4) % 7 > 4) found += 1
  return found
}

/** Opens the authorisation of something just made. */
export function openAuthorisation(
  id: string | undefined,
  approach: Approach,
  person: Person | undefined,
  now: number,
): AuthorisationModel {
  const isAsked = approach === 'DECOUPLED' && person !== undefined
  return {
    id,
    approach,
    createdAt: now,
    person,
    status: person === undefined ? 'received' : isAsked ? 'started' : 'psuIdentified',
    answersAt: isAsked ? now + 2000 : undefined,
    passwordFailures: 0,
    otpFailures: 0,
  }
}

export function isOpen({ status }: AuthorisationModel): boolean {
  return status !== 'finalised' && status !== 'failed'
}

/** What the API must report about a resource after {@link pass} has moved the time. */
export function stateOf(resource: ResourceModel, now: number): string {
  if (resource.kind !== 'payment' || resource.state !== 'approved') return resource.state
  return resource.timeline.findLast(([from]) => from <= now)?.[1] ?? 'none'
}

/** Lets time pass until `now`: everything that answers or runs out on the way does so in its order. */
export function pass(resources: readonly ResourceModel[], now: number): void {
  const events = resources
    .flatMap((resource) => {
      const { authorisation } = resource
      if (!isOpen(authorisation)) return []
      const runsOutAt = authorisation.createdAt + dayMs
      return [{ resource, when: Math.min(authorisation.answersAt ?? runsOutAt, runsOutAt) }]
    })
    .filter(({ when }) => when <= now)
    .sort((a, b) => a.when - b.when)
  for (const { resource, when } of events) {
    // An earlier event may have decided it.
    if (isOpen(resource.authorisation)) decide(resources, resource, when)
  }
  for (const resource of resources) {
    if (resource.kind === 'payment') cancelOnTime(resource, now)
    if (resource.kind === 'consent' && isOver(resource, now)) resource.state = 'expired'
    if (resource.kind === 'mandate') endOnTime(resource, now)
  }
}

/** The person answers, or the request times out. */
function decide(resources: readonly ResourceModel[], resource: ResourceModel, when: number): void {
  const { authorisation } = resource
  const { person, answersAt } = authorisation
  const hasAnswered = answersAt !== undefined && answersAt <= when
  if (hasAnswered && person?.approves === true) approve(resources, resource, person, when)
  else refuse(resource)
}

function approve(
  resources: readonly ResourceModel[],
  resource: ResourceModel,
  person: Person,
  when: number,
): void {
  // An approval after the last day is too late.
  if (resource.kind !== 'payment' && resource.lastDay < dayOf(when)) {
    refuse(resource)
    return
  }
  resource.authorisation.status = 'finalised'
  switch (resource.kind) {
    case 'payment':
      resource.state = person.isOverLimit ? 'RJCT' : 'approved'
      resource.timeline = timelineOf(resource, when)
      return
    case 'mandate':
      resource.state = 'valid'
      return
    case 'consent':
      if (resource.isRecurring) supersede(resources, resource, person)
      resource.person = person
      resource.state = person.consentBecomes
      return
  }
}

function refuse(resource: ResourceModel): void {
  resource.authorisation.status = 'failed'
  if (resource.kind === 'payment') resource.state = 'RJCT'
  else resource.state = 'rejected'
  if (resource.kind === 'mandate') resource.reason = 'MD13'
}

/** A recurring consent takes the place of those of the person that are valid, and of older ones that wait. */
function supersede(resources: readonly ResourceModel[], by: ConsentModel, person: Person): void {
  for (const other of resources) {
    if (other.kind !== 'consent' || other === by || !other.isRecurring) continue
    if (other.person?.id !== person.id) continue
    if (other.state === 'valid') other.state = 'expired'
    if (other.state === 'received' && other.createdAt < by.createdAt) refuse(other)
  }
}

function isOver({ state, lastDay, usedAt }: ConsentModel, now: number): boolean {
  const isUsedUp = usedAt !== undefined && usedAt + 2 * hour <= now
  return state === 'valid' && (isUsedUp || lastDay < dayOf(now))
}

function endOnTime(mandate: MandateModel, now: number): void {
  const { cancelledAt } = mandate
  const isCancelled = cancelledAt !== undefined && cancelledAt <= now
  if (mandate.state !== 'valid') return
  // Whichever was first.
  if (mandate.lastDay < dayOf(isCancelled ? cancelledAt : now)) {
    mandate.state = 'expired'
    mandate.reason = 'MD20'
  } else if (isCancelled) terminate(mandate)
}

function terminate(mandate: MandateModel): void {
  mandate.reason = mandate.state === 'received' ? 'MD22' : 'MD17'
  mandate.state = 'terminatedByTpp'
  if (isOpen(mandate.authorisation)) mandate.authorisation.status = 'failed'
}

function cancelOnTime(payment: PaymentModel, now: number): void {
  const { cancellation } = payment
  if (cancellation === undefined || cancellation.answersAt > now) return
  payment.cancellation = undefined
  if (!cancellation.person.approvesCancellation) return
  if (isCancellable(payment, cancellation.answersAt)) payment.state = 'CANC'
}

/** An instant payment never, a gross one until it is executed, a batch one until it is booked. */
function isCancellable(payment: PaymentModel, now: number): boolean {
  const state = stateOf(payment, now)
  if (state === 'RCVD') return true
  const states = {
    fp: [],
    zahav: ['ACTC', 'ACWC', 'ACFC'],
    masav: ['ACTC', 'ACWC', 'ACFC', 'ACSP'],
  }
  return states[payment.product].some((one) => one === state)
}

/** What becomes of a payment approved at an instant. */
function timelineOf({ product, day }: PaymentModel, approvedAt: number): PaymentModel['timeline'] {
  const isLater = day !== undefined && day > dayOf(approvedAt)
  const possible = isLater ? (product === 'fp' ? day : bankingDayFrom(day)) : 0
  const wanted = isLater ? at(possible, 6) : approvedAt
  const start = product === 'zahav' ? openFrom(wanted) : wanted
  const isPostponed = (isLater && possible !== day) || start > wanted
  const settledAt = { fp: start + 2000, zahav: start + 60_000, masav: windowAfter(start) }[product]
  const midnight = at(dayOf(start), 0)
  return [
    [approvedAt, isPostponed ? 'ACWC' : 'ACTC'],
    ...(midnight > approvedAt ? ([[midnight, 'ACFC']] as const) : []),
    [start + 1000, 'ACSP'],
    [settledAt, 'ACSC'],
    // Only banks that take part in instant payments confirm them.
    ...(product === 'fp' ? ([[settledAt + 30_000, 'ACCC']] as const) : []),
  ]
}

/** Gross settlement is open from 8 to 17. */
function openFrom(instant: number): number {
  const day = dayOf(instant)
  const openDay = bankingDayFrom(instant >= at(day, 17) ? day + 1 : day)
  return Math.max(instant, at(openDay, 8))
}

/** Batches are booked at 18:00; who comes then has missed it. */
function windowAfter(instant: number): number {
  const day = dayOf(instant)
  return at(bankingDayFrom(instant >= at(day, 18) ? day + 1 : day), 18)
}

/** DELETE: the status it is answered with. */
export function remove(resource: ResourceModel, person: Person, now: number): number {
  switch (resource.kind) {
    case 'consent':
      if (resource.state === 'terminatedByTpp') return 204
      if (resource.state !== 'received' && resource.state !== 'valid') return 401
      resource.state = 'terminatedByTpp'
      if (isOpen(resource.authorisation)) resource.authorisation.status = 'failed'
      return 204
    case 'mandate':
      if (resource.state === 'terminatedByTpp') return 204
      if (resource.state !== 'received' && resource.state !== 'valid') return 409
      if (resource.isB2b && resource.state === 'valid') {
        resource.cancelledAt = now + 2000
        return 202
      }
      terminate(resource)
      return 204
    case 'payment':
      if (!isCancellable(resource, now)) return 405
      if (resource.state === 'approved') {
        resource.cancellation = { answersAt: now + 2000, person }
        return 202
      }
      resource.state = 'CANC'
      if (isOpen(resource.authorisation)) resource.authorisation.status = 'failed'
      return 202
  }
}

/** Failed attempts in a row. */
interface Row {
  failures: number
  failedAt: number
}

/** By the resources of a TPP, and the person. */
const rows = new WeakMap<readonly ResourceModel[], Map<Person, Row>>()

function rowOf(resources: readonly ResourceModel[], person: Person): Row {
  const ofPeople = rows.get(resources) ?? new Map<Person, Row>()
  rows.set(resources, ofPeople)
  const row = ofPeople.get(person) ?? { failures: 0, failedAt: 0 }
  ofPeople.set(person, row)
  return row
}

function isBlocked({ failures, failedAt }: Row, now: number): boolean {
  return failures >= 5 && now < failedAt + hour / 2
}

function fail(row: Row, now: number): void {
  row.failures = row.failures >= 5 ? 1 : row.failures + 1
  row.failedAt = now
}

/** PUT on the authorisation for a person: the status it is answered with. */
export function put(
  resources: readonly ResourceModel[],
  resource: ResourceModel,
  step: Put,
  person: Person,
  now: number,
): number {
  const { authorisation } = resource
  if (!isOpen(authorisation)) {
    const isFailed = authorisation.status === 'failed'
    if (isFailed && authorisation.createdAt + dayMs <= now) return 403
    return isFailed && step === 'confirm' ? 400 : 409
  }
  if (authorisation.person !== undefined && authorisation.person !== person) return 401
  if (step === 'confirm') return 409
  if (step === 'identify') return identify(authorisation, person, now)
  if (authorisation.approach !== 'EMBEDDED') return 403
  const row = rowOf(resources, person)
  switch (step) {
    case 'password':
    case 'wrongPassword': {
      if (authorisation.status !== 'received' && authorisation.status !== 'psuIdentified')
        return 409
      if (isBlocked(row, now)) return 401
      if (step === 'wrongPassword') {
        fail(row, now)
        authorisation.passwordFailures += 1
        if (authorisation.passwordFailures >= 3 || isBlocked(row, now)) refuse(resource)
        return 401
      }
      authorisation.person = person
      authorisation.status = 'psuAuthenticated'
      return 200
    }
    case 'sms':
    case 'app':
    case 'noMethod':
      return selectMethod(authorisation, step, now)
    case 'otp':
    case 'wrongOtp': {
      if (authorisation.status !== 'scaMethodSelected') return 409
      if (isBlocked(row, now)) return 401
      if (step === 'wrongOtp') {
        fail(row, now)
        authorisation.otpFailures += 1
        if (authorisation.otpFailures >= 3 || isBlocked(row, now)) refuse(resource)
        return 401
      }
      row.failures = 0
      if (person.approves) approve(resources, resource, person, now)
      else refuse(resource)
      return 200
    }
  }
}

function identify(authorisation: AuthorisationModel, person: Person, now: number): number {
  if (authorisation.status !== 'received') return 409
  Object.assign(authorisation, {
    ...openAuthorisation(authorisation.id, authorisation.approach, person, now),
    createdAt: authorisation.createdAt,
    passwordFailures: authorisation.passwordFailures,
  })
  return 200
}

function selectMethod(authorisation: AuthorisationModel, step: Put, now: number): number {
  const { status } = authorisation
  if (status !== 'psuAuthenticated' && status !== 'scaMethodSelected') return 409
  if (step === 'noMethod') return 400
  if (step === 'sms') {
    authorisation.status = 'scaMethodSelected'
    return 200
  }
  authorisation.status = 'started'
  authorisation.approach = 'DECOUPLED'
  authorisation.answersAt = now + 2000
  return 200
}

/** A read of data: whether the consent lets it happen; the first one begins the two hours of a one-off consent. */
export function use(consent: ConsentModel, now: number): boolean {
  if (consent.state !== 'valid') return false
  if (!consent.isRecurring) consent.usedAt ??= now
  return true
}
