import { timingSafeEqual } from 'node:crypto'
import type { Bank } from '../bank.ts'
import { type BankCall, textOf } from '../bank-call.ts'
import { BankError, formatError } from '../bank-error.ts'
import {
  type AuthorisationEvent,
  attemptsMost,
  authorisationTransitions,
  decoupledMs,
} from '../domain/authorisation.ts'
import { approves, type ScaMethod, scaMethodsOf } from '../domain/psu.ts'
import { after } from '../domain/transitions.ts'
import { decide } from '../processes/decide.ts'
import type { LockedAuthorisation } from '../processes/lock-authorisation.ts'
import { startOf } from '../processes/open-authorisation.ts'
import { lockAttempts, type PsuAttempts } from '../processes/psu-attempts.ts'
import type { Authorisation } from '../stores/authorisations.ts'
import type { Psu } from '../stores/psus.ts'
import { findPsu } from './find-psu.ts'

/** The state after a step, and further members of the answer. */
export interface Step {
  readonly authorisation: Pick<Authorisation, 'id' | 'approach' | 'status'>
  readonly extras: object
}

/** The body of a PUT as the document describes it: at most one member. */
interface Update {
  readonly psuData?: { readonly password?: string }
  readonly authenticationMethodId?: string
  readonly scaAuthenticationData?: string
  readonly confirmationCode?: string
}

/** What every step works with. */
type Updating = LockedAuthorisation & { readonly bank: Bank }

/**
 * Takes a step of an undecided authorisation by PUT (docs/bank.md, Approval).
 * Returns refusals that must not roll back the transaction.
 */
export async function update(updating: Updating, call: BankCall): Promise<Step | BankError> {
  // The document has checked the shape.
  const body: Update = call.body ?? {}
  const { authorisation } = updating
  const { psuData, authenticationMethodId, scaAuthenticationData, confirmationCode } = body
  const psu = await boundPsu(updating, call)
  if (confirmationCode !== undefined) return confirm(updating, psu, confirmationCode)
  const step = psuData ?? authenticationMethodId ?? scaAuthenticationData
  if (step === undefined) return identify(updating, psu)
  if (authorisation.approach !== 'EMBEDDED') {
    throw new BankError('SERVICE_BLOCKED', 'The PSU approves at the bank, not through the TPP')
  }
  if (psuData !== undefined) return authenticate(updating, psu, psuData.password)
  if (psu === undefined) throw outOfSequence(authorisation)
  return authenticationMethodId === undefined
    ? authorise(updating, psu, scaAuthenticationData ?? '')
    : selectMethod(updating, psu, authenticationMethodId)
}

/** A correct password leads to the second factor, if any. The third wrong one fails the authorisation. */
async function authenticate(
  updating: Updating,
  psu: Psu | undefined,
  password: string | undefined,
): Promise<Step | BankError> {
  const { bank, stores, authorisation } = updating
  const status = accept(authorisation, 'authenticate')
  if (psu === undefined) throw formatError('PSU-ID', 'Must be sent with the password')
  if (password === undefined) {
    throw new BankError('PARAMETER_NOT_SUPPORTED', [
      { path: 'psuData', text: 'Only the member password is offered' },
    ])
  }
  const attempts = await lockAttempts(updating, psu.id)
  if (attempts.blockedUntil !== undefined) return blocked(attempts.blockedUntil)
  if (!bank.credentials.isPassword(psu.id, password)) {
    const passwordFailures = authorisation.passwordFailures + 1
    await stores.authorisations.update(authorisation.id, { passwordFailures })
    return wrongCredentials(updating, attempts, passwordFailures)
  }
  const next = await change(updating, { status, psuId: psu.id })
  const scaMethods = scaMethodsOf(psu.behaviour)
  const [first, ...others] = scaMethods
  if (first === undefined) {
    await attempts.succeed()
    return conclude(next, psu)
  }
  if (others.length === 0) return selectMethod(next, psu, first.authenticationMethodId)
  return { authorisation: next.authorisation, extras: { scaMethods } }
}

async function authorise(updating: Updating, psu: Psu, otp: string): Promise<Step | BankError> {
  const { bank, stores, authorisation } = updating
  accept(authorisation, 'approve')
  const attempts = await lockAttempts(updating, psu.id)
  if (attempts.blockedUntil !== undefined) return blocked(attempts.blockedUntil)
  if (!bank.credentials.isOneTimePassword(psu.id, otp)) {
    const otpFailures = authorisation.otpFailures + 1
    await stores.authorisations.update(authorisation.id, { otpFailures })
    return wrongCredentials(updating, attempts, otpFailures)
  }
  await attempts.succeed()
  return conclude(updating, psu)
}

/** Takes the decision of an authenticated PSU: to approve or refuse, as its persona does. */
async function conclude(updating: Updating, psu: Psu): Promise<Step> {
  const { authorisation } = updating
  const approved = approves(psu.behaviour, authorisation.purpose)
  const status = await decide(updating, approved ? { approved, psu } : { approved: false, psu })
  return { authorisation: { ...authorisation, status }, extras: {} }
}

/** Confirms an approval with the code that came back in the PSU's browser. The third wrong code fails the authorisation. */
async function confirm(
  updating: Updating,
  psu: Psu | undefined,
  code: string,
): Promise<Step | BankError> {
  const { stores, authorisation } = updating
  accept(authorisation, 'confirm')
  if (psu === undefined) throw outOfSequence(authorisation)
  const given = Buffer.from(code)
  const expected = Buffer.from(authorisation.confirmationCode ?? '')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    const confirmationFailures = authorisation.confirmationFailures + 1
    await stores.authorisations.update(authorisation.id, { confirmationFailures })
    if (confirmationFailures >= attemptsMost) await decide(updating, { approved: false })
    return new BankError('SCA_INVALID', [
      { path: 'confirmationCode', text: 'This is not the code of the approval' },
    ])
  }
  const { picked } = authorisation
  const status = await decide(updating, { approved: true, psu, picked })
  return { authorisation: { ...authorisation, status }, extras: {} }
}

async function wrongCredentials(
  updating: Updating,
  attempts: PsuAttempts,
  failures: number,
): Promise<BankError> {
  const until = await attempts.fail()
  if (failures >= attemptsMost || until !== undefined) await decide(updating, { approved: false })
  if (until !== undefined) return blocked(until)
  return new BankError('PSU_CREDENTIALS_INVALID', 'The credentials of the PSU are wrong')
}

/** The same error for a correct and a wrong secret, so a block also stops guessing. */
function blocked(until: number): BankError {
  const text = `Too many failed attempts in a row: the PSU is blocked until ${new Date(until).toISOString()}`
  return new BankError('PSU_CREDENTIALS_INVALID', text)
}

async function identify(updating: Updating, psu: Psu | undefined): Promise<Step> {
  const { authorisation, now } = updating
  if (authorisation.status !== 'received') throw outOfSequence(authorisation)
  if (psu === undefined) throw formatError('PSU-ID', 'Must be sent to identify the PSU')
  const start = startOf(authorisation.approach, psu, now)
  const next = await change(updating, { ...start, psuId: psu.id })
  return { authorisation: next.authorisation, extras: {} }
}

/** A method with a one-time password waits for it; a method on the PSU's device continues without the TPP. */
async function selectMethod(updating: Updating, psu: Psu, methodId: string): Promise<Step> {
  const { authorisation, now } = updating
  const status = accept(authorisation, 'selectMethod')
  const method = scaMethodsOf(psu.behaviour).find(
    (candidate) => candidate.authenticationMethodId === methodId,
  )
  if (method === undefined) {
    throw new BankError('SCA_METHOD_UNKNOWN', [
      { path: 'authenticationMethodId', text: 'The PSU has no such method' },
    ])
  }
  if (method.authenticationType === 'PUSH_OTP') {
    const next = await change(updating, {
      status: accept({ status }, 'start'),
      approach: 'DECOUPLED',
      methodId,
      answersAt: new Date(now + decoupledMs),
    })
    return { authorisation: next.authorisation, extras: { chosenScaMethod: method } }
  }
  const next = await change(updating, { status, methodId })
  return { authorisation: next.authorisation, extras: challenge(method) }
}

/** Stores a change of the locked authorisation. @returns the authorisation with the change */
async function change(updating: Updating, changed: Partial<Authorisation>): Promise<Updating> {
  const { stores, authorisation } = updating
  await stores.authorisations.update(authorisation.id, changed)
  return { ...updating, authorisation: { ...authorisation, ...changed } }
}

function challenge(method: ScaMethod): object {
  return {
    chosenScaMethod: method,
    challengeData: { otpMaxLength: 6, otpFormat: 'integer' },
  }
}

/** The PSU of the authorisation. The header may name it first but must not name another. */
async function boundPsu(
  { stores, authorisation }: Updating,
  call: BankCall,
): Promise<Psu | undefined> {
  const named = await findPsu(stores, call)
  if (authorisation.psuId === null) return named
  if (textOf(call.headers['psu-id']) !== undefined && named?.id !== authorisation.psuId) {
    throw new BankError('PSU_CREDENTIALS_INVALID', [
      { path: 'PSU-ID', text: 'The authorisation belongs to another PSU' },
    ])
  }
  return stores.psus.find(authorisation.psuId)
}

function accept(authorisation: Pick<Authorisation, 'status'>, event: AuthorisationEvent) {
  const status = after(authorisationTransitions, authorisation.status, event)
  if (status === undefined) throw outOfSequence(authorisation)
  return status
}

function outOfSequence({ status }: Pick<Authorisation, 'status'>): BankError {
  return new BankError('STATUS_INVALID', `This step does not follow on ${status}`)
}
