import { violates } from '../../platform/database.ts'
import type { Bank } from '../bank.ts'
import { type BankCall, type Handler, pathParameter } from '../bank-call.ts'
import { BankError, formatError } from '../bank-error.ts'
import { onDay } from '../domain/bank-time.ts'
import { isUuid } from '../domain/identifiers.ts'
import { mandateReason, mandateTransitions } from '../domain/mandate.ts'
import type { MandateRequest } from '../domain/mandate-request.ts'
import { after } from '../domain/transitions.ts'
import { idempotent } from '../idempotent.ts'
import { authorisationLinks, linksTo, pathsOf } from '../links.ts'
import type { Clockwork } from '../processes/clockwork.ts'
import { openAuthorisation, planApproval } from '../processes/open-authorisation.ts'
import { findPsu, knownPsu } from '../processes/psu.ts'
import type { Stores } from '../stores/bank-stores.ts'
import { type Mandate, mandateReferenceConstraint } from '../stores/mandates.ts'
import { approvalMessage } from './approval-message.ts'
import { checkMandate, creditorKey, rejectionOf } from './mandate-rules.ts'

/** Handlers of mandates (docs/bank.md, Mandates). */
export function createMandateHandlers(bank: Bank, clockwork: Clockwork) {
  const create: Handler = async (call) => {
    // The document has checked the shape, and its objects are closed.
    const body = call.body as unknown as MandateRequest
    const today = onDay(call.now, bank.timeZone)
    return idempotent(bank, call, async (stores) => {
      const instrument = checkMandate(body, today)
      const plan = planApproval(call, false)
      const { psu, account } = await findDebtor(stores, call, body, instrument.currency)
      const reason = rejectionOf(account, instrument)
      const id = bank.randomUUID()
      const status = reason === undefined ? 'received' : 'rejected'
      const name = {
        applicationId: call.applicationId,
        reference: body.mandateId.toLowerCase(),
        creditor: creditorKey(body.creditor),
      }
      // One that time has ended, but that nobody has looked at since, frees its reference.
      const earlier = await stores.mandates.openId(name)
      if (earlier !== undefined) {
        await clockwork.lock(stores, { kind: 'mandate', id: earlier }, call.now)
      }
      await insert(stores, {
        ...name,
        id,
        psuId: psu.id,
        body: JSON.stringify(body),
        status,
        reason: reason ?? null,
        endsOn: body.occurrences?.finalCollectionDate ?? body.occurrences?.duration?.toDate ?? null,
        lastActionDay: today,
        createdAt: new Date(call.now),
      })
      const paths = pathsOf(call, 'mandates', id)
      const links = linksTo({ self: paths.self, status: paths.status })
      const location = { location: paths.self, 'aspsp-sca-approach': plan.approach }
      const created = { mandateResourceId: id, mandateStatus: status }
      if (reason !== undefined) {
        return {
          status: 201,
          headers: location,
          body: { ...created, mandateReasonCode: reason, _links: links },
        }
      }
      const authorisation = await openAuthorisation(bank, stores, {
        parent: { kind: 'mandate', id },
        purpose: 'creation',
        plan,
        psu,
        now: call.now,
      })
      return {
        status: 201,
        headers: location,
        body: {
          ...created,
          _links: {
            ...authorisationLinks(authorisation, {
              paths,
              scaPublicUrl: bank.scaPublicUrl,
              isReadable: false,
              isUpdatable: false,
            }),
            ...links,
          },
          psuMessage: approvalMessage(plan.approach, 'mandate'),
        },
      }
    })
  }

  const read: Handler = async (call) => {
    const mandate = await findOwnMandate(clockwork, call)
    return {
      status: 200,
      body: {
        creditorAccount: creditorAccountOf(mandate.body),
        ...mandate.body,
        mandateStatus: mandate.status,
        lastActionDate: mandate.lastActionDay,
      },
    }
  }

  const readStatus: Handler = async (call) => {
    const { status, reason } = await findOwnMandate(clockwork, call)
    return {
      status: 200,
      body: {
        mandateStatus: status,
        ...(reason === null ? {} : { mandateReasonCode: reason }),
      },
    }
  }

  /** The creditor gives up its own right: nobody has to approve that, so it is done at once. */
  const remove: Handler = async (call) => {
    const { id } = await findOwnMandate(clockwork, call)
    return bank.stores.transaction(async (stores) => {
      const parent = { kind: 'mandate', id } as const
      await clockwork.lock(stores, parent, call.now)
      const mandate = await stores.mandates.find(id)
      if (mandate === undefined) throw unknown()
      if (mandate.status === 'terminatedByTpp') return { status: 204 }
      const status = after(mandateTransitions, mandate.status, 'terminate')
      if (status === undefined) {
        throw new BankError('STATUS_INVALID', `The mandate is ${mandate.status} already`)
      }
      await stores.authorisations.failOpen(parent)
      await stores.mandates.update(id, {
        status,
        reason: mandateReason(mandate.status, 'terminate') ?? null,
        lastActionDay: onDay(call.now, bank.timeZone),
      })
      return { status: 204 }
    })
  }

  return { create, read, readStatus, remove }
}

async function findOwnMandate(clockwork: Clockwork, call: BankCall): Promise<Mandate> {
  const id = pathParameter(call, 'resourceId')
  const mandate = isUuid(id) ? await clockwork.mandate(id, call.now) : undefined
  if (mandate?.applicationId !== call.applicationId) throw unknown()
  return mandate
}

function unknown(): BankError {
  return new BankError('RESOURCE_UNKNOWN', 'No mandate has this identifier')
}

/** The account to be debited and who must approve: its owner, who is the PSU of the call if it names one. */
async function findDebtor(
  stores: Stores,
  call: BankCall,
  { debtorAccount }: MandateRequest,
  currency: string,
) {
  const named = await findPsu(stores, call)
  const accounts = await stores.accounts.byIban(debtorAccount.iban ?? '')
  const account = accounts.find((candidate) => candidate.currency === currency)
  if (account === undefined || (named !== undefined && named.id !== account.psuId)) {
    throw formatError('debtorAccount', `The debtor has no such account in ${currency}`)
  }
  return { account, psu: named ?? (await knownPsu(stores, account.psuId)) }
}

async function insert(stores: Stores, mandate: Parameters<Stores['mandates']['insert']>[0]) {
  try {
    await stores.mandates.insert(mandate)
  } catch (error) {
    if (!violates(error, mandateReferenceConstraint)) throw error
    throw new BankError(
      'STATUS_INVALID',
      [{ path: 'mandateId', text: 'The creditor has an open mandate with this reference' }],
      { cause: error },
    )
  }
}

/** Reads always name an account of the creditor; where the request named none, its identification stands in. */
function creditorAccountOf({ creditor }: MandateRequest) {
  const [first] = creditor.identification?.organisationId?.others ?? []
  return { other: { identification: first?.identification ?? 'NOTPROVIDED' } }
}
