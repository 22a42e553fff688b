import { type Kysely, sql } from 'kysely'
import { violates } from '../../platform/database.ts'
import { lockDeveloper } from './developers.ts'
import { comesAfter, type Page } from './page.ts'
import { RegistryConflict, RegistryInputInvalid, RegistryNotFound } from './registry-errors.ts'
import type { RegistrySchema } from './schema.ts'
import { change, isUuid, type RegistryTransaction } from './transaction.ts'

/** What calls: it has keys and subscriptions, and its calls are counted. */
export interface Application {
  readonly id: string
  readonly developerId: string
  /** Unique among the developer's applications. */
  readonly name: string
  readonly createdAt: Date
  /** While set its keys are recognised and its calls refused. */
  readonly suspendedAt: Date | null
  /** Whether the backend is told to take only signed calls of it. */
  readonly strict: boolean
}

/** What may be set of an application; what is left out stays as it is. */
export interface ApplicationChange {
  readonly name?: string | undefined
  readonly strict?: boolean | undefined
}

/** `by` is the actor of the audit. */
export interface Applications {
  /**
   * @throws {RegistryNotFound} no such developer
   * @throws {RegistryConflict} name-taken, applications-limit
   * @throws {RegistryInputInvalid}
   */
  create(input: { developerId: string; name: string; by: string }): Promise<Application>
  find(id: string): Promise<Application | undefined>
  findByName(developerId: string, name: string): Promise<Application | undefined>
  /** Oldest first, of one developer or of all. */
  list(page: Page & { developerId?: string | undefined }): Promise<Application[]>
  /** @throws {RegistryNotFound}, {@link RegistryConflict} name-taken, {@link RegistryInputInvalid} */
  rename(input: { id: string; name: string; by: string }): Promise<Application>
  /** Idempotent. @throws {RegistryNotFound} */
  setStrict(input: { id: string; strict: boolean; by: string }): Promise<Application>
  /** Changes all that is given or nothing. Idempotent. @throws as {@link rename} */
  update(input: ApplicationChange & { id: string; by: string }): Promise<Application>
  /** Idempotent. @throws {RegistryNotFound} */
  suspend(input: { id: string; by: string }): Promise<Application>
  /** Idempotent. @throws {RegistryNotFound} */
  resume(input: { id: string; by: string }): Promise<Application>
  /** Deletes it with its subscriptions and keys. @throws {RegistryNotFound} */
  delete(input: { id: string; by: string }): Promise<void>
}

const columns = [
  'id',
  'developer_id as developerId',
  'name',
  'created_at as createdAt',
  'suspended_at as suspendedAt',
  'strict',
] as const

export interface ApplicationsOptions {
  readonly db: Kysely<RegistrySchema>
  /** How many a developer may have. */
  readonly perDeveloper: number
}

export function createApplications({ db, perDeveloper }: ApplicationsOptions): Applications {
  function traces(application: Application, action: string, by: string) {
    return {
      change: {
        kind: 'application',
        action,
        developerId: application.developerId,
        applicationId: application.id,
      },
      audit: {
        actor: by,
        action: `application.${action}`,
        subject: `application:${application.id}`,
      },
    } as const
  }

  function setSuspension(id: string, by: string, isSuspended: boolean): Promise<Application> {
    return change(db, async (trx, leave) => {
      const found = await lockApplication(trx, id)
      if ((found.suspendedAt !== null) === isSuspended) return found
      await leave(traces(found, isSuspended ? 'suspend' : 'resume', by))
      return trx
        .updateTable('applications')
        .set({ suspended_at: isSuspended ? sql`now()` : null })
        .where('id', '=', id)
        .returning(columns)
        .executeTakeFirstOrThrow()
    })
  }

  function update(id: string, by: string, wanted: ApplicationChange): Promise<Application> {
    return change(db, async (trx, leave) => {
      const found = await lockApplication(trx, id)
      const { name = found.name, strict = found.strict } = wanted
      if (name === found.name && strict === found.strict) return found
      const updated = await trx
        .updateTable('applications')
        .set({ name, strict })
        .where('id', '=', id)
        .returning(columns)
        .executeTakeFirstOrThrow()
      const left = traces(updated, 'update', by)
      const isTurned = strict !== found.strict
      const audit = isTurned ? { ...left.audit, detail: { strict: String(strict) } } : left.audit
      await leave({ ...left, audit })
      return updated
    }).catch(translateName)
  }

  return {
    create: ({ developerId, name, by }) =>
      change(db, async (trx, leave) => {
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
        await leave(traces(application, 'create', by))
        return application
      }).catch(translateName),

    async find(id) {
      if (!isUuid(id)) return undefined
      return db.selectFrom('applications').select(columns).where('id', '=', id).executeTakeFirst()
    },

    async findByName(developerId, name) {
      if (!isUuid(developerId)) return undefined
      return db
        .selectFrom('applications')
        .select(columns)
        .where('developer_id', '=', developerId)
        .where('name', '=', name)
        .executeTakeFirst()
    },

    async list(page) {
      const { developerId } = page
      if (developerId !== undefined && !isUuid(developerId)) return []
      return db
        .selectFrom('applications')
        .select(columns)
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
    resume: ({ id, by }) => setSuspension(id, by, false),

    delete: ({ id, by }) =>
      change(db, async (trx, leave) => {
        const found = await lockApplication(trx, id)
        await trx.deleteFrom('applications').where('id', '=', id).execute()
        await leave(traces(found, 'delete', by))
      }),
  }
}

/**
 * Locks an application's row until the transaction ends, so that its keys can
 * be counted and one more made by one transaction at a time. Rows that refer to
 * it may be written meanwhile: gateways write what became of its calls, and
 * whoever changes it must not wait until none of them does (renaming and
 * deleting it do: the database wants it so).
 *
 * @throws {RegistryNotFound}
 */
export async function lockApplication(trx: RegistryTransaction, id: string): Promise<Application> {
  const found = isUuid(id)
    ? await trx
        .selectFrom('applications')
        .select(columns)
        .where('id', '=', id)
        .forNoKeyUpdate()
        .executeTakeFirst()
    : undefined
  if (found === undefined) throw new RegistryNotFound('application', id)
  return found
}

function translateName(error: unknown): never {
  if (violates(error, 'applications_name')) {
    throw new RegistryConflict('name-taken', 'the developer has an application of that name', {
      cause: error,
    })
  }
  if (violates(error, 'applications_name_length')) {
    throw new RegistryInputInvalid('name', '1 to 100 characters', { cause: error })
  }
  throw error
}
