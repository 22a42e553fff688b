import { violates } from '../../platform/database/database.ts'
import { assertFound } from '../assert-found.ts'
import type { Bank } from '../bank.ts'
import { type BankCall, type Handler, ok, pathParameter } from '../bank-call.ts'
import { BankError } from '../bank-error.ts'
import { onDay } from '../domain/bank-time.ts'
import { isUuid } from '../domain/identifiers.ts'
import { findLocalInstrument } from '../domain/local-instruments.ts'
import { mandateAt, mandateTransitions } from '../domain/mandate.ts'
import { institutionOf, lastDayOf, type MandateRequest } from '../domain/mandate-request.ts'
import { after } from '../domain/transitions.ts'
import { idempotent } from '../idempotent.ts'
import { pathsOf, resourceLinks } from '../links.ts'
import { lockMandate } from '../processes/lock-resource.ts'
import { moveMandate } from '../processes/move-mandate.ts'
import type { Stores } from '../stores/bank-stores.ts'
import { type Mandate, mandateReferenceConstraint } from '../stores/mandates.ts'
import { askForApproval } from './ask-for-approval.ts'
import { askToEnd } from './ask-to-end.ts'
import { findDebtor } from './mandate-debtor.ts'
import { checkMandate, creditorKey } from './mandate-rules.ts'
import { planApproval } from './plan-approval.ts'

/** Handlers of mandates (docs/bank.md, Mandates). */
export function createMandateHandlers(bank: Bank) {
  const create: Handler = async (call) => {
    // The document has checked the shape, and its objects are closed.
    const body = call.body as unknown as MandateRequest
    const today = onDay(call.now, bank.timeZone)
    return idempotent(bank, call, async (stores) => {
      const instrument = checkMandate(body, today)
      const plan = planApproval(call, false)
      const { psu, reason } = await findDebtor(stores, call, body, instrument)
      const id = bank.randomUUID()
      const status = reason === undefined ? 'received' : 'rejected'
      const name = {
        applicationId: call.applicationId,
        reference: body.mandateId.toLowerCase(),
        creditor: creditorKey(body, instrument),
      }
      // An earlier mandate may have expired without a read. This records that and frees its reference.
      const earlier = await stores.mandates.openId(name)
      if (earlier !== undefined) {
        await lockMandate({ bank, stores, now: call.now }, earlier)
        if ((await stores.mandates.openId(name)) !== undefined) throw taken()
      }
      await insert(stores, {
        ...name,
        id,
        psuId: psu.id,
        body: JSON.stringify(body),
        status,
        reason: reason ?? null,
        endsOn: lastDayOf(body) ?? null,
        collectedOn: null,
        lastActionDay: today,
        createdAt: new Date(call.now),
      })
      const paths = pathsOf(call, 'mandates', id)
      const location = { location: paths.self, 'aspsp-sca-approach': plan.approach }
      const created = { mandateResourceId: id, mandateStatus: status }
      if (reason !== undefined) {
        return {
          status: 201,
          headers: location,
          body: { ...created, mandateReasonCode: reason, _links: resourceLinks(paths) },
        }
      }
      const parent = { kind: 'mandate', id } as const
      const asked = await askForApproval(bank, stores, call, { parent, paths, plan, psu })
      return { status: 201, headers: location, body: { ...created, ...asked } }
    })
  }

  const read: Handler = async (call) => {
    const mandate = await findOwnMandate(call)
    return ok({
      creditorAccount: creditorAccountOf(mandate.body),
      ...mandate.body,
      mandateStatus: mandate.status,
      lastActionDate: mandate.lastActionDay,
    })
  }

  const readStatus: Handler = async (call) => {
    const { status, reason } = await findOwnMandate(call)
    return ok({
      mandateStatus: status,
      ...(reason === null ? {} : { mandateReasonCode: reason }),
    })
  }

  /**
   * Ends a mandate at once, because the creditor gives up its own right. If the
   * mandate is approved and its debtor must approve the end, asks the debtor.
   */
  const remove: Handler = async (call) => {
    const { id } = await findOwnMandate(call)
    const plan = planApproval(call, false)
    return bank.stores.transaction(async (stores) => {
      const mandate = await lockMandate({ bank, stores, now: call.now }, id)
      if (mandate === undefined) throw unknown()
      const { status, body } = mandate
      if (status === 'terminatedByTpp') return { status: 204 }
      if (after(mandateTransitions, status, 'terminate') === undefined) {
        throw new BankError('STATUS_INVALID', `The mandate is ${status} already`)
      }
      const instrument = assertFound(findLocalInstrument(body.type.localInstrumentCode))
      if (status !== 'received' && instrument.isEndedByDebtor) {
        const psu = assertFound(await stores.psus.find(mandate.psuId))
        const paths = pathsOf(call, 'mandates', id)
        const parent = { kind: 'mandate', id } as const
        const ending = { parent, paths, plan, psu, state: { mandateStatus: status } }
        return askToEnd(bank, stores, call, ending)
      }
      await moveMandate(stores, mandate, 'terminate', onDay(call.now, bank.timeZone))
      return { status: 204 }
    })
  }

  async function findOwnMandate(call: BankCall): Promise<Mandate> {
    const id = pathParameter(call, 'resourceId')
    const mandate = isUuid(id) ? await bank.stores.mandates.find(id) : undefined
    if (mandate?.applicationId !== call.applicationId) throw unknown()
    return mandateAt(mandate, call.now, bank.timeZone)
  }

  return { create, read, readStatus, remove }
}

function unknown(): BankError {
  return new BankError('RESOURCE_UNKNOWN', 'No mandate has this identifier')
}

async function insert(stores: Stores, mandate: Parameters<Stores['mandates']['insert']>[0]) {
  try {
    await stores.mandates.insert(mandate)
  } catch (error) {
    throw violates(error, mandateReferenceConstraint) ? taken(error) : error
  }
}

function taken(cause?: unknown): BankError {
  return new BankError(
    'STATUS_INVALID',
    [{ path: 'mandateId', text: 'The creditor has an open mandate with this reference' }],
    { cause },
  )
}

/** Reads always name a creditor account; if the request named none, the creditor's identification takes its place. */
function creditorAccountOf(body: MandateRequest) {
  return { other: { identification: institutionOf(body) ?? 'NOTPROVIDED' } }
}
