import { type Kysely, sql } from 'kysely'
import { RegistryConflict, RegistryNotFound } from './registry-errors.ts'
import type { AlertKind, RegistrySchema } from './schema.ts'
import { isUuid, type RegistryTransaction } from './transaction.ts'

/** How many deliveries of an application are kept; the oldest go first. */
export const deliveriesMax = 100
/** Days after which a delivery is deleted. */
const deliveryDays = 30

/** A delivery that this process may attempt now. */
export interface ClaimedDelivery {
  readonly id: string
  readonly applicationId: string
  readonly type: string
  readonly body: string
  readonly url: string
  readonly sealedSecret: Buffer
  /** This attempt included. */
  readonly attempts: number
  /** Seconds since the tries began. */
  readonly ageSeconds: number
}

/** What came of an attempt. */
export interface AttemptResult {
  /** Null: no answer. */
  readonly status: number | null
  /** Why it failed; null: it did not. */
  readonly failure: string | null
  /** Seconds until the next attempt; null: it was the last. */
  readonly againInSeconds: number | null
}

/** A delivery as its developer sees it. */
export interface Delivery {
  readonly id: string
  readonly applicationId: string
  readonly type: string
  readonly state: 'pending' | 'delivered' | 'failed'
  readonly createdAt: Date
  readonly attempts: number
  readonly triedAt: Date | null
  /** Null: nothing more to try. */
  readonly nextAt: Date | null
  /** Of the last attempt; null: no answer. */
  readonly responseStatus: number | null
  readonly failure: string | null
}

/** Events on their way to webhooks, whichever process wrote them. All times are by the database's clock. */
export interface WebhookQueue {
  /**
   * Takes up to `max` due deliveries, at most one of each application and none
   * of those in `except`, so that a silent receiver does not hold up others.
   * They become due again after `forSeconds`. Two processes never take the same
   * one at once.
   */
  claim(options: {
    max: number
    forSeconds: number
    except: readonly string[]
  }): Promise<ClaimedDelivery[]>
  /** Records an attempt. */
  record(id: string, result: AttemptResult): Promise<void>
  /** Deletes old deliveries. */
  prune(): Promise<void>
}

/** What developers see and do with the deliveries of an application. */
export interface Deliveries {
  find(id: string): Promise<Delivery | undefined>
  /** Newest first. */
  list(options: { applicationId: string }): Promise<Delivery[]>
  /** Makes a delivery due now, for another day of tries. @throws {RegistryNotFound} */
  again(id: string): Promise<Delivery>
  /** Writes an event by hand. @throws {RegistryConflict} no-webhook */
  add(input: { applicationId: string; event: (name: string) => WebhookMessage }): Promise<Delivery>
}

/** An event as it waits. */
export interface WebhookMessage {
  readonly type: string
  /** JSON */
  readonly body: string
}

export function createWebhookQueue({ db }: { db: Kysely<RegistrySchema> }): WebhookQueue {
  return {
    async claim({ max, forSeconds, except }) {
      // The condition on `due_at` is judged again once the row is locked: another process may have been faster.
      const { rows } = await sql<ClaimedDelivery>`
        update webhook_deliveries d
        set attempts = d.attempts + 1, due_at = now() + make_interval(secs => ${forSeconds})
        from webhooks w
        where w.application_id = d.application_id and d.due_at <= now() and d.id = any(array(
          select id from (
            select distinct on (application_id) id, due_at from webhook_deliveries
            where due_at <= now() and application_id <> all(${except}::uuid[])
            order by application_id, due_at, id
          ) first order by due_at limit ${max}
        ))
        returning d.id, d.application_id as "applicationId", d.type, d.body, w.url,
          w.sealed_secret as "sealedSecret", d.attempts,
          extract(epoch from now() - d.tried_since)::float8 as "ageSeconds"`.execute(db)
      return rows
    },

    async record(id, { status, failure, againInSeconds }) {
      await db
        .updateTable('webhook_deliveries')
        .set({
          tried_at: sql`now()`,
          response_status: status,
          failure,
          due_at:
            againInSeconds === null
              ? null
              : sql<Date>`now() + make_interval(secs => ${againInSeconds})`,
          ...(failure === null ? { delivered_at: sql<Date>`now()` } : {}),
        })
        .where('id', '=', id)
        .execute()
    },

    async prune() {
      await db
        .deleteFrom('webhook_deliveries')
        .where('created_at', '<', sql<Date>`now() - make_interval(days => ${deliveryDays})`)
        .execute()
    },
  }
}

const columns = [
  'id',
  'application_id as applicationId',
  'type',
  sql<Delivery['state']>`case when due_at is not null then 'pending'
    when delivered_at is null then 'failed' else 'delivered' end`.as('state'),
  'created_at as createdAt',
  'attempts',
  'tried_at as triedAt',
  'due_at as nextAt',
  'response_status as responseStatus',
  'failure',
] as const

export function createDeliveries({ db }: { db: Kysely<RegistrySchema> }): Deliveries {
  return {
    async find(id) {
      if (!isUuid(id)) return undefined
      return db
        .selectFrom('webhook_deliveries')
        .select(columns)
        .where('id', '=', id)
        .executeTakeFirst()
    },

    async list({ applicationId }) {
      if (!isUuid(applicationId)) return []
      return db
        .selectFrom('webhook_deliveries')
        .select(columns)
        .where('application_id', '=', applicationId)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(deliveriesMax)
        .execute()
    },

    async again(id) {
      const delivery = await db
        .updateTable('webhook_deliveries')
        .set({ due_at: sql`now()`, tried_since: sql`now()`, delivered_at: null })
        .where('id', '=', id)
        .returning(columns)
        .executeTakeFirst()
      if (delivery === undefined) throw new RegistryNotFound('delivery', id)
      return delivery
    },

    add: ({ applicationId, event }) =>
      db.transaction().execute(async (trx) => {
        const name = await findReceiver(trx, applicationId, undefined)
        if (name === undefined) {
          throw new RegistryConflict('no-webhook', 'the application has no webhook; set one first')
        }
        return addDelivery(trx, applicationId, event(name))
      }),
  }
}

/**
 * Queues an event in the transaction that decides whether it happened.
 *
 * @param input.kind only if the application wants alerts of this kind; undefined: always
 * @returns whether the application has a webhook that gets it
 */
export async function queueEvent(
  trx: RegistryTransaction,
  input: {
    readonly applicationId: string
    readonly kind: AlertKind | undefined
    readonly event: (applicationName: string) => WebhookMessage
  },
): Promise<boolean> {
  const { applicationId, kind, event } = input
  const name = await findReceiver(trx, applicationId, kind)
  if (name === undefined) return false
  await addDelivery(trx, applicationId, event(name))
  return true
}

/** The application's name, if it has a webhook that gets alerts of a kind. */
async function findReceiver(
  trx: RegistryTransaction,
  applicationId: string,
  kind: AlertKind | undefined,
): Promise<string | undefined> {
  const found = await trx
    .selectFrom('webhooks as w')
    .innerJoin('applications as a', 'a.id', 'w.application_id')
    .innerJoin('developers as d', 'd.id', 'a.developer_id')
    .select('a.name')
    .where('a.id', '=', applicationId)
    .where('a.suspended_at', 'is', null)
    .where('d.suspended_at', 'is', null)
    .$if(kind !== undefined, (query) =>
      query.where(sql<boolean>`${kind ?? ''} = any(a.alert_hooks)`),
    )
    .executeTakeFirst()
  return found?.name
}

async function addDelivery(
  trx: RegistryTransaction,
  applicationId: string,
  { type, body }: WebhookMessage,
): Promise<Delivery> {
  const added = await trx
    .insertInto('webhook_deliveries')
    .values({ application_id: applicationId, type, body })
    .returning(columns)
    .executeTakeFirstOrThrow()
  await sql`
    delete from webhook_deliveries where id = any(array(
      select id from webhook_deliveries where application_id = ${applicationId}
      order by created_at desc, id offset ${deliveriesMax} for update skip locked
    ))`.execute(trx)
  return added
}
