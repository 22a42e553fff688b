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
import { type Deciding, decide } from '../processes/decide.ts'
import type { LockedAuthorisation } from '../processes/lock-authorisation.ts'
import { startOf } from '../processes/open-authorisation.ts'
import { findPsu } from '../processes/psu.ts'
import { lockAttempts, type PsuAttempts } from '../processes/psu-attempts.ts'
import type { Authorisation } from '../stores/authorisations.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Psu } from '../stores/psus.ts'

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
interface Updating extends Deciding {
  readonly bank: Bank
}

/**
 * Creates the steps of an authorisation that a TPP takes by PUT (docs/bank.md,
 * Approval). A step runs in the transaction that has locked the authorisation, which
 * must be undecided. The step returns refusals that must not roll it back.
 */
export function createUpdate(bank: Bank) {
  return async function update(
    stores: Stores,
    locked: LockedAuthorisation,
    call: BankCall,
  ): Promise<Step | BankError> {
    // The document has checked the shape.
    const body: Update = call.body ?? {}
    const { authorisation } = locked
    const psu = await boundPsu(stores, authorisation, call)
    const updating = { ...locked, bank, stores, now: call.now }
    if (body.confirmationCode !== undefined) return confirm(updating, psu, body.confirmationCode)
    const isIdentification = Object.keys(steps).every((name) => !Object.hasOwn(body, name))
    if (isIdentification) return identify(stores, authorisation, psu, call)
    if (authorisation.approach !== 'EMBEDDED') {
      throw new BankError('SERVICE_BLOCKED', 'The PSU approves at the bank, not through the TPP')
    }
    if (body.psuData !== undefined) {
      return authenticate(updating, psu, body.psuData.password)
    }
    if (psu === undefined) throw outOfSequence(authorisation)
    if (body.authenticationMethodId !== undefined) {
      return selectMethod(updating, psu, body.authenticationMethodId)
    }
    return authorise(updating, psu, body.scaAuthenticationData ?? '')
  }

  /** A correct password leads to the second factor, if any. The third wrong one fails the authorisation. */
  async function authenticate(
    updating: Updating,
    psu: Psu | undefined,
    password: string | undefined,
  ): Promise<Step | BankError> {
    const { stores, authorisation } = updating
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
    await stores.authorisations.update(authorisation.id, { status, psuId: psu.id })
    const authenticated = { ...authorisation, status, psuId: psu.id }
    const next = { ...updating, authorisation: authenticated }
    const scaMethods = scaMethodsOf(psu.behaviour)
    const [first, ...others] = scaMethods
    if (first === undefined) {
      await attempts.succeed()
      return conclude(next, psu)
    }
    if (others.length === 0) return selectMethod(next, psu, first.authenticationMethodId)
    return { authorisation: authenticated, extras: { scaMethods } }
  }

  async function authorise(updating: Updating, psu: Psu, otp: string): Promise<Step | BankError> {
    const { stores, authorisation } = updating
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
}

const steps = { psuData: true, authenticationMethodId: true, scaAuthenticationData: true }

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

async function identify(
  stores: Stores,
  authorisation: Authorisation,
  psu: Psu | undefined,
  call: BankCall,
): Promise<Step> {
  if (authorisation.status !== 'received') throw outOfSequence(authorisation)
  if (psu === undefined) throw formatError('PSU-ID', 'Must be sent to identify the PSU')
  const { status, answersAt } = startOf(authorisation.approach, psu, call.now)
  await stores.authorisations.update(authorisation.id, { status, answersAt, psuId: psu.id })
  return { authorisation: { ...authorisation, status }, extras: {} }
}

/** A method with a one-time password waits for it; a method on the PSU's device continues without the TPP. */
async function selectMethod(
  { stores, authorisation, now }: Updating,
  psu: Psu,
  methodId: string,
): Promise<Step> {
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
    const asked = {
      status: accept({ ...authorisation, status }, 'start'),
      approach: 'DECOUPLED' as const,
    }
    const answersAt = new Date(now + decoupledMs)
    await stores.authorisations.update(authorisation.id, { ...asked, methodId, answersAt })
    return { authorisation: { ...authorisation, ...asked }, extras: { chosenScaMethod: method } }
  }
  await stores.authorisations.update(authorisation.id, { status, methodId })
  return { authorisation: { ...authorisation, status }, extras: challenge(method) }
}

function challenge(method: ScaMethod): object {
  return {
    chosenScaMethod: method,
    challengeData: { otpMaxLength: 6, otpFormat: 'integer' },
  }
}

/** The PSU of the authorisation. The header may name it first but must not name another. */
async function boundPsu(
  stores: Stores,
  authorisation: Authorisation,
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
