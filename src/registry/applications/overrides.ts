import type { Kysely } from 'kysely'
import type { CallsOverride } from '../../catalogue/effective-limits.ts'
import { isUuid } from '../../platform/database/uuid.ts'
import { conflictAt } from '../conflict-at.ts'
import { existing } from '../existing.ts'
import { checkExpiry } from '../keys/expiry.ts'
import { checkReason } from '../name.ts'
import { RegistryInputInvalid } from '../registry-errors.ts'
import type { RegistrySchema } from '../schema.ts'
import { change, type Recorder, type RegistryTransaction } from '../transaction.ts'
import { lockApplication, refuseOwner } from './applications.ts'

/**
 * Replaces the plan's number of calls for one application, API version and
 * limit.
 *
 * States: active → expired (by the clock alone) or ended (by an operator).
 * There are no transitions back.
 */
export interface LimitOverride extends CallsOverride {
  readonly id: string
  readonly applicationId: string
  readonly api: string
  readonly version: string
  readonly reason: string
  /** The actor in the audit. */
  readonly createdBy: string
  readonly createdAt: Date
}

/** An override to make; `by` is the actor in the audit. */
export interface OverrideInput extends Omit<LimitOverride, 'id' | 'createdBy' | 'createdAt'> {
  readonly by: string
}

/**
 * The caller checks that the API version and the limit exist in the catalogue.
 * `by` is the actor in the audit. An operator cannot change the limits of an own
 * application: `operatorId` is the operator's developer account, undefined for
 * a command. Every gateway learns of a change within a second.
 */
export interface Overrides {
  /**
   * @throws {RegistryNotFound} no such application
   * @throws {RegistryConflict} override-active, own-application
   * @throws {RegistryInputInvalid} an expiry in the past or after the year
   * 9999, an invalid number of calls or reason
   */
  create(
    input: OverrideInput & { readonly operatorId?: string | undefined },
  ): Promise<LimitOverride>
  /** Active overrides of one application, or of all, oldest first. */
  list(options: { applicationId?: string }): Promise<LimitOverride[]>
  /**
   * Idempotent: one that has ended stays unchanged.
   * @throws {RegistryNotFound} no such application, or it has no such override
   * @throws {RegistryConflict} own-application
   */
  end(input: {
    applicationId: string
    id: string
    by: string
    operatorId?: string | undefined
  }): Promise<void>
}

export interface OverridesOptions {
  readonly db: Kysely<RegistrySchema>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const columns = [
  'id',
  'application_id as applicationId',
  'api',
  'version',
  'limit_name as limit',
  'calls',
  'reason',
  'created_by as createdBy',
  'created_at as createdAt',
  'expires_at as expiresAt',
] as const

export function createOverrides({ db, now }: OverridesOptions): Overrides {
  return {
    create: ({ operatorId, ...input }) =>
      change(db, async (trx, record) => {
        const nowMs = now()
        checkOverride(input, nowMs)
        refuseOwner(await lockApplication(trx, input.applicationId), operatorId)
        return addOverride(trx, record, input, nowMs)
      }).catch(translate),

    async list({ applicationId }) {
      if (applicationId !== undefined && !isUuid(applicationId)) return []
      return db
        .selectFrom('limit_overrides')
        .select(columns)
        .$if(applicationId !== undefined, (query) =>
          query.where('application_id', '=', applicationId ?? ''),
        )
        .where('ended_at', 'is', null)
        .where('expires_at', '>', new Date(now()))
        .orderBy('created_at')
        .orderBy('id')
        .execute()
    },

    end: ({ applicationId, id, by, operatorId }) =>
      change(db, async (trx, record) => {
        // Locks the application first, as its deletion does.
        const application = await lockApplication(trx, applicationId)
        const found = await existing('override', id, () =>
          trx
            .selectFrom('limit_overrides')
            .select([...columns, 'ended_at'])
            .where('id', '=', id)
            .where('application_id', '=', applicationId)
            .forUpdate()
            .executeTakeFirst(),
        )
        refuseOwner(application, operatorId)
        const at = new Date(now())
        if (found.ended_at !== null || found.expiresAt <= at) return
        await trx
          .updateTable('limit_overrides')
          .set({ ended_at: at })
          .where('id', '=', id)
          .execute()
        await record(...traces(found, 'end', by))
      }),
  }
}

/** @throws {RegistryInputInvalid} an expiry in the past or after the year 9999, an invalid number of calls or reason */
export function checkOverride(
  { calls, reason, expiresAt }: Pick<OverrideInput, 'calls' | 'reason' | 'expiresAt'>,
  nowMs: number,
): void {
  checkExpiry(expiresAt, nowMs)
  checkCalls(calls)
  checkReason(reason)
}

/** @throws {RegistryInputInvalid} */
export function checkCalls(calls: number): void {
  if (Number.isInteger(calls) && calls >= 1 && calls <= callsMax) return
  throw new RegistryInputInvalid('calls', `a whole number from 1 to ${callsMax}`)
}

/**
 * Adds a checked override in the transaction of a change that has locked the
 * application.
 *
 * @throws a violation of `limit_overrides_active` while the limit has another one
 */
export async function addOverride(
  trx: RegistryTransaction,
  record: Recorder,
  input: OverrideInput,
  nowMs: number,
): Promise<LimitOverride> {
  const { applicationId, api, version, limit, calls, reason, expiresAt, by } = input
  // The index permits one that has not ended; an expired one is ended when it is in the way.
  await trx
    .updateTable('limit_overrides')
    .set(({ ref }) => ({ ended_at: ref('expires_at') }))
    .where('application_id', '=', applicationId)
    .where('ended_at', 'is', null)
    .where('expires_at', '<=', new Date(nowMs))
    .execute()
  const made = await trx
    .insertInto('limit_overrides')
    .values({
      application_id: applicationId,
      api,
      version,
      limit_name: limit,
      calls,
      reason,
      created_by: by,
      expires_at: expiresAt,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  await record(...traces(made, 'create', by))
  return made
}

/** Ends the active override of a limit, if there is one, in the transaction of a change that has locked the application. */
export async function endOverrideOf(
  trx: RegistryTransaction,
  record: Recorder,
  { applicationId, api, version, limit, by }: Omit<OverrideInput, 'calls' | 'reason' | 'expiresAt'>,
  nowMs: number,
): Promise<void> {
  const ended = await trx
    .updateTable('limit_overrides')
    .set({ ended_at: new Date(nowMs) })
    .where('application_id', '=', applicationId)
    .where('api', '=', api)
    .where('version', '=', version)
    .where('limit_name', '=', limit)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', new Date(nowMs))
    .returning(columns)
    .executeTakeFirst()
  if (ended !== undefined) await record(...traces(ended, 'end', by))
}

const callsMax = 1_000_000_000

function traces(override: LimitOverride, action: 'create' | 'end', by: string) {
  const { id, applicationId, api, version, limit, calls, reason, expiresAt } = override
  const facts = { override: id, api, version, limit, calls: String(calls) }
  const detail = { ...facts, expiresAt: expiresAt.toISOString(), reason }
  return [
    { kind: 'application', action: 'override', applicationId },
    { by, action: `override.${action}`, detail },
  ] as const
}

const translate = conflictAt(
  'limit_overrides_active',
  'override-active',
  'the application has an override of this limit already; end it first',
)
