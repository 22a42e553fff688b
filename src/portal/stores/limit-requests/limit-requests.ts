// This folder keeps the requests of developers for more calls. This file has what developers and operators do with
// them. `limit-request-digest.ts` decides when operators get an email about open requests, and what it contains. The
// routes are in `portal/api/routes/`, and the text of the email in `portal/mail/`.

import { type Kysely, type RawBuilder, sql, type Updateable } from 'kysely'
import { callCount } from '../../../catalogue/call-count.ts'
import { isUuid } from '../../../platform/database/uuid.ts'
import {
  lockActiveApplication,
  lockApplication,
  refuseOwner,
} from '../../../registry/applications/applications.ts'
import {
  addOverride,
  checkCalls,
  checkOverride,
  endOverrideOf,
} from '../../../registry/applications/overrides.ts'
import { recordAudit } from '../../../registry/audit/audit.ts'
import { conflictAt } from '../../../registry/conflict-at.ts'
import { existing } from '../../../registry/existing.ts'
import { checkExpiry } from '../../../registry/keys/expiry.ts'
import { checkReason } from '../../../registry/name.ts'
import type { Page } from '../../../registry/page.ts'
import { RegistryConflict, RegistryInputInvalid } from '../../../registry/registry-errors.ts'
import { change } from '../../../registry/transaction.ts'
import { writeLimitRequestMails } from '../../mail/limit-request-mails.ts'
import type { Outbox } from '../../mail/outbox.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'
import { lockDigest } from './limit-request-digest.ts'

/**
 * A developer's request for more calls than a limit of an application allows.
 *
 * States: open → granted or declined (by an operator) or withdrawn (by the
 * developer). There are no transitions back. An application has at most one
 * open request for each limit.
 */
export interface LimitRequest {
  readonly id: string
  readonly applicationId: string
  readonly api: string
  readonly version: string
  /** Name of the limit in the plan. */
  readonly limit: string
  /** Calls that the developer asks for. */
  readonly calls: number
  /** Until when; null: the developer did not say. */
  readonly wantedUntil: Date | null
  readonly reason: string
  readonly state: 'open' | 'granted' | 'declined' | 'withdrawn'
  readonly createdAt: Date
  /** Null while it is open. */
  readonly closedAt: Date | null
  /** What the operator granted, and until when; null unless granted. */
  readonly grantedCalls: number | null
  readonly grantedUntil: Date | null
  /** Why the operator declined; null unless declined. */
  readonly answer: string | null
}

/** A request as operators see it. */
export interface WaitingLimitRequest extends LimitRequest {
  readonly applicationName: string
  readonly developerId: string
  readonly developerEmail: string
  readonly inForce: InForce
}

/** What applies to a subscription now. The limits of the plan are in the catalogue. */
export interface InForce {
  /** Null: the application has no subscription to the version. */
  readonly plan: string | null
  /** Calls that the active override of the limit allows; null: no override. */
  readonly overrideCalls: number | null
}

/** The recipient of an answer. */
interface LimitRequestOwner {
  readonly email: string
  readonly applicationName: string
}

interface Decision {
  readonly id: string
  /** The actor in the audit. */
  readonly by: string
  /** The operator's developer account. */
  readonly operatorId: string
  /** Gets the mail to the owner. */
  readonly outbox: Outbox
}

/** The caller checks that the version, its limit and a subscription exist. */
export interface LimitRequests {
  /**
   * Writes the mails to the operators, under the lock of their digest.
   *
   * @throws {RegistryNotFound} no such application
   * @throws {RegistryConflict} limit-request-open, application-suspended
   * @throws {RegistryInputInvalid}
   */
  create(input: {
    applicationId: string
    api: string
    version: string
    limit: string
    calls: number
    wantedUntil: Date | null
    reason: string
    by: string
    outbox: Outbox
  }): Promise<LimitRequest>
  find(id: string): Promise<LimitRequest | undefined>
  /** The newest 50 of an application, newest first. */
  list(options: { applicationId: string }): Promise<LimitRequest[]>
  /**
   * Requests of all applications: the open ones, oldest first, or the closed ones, last closed first.
   * @throws {RegistryInputInvalid}
   */
  listAll(options: Page & { isOpen: boolean }): Promise<WaitingLimitRequest[]>
  /** Idempotent. @throws {RegistryNotFound}, {@link RegistryConflict} limit-request-closed */
  withdraw(input: { id: string; by: string }): Promise<void>
  /**
   * Makes an override, which replaces one that is active, in the transaction
   * that closes the request.
   *
   * @param input.callsNow what the limit allows; undefined: it applies to no subscription
   * @throws {RegistryNotFound}
   * @throws {RegistryConflict} limit-request-closed, own-application, limit-request-outdated, grant-below-limit
   * @throws {RegistryInputInvalid}
   */
  grant(
    input: Decision & {
      calls: number
      until: Date
      callsNow: (request: LimitRequest, inForce: InForce) => number | undefined
    },
  ): Promise<LimitRequest>
  /**
   * @throws {RegistryNotFound}, {@link RegistryConflict} limit-request-closed,
   * own-application; {@link RegistryInputInvalid}
   */
  decline(input: Decision & { answer: string }): Promise<LimitRequest>
}

export interface LimitRequestsOptions {
  readonly db: Kysely<PortalSchema>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const columns = [
  'limit_requests.id',
  'application_id as applicationId',
  'api',
  'version',
  'limit_name as limit',
  'calls',
  'wanted_until as wantedUntil',
  'reason',
  'state',
  'limit_requests.created_at as createdAt',
  'closed_at as closedAt',
  'granted_calls as grantedCalls',
  'granted_until as grantedUntil',
  'answer',
] as const

const listed = 50
/** Reason of the override. The developer's own words stay with the request, which is deleted with the application. */
const reasonOfOverride = 'The developer asked for more calls.'

export function createLimitRequests({ db, now }: LimitRequestsOptions): LimitRequests {
  return {
    create: ({ applicationId, api, version, limit, calls, wantedUntil, reason, by, outbox }) =>
      db
        .transaction()
        .execute(async (trx) => {
          checkCalls(calls)
          checkReason(reason)
          if (wantedUntil !== null) checkExpiry(wantedUntil, now(), 'wantedUntil')
          await lockActiveApplication(trx, applicationId)
          await lockDigest(trx)
          const made = await trx
            .insertInto('limit_requests')
            .values({
              application_id: applicationId,
              api,
              version,
              limit_name: limit,
              calls,
              wanted_until: wantedUntil,
              reason: reason.trim(),
              created_at: sql`clock_timestamp()`,
            })
            .returning(columns)
            .executeTakeFirstOrThrow()
          const until = wantedUntil === null ? {} : { wantedUntil: wantedUntil.toISOString() }
          await auditRequest(trx, made, 'create', by, until)
          await writeLimitRequestMails(trx, outbox)
          return made
        })
        .catch(translate),

    async find(id) {
      if (!isUuid(id)) return undefined
      return db.selectFrom('limit_requests').select(columns).where('id', '=', id).executeTakeFirst()
    },

    async list({ applicationId }) {
      if (!isUuid(applicationId)) return []
      return db
        .selectFrom('limit_requests')
        .select(columns)
        .where('application_id', '=', applicationId)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(listed)
        .execute()
    },

    async listAll({ isOpen, limit, after }) {
      const found = await db
        .selectFrom('limit_requests')
        .innerJoin('applications', 'applications.id', 'limit_requests.application_id')
        .innerJoin('developers', 'developers.id', 'applications.developer_id')
        .select(columns)
        .select([
          'applications.name as applicationName',
          'developers.id as developerId',
          'developers.email as developerEmail',
          planOf.as('plan'),
          overrideOf(now()).as('overrideCalls'),
        ])
        .where('state', isOpen ? '=' : '<>', 'open')
        .where(comesAfter({ isOpen, after }))
        .orderBy(isOpen ? 'limit_requests.created_at' : 'closed_at', isOpen ? 'asc' : 'desc')
        .orderBy('limit_requests.id', isOpen ? 'asc' : 'desc')
        .limit(limit)
        .execute()
      return found.map(({ plan, overrideCalls, ...request }) => ({
        ...request,
        inForce: { plan, overrideCalls },
      }))
    },

    withdraw: ({ id, by }) =>
      db.transaction().execute(async (trx) => {
        const found = await lockRequest(trx, id)
        if (found.state === 'withdrawn') return
        refuseClosed(found)
        await close(trx, id, { state: 'withdrawn', closed_at: new Date(now()) })
        await auditRequest(trx, found, 'withdraw', by)
      }),

    grant: ({ id, calls, until, callsNow, by, operatorId, outbox }) =>
      change(db, async (trx, record) => {
        const nowMs = now()
        checkOverride({ calls, reason: reasonOfOverride, expiresAt: until }, nowMs)
        const { found, owner } = await lockForDecision(trx, id, operatorId)
        const { applicationId, api, version, limit } = found
        refuseLess(calls, callsNow(found, await readInForce(trx, id, nowMs)))
        const override = { applicationId, api, version, limit, by }
        await endOverrideOf(trx, record, override, nowMs)
        const wanted = { ...override, calls, reason: reasonOfOverride, expiresAt: until }
        await addOverride(trx, record, wanted, nowMs)
        const closed = await close(trx, id, {
          state: 'granted',
          closed_at: new Date(nowMs),
          granted_calls: calls,
          granted_until: until,
        })
        const granted = { granted: String(calls), until: until.toISOString() }
        await auditRequest(trx, closed, 'grant', by, granted)
        const { applicationName, email } = owner
        const subject = { applicationId, applicationName, api, version, limit }
        await outbox.post(trx, { kind: 'limit-granted', ...subject, calls, until }, email)
        return closed
      }),

    decline: ({ id, answer, by, operatorId, outbox }) =>
      db.transaction().execute(async (trx) => {
        checkReason(answer)
        const { owner } = await lockForDecision(trx, id, operatorId)
        const closed = await close(trx, id, {
          state: 'declined',
          closed_at: new Date(now()),
          answer: answer.trim(),
        })
        await auditRequest(trx, closed, 'decline', by)
        const { applicationId, api, version, limit, calls } = closed
        const { applicationName, email } = owner
        const subject = { applicationId, applicationName, api, version, limit }
        await outbox.post(trx, { kind: 'limit-declined', ...subject, calls, answer }, email)
        return closed
      }),
  }
}

/** The plan of the active subscription to the version of a request. */
const planOf = sql<string | null>`(select plan from subscriptions
  where subscriptions.application_id = limit_requests.application_id
    and subscriptions.api = limit_requests.api and subscriptions.version = limit_requests.version
    and ended_at is null)`

function overrideOf(nowMs: number): RawBuilder<number | null> {
  return sql<number | null>`(select calls from limit_overrides
    where limit_overrides.application_id = limit_requests.application_id
      and limit_overrides.api = limit_requests.api and limit_overrides.version = limit_requests.version
      and limit_overrides.limit_name = limit_requests.limit_name
      and ended_at is null and expires_at > ${new Date(nowMs)})`
}

function readInForce(trx: PortalTransaction, id: string, nowMs: number): Promise<InForce> {
  return trx
    .selectFrom('limit_requests')
    .select([planOf.as('plan'), overrideOf(nowMs).as('overrideCalls')])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

function refuseLess(calls: number, callsNow: number | undefined): void {
  if (callsNow === undefined) {
    throw new RegistryConflict(
      'limit-request-outdated',
      'the application has no subscription with this limit any more; decline the request',
    )
  }
  if (calls >= callsNow) return
  throw new RegistryConflict(
    'grant-below-limit',
    `the limit allows ${callCount(callsNow)} already; grant at least as many, or decline the request`,
    { limit: callsNow },
  )
}

/** @throws {RegistryInputInvalid} */
function comesAfter({
  isOpen,
  after,
}: {
  readonly isOpen: boolean
  readonly after: string | undefined
}): RawBuilder<boolean> {
  if (after === undefined) return sql<boolean>`true`
  if (!isUuid(after)) throw new RegistryInputInvalid('after', 'the id of a listed item')
  return isOpen
    ? sql<boolean>`(limit_requests.created_at, limit_requests.id) >
        (select created_at, id from limit_requests where id = ${after})`
    : sql<boolean>`(closed_at, limit_requests.id) <
        (select closed_at, id from limit_requests where id = ${after})`
}

/** Locks the application first, as its deletion does. */
async function lockForDecision(
  trx: PortalTransaction,
  id: string,
  operatorId: string,
): Promise<{ readonly found: LimitRequest; readonly owner: LimitRequestOwner }> {
  const { applicationId } = await readRequest(trx, id)
  const application = await lockApplication(trx, applicationId)
  refuseOwner(application, operatorId)
  const found = await lockRequest(trx, id)
  refuseClosed(found)
  const { email } = await trx
    .selectFrom('developers')
    .select('email')
    .where('id', '=', application.developerId)
    .executeTakeFirstOrThrow()
  return { found, owner: { email, applicationName: application.name } }
}

function lockRequest(trx: PortalTransaction, id: string): Promise<LimitRequest> {
  return readRequest(trx, id, { isLocked: true })
}

/** @throws {RegistryNotFound} */
function readRequest(
  trx: PortalTransaction,
  id: string,
  { isLocked = false } = {},
): Promise<LimitRequest> {
  return existing('limit-request', id, () =>
    trx
      .selectFrom('limit_requests')
      .select(columns)
      .where('id', '=', id)
      .$if(isLocked, (query) => query.forUpdate())
      .executeTakeFirst(),
  )
}

function refuseClosed({ state }: LimitRequest): void {
  if (state === 'open') return
  throw new RegistryConflict('limit-request-closed', `the request is ${state} already`)
}

function close(
  trx: PortalTransaction,
  id: string,
  values: Updateable<PortalSchema['limit_requests']>,
): Promise<LimitRequest> {
  return trx
    .updateTable('limit_requests')
    .set(values)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** Writes no texts that people typed, because the audit keeps entries for longer. */
function auditRequest(
  trx: PortalTransaction,
  { id, applicationId, api, version, limit, calls }: LimitRequest,
  verb: string,
  by: string,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  return recordAudit(trx, {
    actor: by,
    action: `limit-request.${verb}`,
    subject: `application:${applicationId}`,
    detail: { request: id, api, version, limit, calls: String(calls), ...more },
  })
}

const translate = conflictAt(
  'limit_requests_open',
  'limit-request-open',
  'the application has an open request for this limit already; withdraw it first',
)
