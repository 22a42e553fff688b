import type { Bank } from '../bank.ts'
import { type BankCall, textOf } from '../bank-call.ts'
import { BankError, formatError } from '../bank-error.ts'
import {
  type AuthorisationEvent,
  attemptsMost,
  authorisationTransitions,
  scaMethods,
} from '../domain/authorisation.ts'
import { approves } from '../domain/psu.ts'
import { after } from '../domain/transitions.ts'
import { decide } from '../processes/decide.ts'
import { startOf } from '../processes/open-authorisation.ts'
import { findPsu } from '../processes/psu.ts'
import type { Authorisation } from '../stores/authorisations.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Psu } from '../stores/psus.ts'

/** How far a step has brought the authorisation, and what else the answer says. */
export interface Step {
  readonly authorisation: Pick<Authorisation, 'id' | 'approach' | 'status'>
  readonly extras: object
}

/** The body of a PUT as the document describes it: exactly one member, or none. */
interface Update {
  readonly psuData?: { readonly password?: string }
  readonly authenticationMethodId?: string
  readonly scaAuthenticationData?: string
  readonly confirmationCode?: string
}

/**
 * Creates the steps of an authorisation that a TPP takes by PUT (docs/bank.md,
 * Approval). A step runs in the caller's transaction, with the parent locked and the
 * authorisation undecided; it returns the refusals that must not undo it.
 */
export function createUpdate(bank: Bank) {
  return async function update(
    stores: Stores,
    authorisation: Authorisation,
    call: BankCall,
  ): Promise<Step | BankError> {
    // The document has checked the shape.
    const body: Update = call.body ?? {}
    const psu = await boundPsu(stores, authorisation, call)
    if (body.confirmationCode !== undefined) {
      throw new BankError('STATUS_INVALID', 'This authorisation needs no confirmation')
    }
    const isIdentification = Object.keys(steps).every((name) => !Object.hasOwn(body, name))
    if (isIdentification) return identify(stores, authorisation, psu, call)
    if (authorisation.approach !== 'EMBEDDED') {
      throw new BankError('SERVICE_BLOCKED', 'The PSU approves at the bank, not through the TPP')
    }
    const deciding = { bank, stores, authorisation, now: call.now }
    if (body.psuData !== undefined) {
      return authenticate(deciding, psu, body.psuData.password)
    }
    if (body.authenticationMethodId !== undefined) {
      return selectMethod(stores, authorisation, body.authenticationMethodId)
    }
    return authorise(deciding, psu, body.scaAuthenticationData ?? '')
  }

  type Deciding = Parameters<typeof decide>[0]

  /** Right: the methods to choose from. Wrong: counted, and the third fails the authorisation. */
  async function authenticate(
    deciding: Deciding,
    psu: Psu | undefined,
    password: string | undefined,
  ): Promise<Step | BankError> {
    const { stores, authorisation } = deciding
    const status = accept(authorisation, 'authenticate')
    if (psu === undefined) throw formatError('PSU-ID', 'Must be sent with the password')
    if (password === undefined) {
      throw new BankError('PARAMETER_NOT_SUPPORTED', [
        { path: 'psuData', text: 'Only the member password is offered' },
      ])
    }
    if (!bank.credentials.isPassword(psu.id, password)) {
      const passwordFailures = authorisation.passwordFailures + 1
      await stores.authorisations.update(authorisation.id, { passwordFailures })
      return wrongCredentials(deciding, passwordFailures)
    }
    await stores.authorisations.update(authorisation.id, { status, psuId: psu.id })
    return { authorisation: { ...authorisation, status }, extras: { scaMethods } }
  }

  async function authorise(
    deciding: Deciding,
    psu: Psu | undefined,
    otp: string,
  ): Promise<Step | BankError> {
    const { stores, authorisation } = deciding
    accept(authorisation, 'approve')
    if (psu === undefined || authorisation.status !== 'scaMethodSelected')
      throw outOfSequence(authorisation)
    if (!bank.credentials.isOneTimePassword(psu.id, otp)) {
      const otpFailures = authorisation.otpFailures + 1
      await stores.authorisations.update(authorisation.id, { otpFailures })
      return wrongCredentials(deciding, otpFailures)
    }
    const status = await decide(
      deciding,
      approves(psu.behaviour, authorisation.purpose)
        ? { approved: true, psu }
        : { approved: false, psu },
    )
    return { authorisation: { ...authorisation, status }, extras: {} }
  }
}

const steps = { psuData: true, authenticationMethodId: true, scaAuthenticationData: true }

async function wrongCredentials(
  deciding: Parameters<typeof decide>[0],
  failures: number,
): Promise<BankError> {
  if (failures >= attemptsMost) await decide(deciding, { approved: false })
  return new BankError('PSU_CREDENTIALS_INVALID', 'The credentials of the PSU are wrong')
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

async function selectMethod(
  stores: Stores,
  authorisation: Authorisation,
  methodId: string,
): Promise<Step> {
  const status = accept(authorisation, 'selectMethod')
  const method = scaMethods.find((candidate) => candidate.authenticationMethodId === methodId)
  if (method === undefined) {
    throw new BankError('SCA_METHOD_UNKNOWN', [
      { path: 'authenticationMethodId', text: 'The PSU has no such method' },
    ])
  }
  await stores.authorisations.update(authorisation.id, { status, methodId })
  return {
    authorisation: { ...authorisation, status },
    extras: {
      chosenScaMethod: method,
      challengeData: { otpMaxLength: 6, otpFormat: 'integer' },
    },
  }
}

/** The PSU of the authorisation; the header may name it first, but no other than it has. */
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

function accept(authorisation: Authorisation, event: AuthorisationEvent) {
  const status = after(authorisationTransitions, authorisation.status, event)
  if (status === undefined) throw outOfSequence(authorisation)
  return status
}

function outOfSequence({ status }: Authorisation): BankError {
  return new BankError('STATUS_INVALID', `This step does not follow on ${status}`)
}
