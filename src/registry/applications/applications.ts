// This folder has applications and what they may call. `subscriptions.ts` joins an application to a plan of an API
// version, and `overrides.ts` replaces a plan's number of calls for a time. `redirect-origins.ts` has the rule for the
// addresses of its customers, and `deleted-applications.ts` keeps deleted ones until the bank has ended what they left
// there. Callers check that APIs, versions and plans exist: the registry knows their names only.

import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql, type UpdateObject } from 'kysely'
import { isUuid } from '../../platform/database/uuid.ts'
import { conflictAt } from '../conflict-at.ts'
import { existing } from '../existing.ts'
import type { ChangeOf } from '../feed/change.ts'
import { plainName } from '../name.ts'
import { comesAfter, type Page } from '../page.ts'
import { RegistryConflict } from '../registry-errors.ts'
import type { RegistrySchema } from '../schema.ts'
import { change, type RegistryTransaction } from '../transaction.ts'
import { noteDeleted } from './deleted-applications.ts'
import { lockDeveloper } from './developer.ts'
import { plainOrigins } from './redirect-origins.ts'

/** An application makes calls. It has keys and subscriptions, and its calls are counted. */
export interface Application {
  readonly id: string
  readonly developerId: string
  /** Unique among the developer's applications. */
  readonly name: string
  readonly createdAt: Date
  /** While set, its keys are recognised and its calls refused. */
  readonly suspendedAt: Date | null
  /** Whether the backend must accept only signed calls of this application. */
  readonly strict: boolean
  /** Origins to which its customers may be sent back after an approval; empty: any, unless it is strict. */
  readonly redirectOrigins: readonly string[]
}

/** Changes to an application; omitted members stay as they are. */
export interface ApplicationChange {
  readonly name?: string | undefined
  readonly strict?: boolean | undefined
  readonly redirectOrigins?: readonly string[] | undefined
}

/** `by` is the actor in the audit. */
export interface Applications {
  /**
   * @throws {RegistryNotFound} no such developer
   * @throws {RegistryConflict} name-taken, applications-limit
   * @throws {RegistryInputInvalid}
   */
  create(input: { developerId: string; name: string; by: string }): Promise<Application>
  find(id: string): Promise<Application | undefined>
  findByName(developerId: string, name: string): Promise<Application | undefined>
  /** Oldest first; of one developer, or of all. */
  list(page: Page & { developerId?: string | undefined }): Promise<Application[]>
  /** @throws {RegistryNotFound}, {@link RegistryConflict} name-taken, {@link RegistryInputInvalid} */
  rename(input: { id: string; name: string; by: string }): Promise<Application>
  /** Idempotent. @throws {RegistryNotFound} */
  setStrict(input: { id: string; strict: boolean; by: string }): Promise<Application>
  /** Applies all given changes or none; replaces the whole list of origins. Idempotent. @throws as {@link rename} */
  update(input: ApplicationChange & { id: string; by: string }): Promise<Application>
  /** Idempotent. @throws {RegistryNotFound} */
  suspend(input: { id: string; by: string }): Promise<Application>
  /** Idempotent. @throws {RegistryNotFound}, {@link RegistryConflict} own-application */
  resume(input: { id: string; by: string; operatorId?: string | undefined }): Promise<Application>
  /** Deletes the application with its subscriptions and keys. @throws {RegistryNotFound} */
  delete(input: { id: string; by: string }): Promise<void>
}

const columns = [
  'id',
  'developer_id as developerId',
  'name',
  'created_at as createdAt',
  'suspended_at as suspendedAt',
  'strict',
  'redirect_origins as redirectOrigins',
] as const

export interface ApplicationsOptions {
  readonly db: Kysely<RegistrySchema>
  /** Maximum number of applications per developer. */
  readonly perDeveloper: number
}

export function createApplications({ db, perDeveloper }: ApplicationsOptions): Applications {
  function setSuspension(
    id: string,
    by: string,
    isSuspended: boolean,
    operatorId?: string,
  ): Promise<Application> {
    return change(db, async (trx, record) => {
      const found = await lockApplication(trx, id)
      if (!isSuspended) refuseOwner(found, operatorId)
      if ((found.suspendedAt !== null) === isSuspended) return found
      await record(changeOf(found, isSuspended ? 'suspend' : 'resume'), { by })
      return updateRow(trx, id, { suspended_at: isSuspended ? sql`now()` : null })
    })
  }

  function update(id: string, by: string, wanted: ApplicationChange): Promise<Application> {
    return change(db, async (trx, record) => {
      const found = await lockApplication(trx, id)
      const { name: given = found.name, strict = found.strict } = wanted
      // A name from before the rule may stay.
      const name = given === found.name ? given : plainName(given)
      const origins =
        wanted.redirectOrigins === undefined
          ? found.redirectOrigins
          : plainOrigins(wanted.redirectOrigins)
      const hasOldOrigins = isDeepStrictEqual(origins, found.redirectOrigins)
      if (name === found.name && strict === found.strict && hasOldOrigins) return found
      const updated = await updateRow(trx, id, { name, strict, redirect_origins: [...origins] })
      const detail: Record<string, string> = {
        ...(strict === found.strict ? {} : { strict: String(strict) }),
        ...(hasOldOrigins ? {} : { redirectOrigins: origins.join(' ') }),
      }
      await record(changeOf(updated, 'update'), { by, detail })
      return updated
    }).catch(translateName)
  }

  return {
    create: ({ developerId, name: given, by }) =>
      change(db, async (trx, record) => {
        const name = plainName(given)
        await lockDeveloper(trx, developerId)
        const { count } = await trx
          .selectFrom('applications')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('developer_id', '=', developerId)
          .executeTakeFirstOrThrow()
        if (count >= perDeveloper) {
          throw new RegistryConflict(
            'applications-limit',
            `a developer may have at most ${perDeveloper} applications`,
            { limit: perDeveloper },
          )
        }
        const application = await trx
          .insertInto('applications')
          .values({ developer_id: developerId, name })
          .returning(columns)
          .executeTakeFirstOrThrow()
        await record(changeOf(application, 'create'), { by })
        return application
      }).catch(translateName),

    async find(id) {
      if (!isUuid(id)) return undefined
      return select(db).where('id', '=', id).executeTakeFirst()
    },

    async findByName(developerId, name) {
      if (!isUuid(developerId)) return undefined
      return select(db)
        .where('developer_id', '=', developerId)
        .where('name', '=', name.trim())
        .executeTakeFirst()
    },

    async list(page) {
      const { developerId } = page
      if (developerId !== undefined && !isUuid(developerId)) return []
      return select(db)
        .where(comesAfter('applications', page))
        .$if(developerId !== undefined, (query) =>
          query.where('developer_id', '=', developerId ?? ''),
        )
        .orderBy('created_at')
        .orderBy('id')
        .limit(page.limit)
        .execute()
    },

    rename: ({ id, name, by }) => update(id, by, { name }),
    setStrict: ({ id, strict, by }) => update(id, by, { strict }),
    update: ({ id, by, ...wanted }) => update(id, by, wanted),

    suspend: ({ id, by }) => setSuspension(id, by, true),
    resume: ({ id, by, operatorId }) => setSuspension(id, by, false, operatorId),

    delete: ({ id, by }) =>
      change(db, async (trx, record) => {
        const found = await lockApplication(trx, id)
        await noteDeleted(trx, [id])
        await trx.deleteFrom('applications').where('id', '=', id).execute()
        await record(changeOf(found, 'delete'), { by })
      }),
  }
}

function select(db: Kysely<RegistrySchema>) {
  return db.selectFrom('applications').select(columns)
}

function updateRow(
  trx: RegistryTransaction,
  id: string,
  values: UpdateObject<RegistrySchema, 'applications'>,
): Promise<Application> {
  return trx
    .updateTable('applications')
    .set(values)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()
}

function changeOf(
  { id, developerId }: Application,
  action: Exclude<ChangeOf<'application'>['action'], 'override'>,
): ChangeOf<'application'> {
  return { kind: 'application', action, developerId, applicationId: id }
}

/**
 * Locks an application's row until the transaction ends, so that only one
 * transaction at a time can count its keys and add one. Rows that refer to the
 * application can still be written: gateways keep writing usage and records,
 * and a change need not wait for them. Renaming and deleting do wait, because
 * the database requires it. A change that also locks something that belongs to
 * the application locks the application first, as its deletion does: in the
 * other order, the two could deadlock.
 *
 * @throws {RegistryNotFound}
 */
export function lockApplication(trx: RegistryTransaction, id: string): Promise<Application> {
  return existing('application', id, () =>
    select(trx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst(),
  )
}

/**
 * Refuses what an operator does for an application, if the operator owns it.
 *
 * @param operatorId of the operator's developer account; undefined: a command
 * @throws {RegistryConflict} own-application
 */
export function refuseOwner({ developerId }: Application, operatorId: string | undefined): void {
  if (operatorId !== developerId) return
  throw new RegistryConflict('own-application', 'you own this application; ask another operator')
}

/** Locks the application for a change that grants it more. */
export async function lockActiveApplication(trx: RegistryTransaction, id: string): Promise<void> {
  const { suspendedAt } = await lockApplication(trx, id)
  if (suspendedAt === null) return
  throw new RegistryConflict(
    'application-suspended',
    'the application is suspended; ask the operator of this gateway to resume it',
  )
}

const translateName = conflictAt(
  'applications_name',
  'name-taken',
  'the developer has an application of that name',
)
