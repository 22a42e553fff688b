import type { Bank } from '../bank.ts'
import { type BankCall, type Handler, ok, pathParameter } from '../bank-call.ts'
import { BankError, type BankMessage, formatError } from '../bank-error.ts'
import {
  type AccountAccess,
  type AccountReference,
  consentModel,
  readAccess,
  unknownReferences,
} from '../domain/access.ts'
import { addMonths, onDay } from '../domain/bank-time.ts'
import {
  consentAt,
  consentMessages,
  consentTransitions,
  frequencyPerDayMost,
} from '../domain/consent.ts'
import { isUuid } from '../domain/identifiers.ts'
import { after } from '../domain/transitions.ts'
import { idempotent } from '../idempotent.ts'
import { linksTo, pathsOf } from '../links.ts'
import { holdingsOf } from '../processes/holdings.ts'
import { lockConsent } from '../processes/lock-resource.ts'
import type { Consent } from '../stores/consents.ts'
import { askForApproval } from './ask-for-approval.ts'
import { findPsu } from './find-psu.ts'
import { planApproval } from './plan-approval.ts'
import { checkReference } from './references.ts'

/** Types of accounts that this bank keeps (ISO 20022 cash account types). */
const kept = new Set(['CACC', 'SVGS', 'CARD'])

/** Maximum months of a consent (our choice). The bank shortens a longer request, and GET shows the result. */
const validMonthsMost = 36

/** The request as the document describes it. */
interface ConsentRequest {
  readonly access: unknown
  readonly recurringIndicator: boolean
  readonly validUntil: string
  readonly frequencyPerDay: number
  readonly combinedServiceIndicator: boolean
}

/** Finds a consent of the calling TPP; all others are unknown. */
export async function findOwnConsent(bank: Bank, call: BankCall): Promise<Consent> {
  const id = pathParameter(call, 'consentId')
  const consent = isUuid(id) ? await bank.stores.consents.find(id) : undefined
  if (consent?.applicationId !== call.applicationId) throw unknown()
  return consentAt(consent, call.now, bank.timeZone)
}

/** The text of CONSENT_UNKNOWN: consents of other applications are unknown, too. */
export const unknownConsent = 'No consent of this application has this identifier'

function unknown(): BankError {
  return new BankError('CONSENT_UNKNOWN', unknownConsent, { status: 403 })
}

/** Paths of a consent in the version of the call. */
export function consentPaths(call: BankCall, id: string) {
  return pathsOf(call, 'consents', id)
}

/** Handlers of consents (docs/bank.md, Consents). */
export function createConsentHandlers(bank: Bank) {
  const create: Handler = async (call) => {
    // The document has checked the shape.
    const body = call.body as unknown as ConsentRequest
    const access = readAccess(body.access)
    const today = onDay(call.now, bank.timeZone)
    const latest = addMonths(today, validMonthsMost)
    return idempotent(bank, call, async (stores) => {
      checkConsent(body, access, today)
      const plan = planApproval(call, true)
      const psu = await findPsu(stores, call)
      const unknowns =
        psu === undefined ? [] : unknownReferences(access, await holdingsOf(stores, psu.id))
      if (unknowns.length > 0) {
        const text = 'The PSU has no such account'
        const messages = unknowns.map((path) => ({ path: `access.${path}`, text }))
        throw new BankError('FORMAT_ERROR', messages)
      }
      const id = bank.randomUUID()
      await stores.consents.insert({
        id,
        applicationId: call.applicationId,
        psuId: psu?.id ?? null,
        access: JSON.stringify(access),
        recurring: body.recurringIndicator,
        validUntil: body.validUntil < latest ? body.validUntil : latest,
        frequencyPerDay: Math.min(body.frequencyPerDay, frequencyPerDayMost),
        status: 'received',
        lastActionDay: today,
        firstUsedAt: null,
        createdAt: new Date(call.now),
      })
      const paths = consentPaths(call, id)
      const parent = { kind: 'consent', id } as const
      const asked = await askForApproval(bank, stores, call, { parent, paths, plan, psu })
      return {
        status: 201,
        headers: { location: paths.self, 'aspsp-sca-approach': plan.approach },
        body: {
          consentStatus: 'received',
          consentId: id,
          ...asked,
        },
      }
    })
  }

  const read: Handler = async (call) => {
    const consent = await findOwnConsent(bank, call)
    const [accounts, cardAccounts] = await Promise.all([
      bank.stores.consents.rights(consent.id, 'account'),
      bank.stores.consents.rights(consent.id, 'cardAccount'),
    ])
    const isReadable = consent.status === 'valid'
    return ok({
      access: consent.access,
      recurringIndicator: consent.recurring,
      validUntil: consent.validUntil,
      frequencyPerDay: consent.frequencyPerDay,
      lastActionDate: consent.lastActionDay,
      consentStatus: consent.status,
      _links: linksTo({
        account: isReadable && accounts.size > 0 ? `${call.prefix}/accounts` : undefined,
        'card-account':
          isReadable && cardAccounts.size > 0 ? `${call.prefix}/card-accounts` : undefined,
      }),
    })
  }

  const readStatus: Handler = async (call) => {
    const { status } = await findOwnConsent(bank, call)
    return ok({ consentStatus: status, psuMessage: consentMessages[status] })
  }

  /** Idempotent. A consent that ended in another way answers with its state. */
  const remove: Handler = async (call) => {
    const { id } = await findOwnConsent(bank, call)
    return bank.stores.transaction(async (stores) => {
      const parent = { kind: 'consent', id } as const
      const consent = await lockConsent({ bank, stores, now: call.now }, id)
      if (consent === undefined) throw unknown()
      if (consent.status === 'terminatedByTpp') return { status: 204 }
      const status = after(consentTransitions, consent.status, 'terminate')
      if (status === undefined) throw ended(consent)
      await stores.authorisations.failOpen(parent)
      const lastActionDay = onDay(call.now, bank.timeZone)
      await stores.consents.update(id, { status, lastActionDay })
      return { status: 204 }
    })
  }

  return { create, read, readStatus, remove }
}

/** Rejects a consent that is not valid. In a drill, also rejects a valid one, as expired. */
export function checkUsable(
  { isConsentExpired }: Pick<BankCall, 'isConsentExpired'>,
  consent: Pick<Consent, 'status'>,
): void {
  if (consent.status !== 'valid') throw ended(consent)
  if (isConsentExpired) throw expired()
}

/** The error for an expired consent. */
export function expired(): BankError {
  return new BankError('CONSENT_EXPIRED', 'The consent has expired')
}

/** Why a consent that is not valid cannot be used or ended. */
function ended({ status }: Pick<Consent, 'status'>): BankError {
  return status === 'expired'
    ? expired()
    : new BankError('CONSENT_INVALID', `The consent is ${status}`)
}

function checkConsent(body: ConsentRequest, access: AccountAccess, today: string): void {
  if (consentModel(access) === undefined) {
    throw formatError('access', 'Must be of exactly one form: lists of accounts, or one flag')
  }
  const messages = [
    ...checkReferences(access.accounts, 'access.accounts'),
    ...checkReferences(access.balances, 'access.balances'),
    ...checkReferences(access.transactions, 'access.transactions'),
  ]
  if (messages.length > 0) throw new BankError('FORMAT_ERROR', messages)
  const inconsistencies = checkAdditional(access)
  if (inconsistencies.length > 0) throw new BankError('PARAMETER_NOT_CONSISTENT', inconsistencies)
  const restrictedTo = access.restrictedTo ?? []
  if (restrictedTo.length > 0 && !restrictedTo.some((type) => kept.has(type))) {
    const text = `The bank keeps accounts of: ${[...kept].join(', ')}`
    const path = 'access.restrictedTo'
    throw new BankError('SERVICE_INVALID', [{ path, text }], { status: 400 })
  }
  if (body.combinedServiceIndicator) {
    throw new BankError('SESSIONS_NOT_SUPPORTED', [
      { path: 'combinedServiceIndicator', text: 'Sessions are not offered' },
    ])
  }
  if (body.validUntil < today) {
    throw new BankError('PERIOD_INVALID', [{ path: 'validUntil', text: 'Lies in the past' }])
  }
}

function checkReferences(
  references: readonly AccountReference[] | undefined,
  path: string,
): BankMessage[] {
  return (references ?? []).flatMap((reference, index) =>
    checkReference(reference, `${path}[${index}]`),
  )
}

/** Additional information is allowed only for listed accounts. */
function checkAdditional(access: AccountAccess): BankMessage[] {
  const listed = [access.accounts, access.balances, access.transactions].flatMap(
    (list) => list ?? [],
  )
  return Object.entries(access.additionalInformation ?? {}).flatMap(([name, references]) =>
    (references ?? []).flatMap((reference, index) => {
      const isListed = listed.some(
        (other) => other.iban === reference.iban && other.maskedPan === reference.maskedPan,
      )
      const path = `access.additionalInformation.${name}[${index}]`
      return isListed ? [] : [{ path, text: 'Must also be listed for accounts' }]
    }),
  )
}
