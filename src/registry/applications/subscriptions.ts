import { type Kysely, sql, type UpdateObject } from 'kysely'
import { isUuid } from '../../platform/database/uuid.ts'
import { conflictAt } from '../conflict-at.ts'
import { existing } from '../existing.ts'
import { RegistryConflict } from '../registry-errors.ts'
import type { RegistrySchema } from '../schema.ts'
import { change, type RegistryTransaction } from '../transaction.ts'
import { lockActiveApplication } from './applications.ts'

/** Joins an application to a plan of an API version. */
export interface Subscription {
  readonly id: string
  readonly applicationId: string
  readonly api: string
  readonly version: string
  readonly plan: string
  readonly createdAt: Date
  /** Set once the subscription has ended. */
  readonly endedAt: Date | null
}

/** The API versions that applications may call, and the plan for each. */
export interface ActiveSubscription
  extends Pick<Subscription, 'applicationId' | 'api' | 'version' | 'plan'> {
  readonly applicationName: string
}

/**
 * The caller checks that API, version and plan exist and belong together. `by`
 * is the actor in the audit.
 */
export interface Subscriptions {
  /**
   * @throws {RegistryNotFound} no such application
   * @throws {RegistryConflict} already-subscribed
   */
  add(input: {
    applicationId: string
    api: string
    version: string
    plan: string
    by: string
  }): Promise<Subscription>
  /**
   * Changes the plan without a gap; counts are kept.
   *
   * @throws {RegistryNotFound}
   * @throws {RegistryConflict} subscription-ended
   */
  change(input: { id: string; plan: string; by: string }): Promise<Subscription>
  /**
   * Replaces a subscription by one to another version of the same API, in one
   * transaction: at no moment has the application neither. An active
   * subscription to the version stays unchanged. The counts of the new version
   * are its own.
   *
   * @returns the subscription to the other version
   * @throws {RegistryNotFound}
   * @throws {RegistryConflict} subscription-ended, application-suspended
   */
  move(input: { id: string; version: string; plan: string; by: string }): Promise<Subscription>
  /** Idempotent. @throws {RegistryNotFound} */
  end(input: { id: string; by: string }): Promise<Subscription>
  find(id: string): Promise<Subscription | undefined>
  /** Applications with an active subscription to a version, ordered by name. */
  applicationsOf(api: string, version: string): Promise<{ id: string; name: string }[]>
  /** All active subscriptions, with the names of their applications, ordered by them. */
  active(): Promise<ActiveSubscription[]>
  /** Active subscriptions, or all, oldest first. */
  list(options: { applicationId: string; withEnded?: boolean }): Promise<Subscription[]>
}

const columns = [
  'id',
  'application_id as applicationId',
  'api',
  'version',
  'plan',
  'created_at as createdAt',
  'ended_at as endedAt',
] as const

export function createSubscriptions({ db }: { db: Kysely<RegistrySchema> }): Subscriptions {
  function traces(
    subscription: Subscription,
    action: 'create' | 'update' | 'end',
    by: string,
    more: Readonly<Record<string, string>> = {},
  ) {
    const { id, applicationId, api, version, plan } = subscription
    return [
      { kind: 'subscription', action, applicationId },
      { by, subject: `subscription:${id}`, detail: { applicationId, api, version, plan, ...more } },
    ] as const
  }

  function updateRow(
    trx: RegistryTransaction,
    id: string,
    values: UpdateObject<RegistrySchema, 'subscriptions'>,
  ): Promise<Subscription> {
    return trx
      .updateTable('subscriptions')
      .set(values)
      .where('id', '=', id)
      .returning(columns)
      .executeTakeFirstOrThrow()
  }

  return {
    add: ({ applicationId, api, version, plan, by }) =>
      change(db, async (trx, record) => {
        await lockActiveApplication(trx, applicationId)
        const subscription = await trx
          .insertInto('subscriptions')
          .values({ application_id: applicationId, api, version, plan })
          .returning(columns)
          .executeTakeFirstOrThrow()
        await record(...traces(subscription, 'create', by))
        return subscription
      }).catch(
        conflictAt(
          'subscriptions_active',
          'already-subscribed',
          `the application has an active subscription to ${api}@${version}`,
        ),
      ),

    applicationsOf: (api, version) =>
      db
        .selectFrom('subscriptions')
        .innerJoin('applications', 'applications.id', 'subscriptions.application_id')
        .select(['applications.id', 'applications.name'])
        .where('api', '=', api)
        .where('version', '=', version)
        .where('ended_at', 'is', null)
        .orderBy('applications.name')
        .execute(),

    active: () =>
      db
        .selectFrom('subscriptions')
        .innerJoin('applications', 'applications.id', 'subscriptions.application_id')
        .select([
          'applications.id as applicationId',
          'applications.name as applicationName',
          'subscriptions.api',
          'subscriptions.version',
          'subscriptions.plan',
        ])
        .where('ended_at', 'is', null)
        .orderBy('applications.name')
        .orderBy('applications.id')
        .execute(),

    change: ({ id, plan, by }) =>
      change(db, async (trx, record) => {
        const found = await lockActive(trx, id)
        if (found.plan === plan) return found
        const changed = await updateRow(trx, id, { plan })
        await record(...traces(changed, 'update', by))
        return changed
      }),

    move: ({ id, version, plan, by }) =>
      change(db, async (trx, record) => {
        const old = await lockActive(trx, id)
        const { applicationId } = old
        const known = await select(trx)
          .where('application_id', '=', applicationId)
          .where('api', '=', old.api)
          .where('version', '=', version)
          .where('ended_at', 'is', null)
          .executeTakeFirst()
        const young =
          known ??
          (await trx
            .insertInto('subscriptions')
            .values({ application_id: applicationId, api: old.api, version, plan })
            .returning(columns)
            .executeTakeFirstOrThrow())
        if (known === undefined) {
          await record(...traces(young, 'create', by, { movedFrom: old.version }))
        }
        await record(
          ...traces(await updateRow(trx, id, { ended_at: sql`now()` }), 'end', by, {
            movedTo: version,
          }),
        )
        return young
      }),

    end: ({ id, by }) =>
      change(db, async (trx, record) => {
        const found = await readSubscription(trx, id, { isLocked: true })
        if (found.endedAt !== null) return found
        const ended = await updateRow(trx, id, { ended_at: sql`now()` })
        await record(...traces(ended, 'end', by))
        return ended
      }),

    async find(id) {
      if (!isUuid(id)) return undefined
      return select(db).where('id', '=', id).executeTakeFirst()
    },

    async list({ applicationId, withEnded = false }) {
      if (!isUuid(applicationId)) return []
      return select(db)
        .where('application_id', '=', applicationId)
        .$if(!withEnded, (query) => query.where('ended_at', 'is', null))
        .orderBy('created_at')
        .orderBy('id')
        .execute()
    },
  }
}

/** @param isLocked whether the row is locked until the transaction ends */
function readSubscription(
  trx: RegistryTransaction,
  id: string,
  { isLocked = false } = {},
): Promise<Subscription> {
  return existing('subscription', id, () =>
    select(trx)
      .where('id', '=', id)
      .$if(isLocked, (query) => query.forUpdate())
      .executeTakeFirst(),
  )
}

/** @throws {RegistryNotFound} @throws {RegistryConflict} subscription-ended, application-suspended */
async function lockActive(trx: RegistryTransaction, id: string): Promise<Subscription> {
  // Locks the application first, as its deletion does.
  const { applicationId } = await readSubscription(trx, id)
  await lockActiveApplication(trx, applicationId)
  const found = await readSubscription(trx, id, { isLocked: true })
  if (found.endedAt === null) return found
  throw new RegistryConflict('subscription-ended', 'the subscription has ended')
}

function select(db: Kysely<RegistrySchema>) {
  return db.selectFrom('subscriptions').select(columns)
}
