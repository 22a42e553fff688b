import { type Kysely, sql } from 'kysely'
import { isUuid } from '../../../platform/database/uuid.ts'
import { RegistryConflict, RegistryNotFound } from '../../../registry/registry-errors.ts'
import type { AlertKind } from '../../../registry/schema.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'

/** Maximum number of finished deliveries kept, and of deliveries listed, for an application; deletes the oldest first. */
export const deliveriesMax = 100
/** Maximum number of waiting events of an application; deletes the oldest first. */
const waitingMax = 1_000
/** No test event is added while this many events wait, so that a test never displaces an event. */
const waitingForTestMax = 100
/** Maximum number of simultaneous attempts of a process to the webhooks of one developer. */
const placesOfDeveloper = 2
/** Minimum interval between attempts to a webhook that gave no answer. */
const restSeconds = 10
/** Days after which a delivery is deleted. */
const deliveryDays = 30

/** A delivery that this process may attempt now. */
export interface ClaimedDelivery {
  readonly id: string
  readonly applicationId: string
  readonly developerId: string
  readonly type: string
  readonly body: string
  readonly url: string
  readonly sealedSecret: Buffer
  /** This attempt included. */
  readonly attempts: number
  /** Seconds since the attempts began. */
  readonly ageSeconds: number
}

/** The outcome of an attempt. */
export interface AttemptResult {
  /** Null: no answer. */
  readonly status: number | null
  /** Reason of the failure; null: the attempt succeeded. */
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
  /** Null: there is no further attempt. */
  readonly nextAt: Date | null
  /** Status of the last attempt; null: no answer. */
  readonly responseStatus: number | null
  readonly failure: string | null
}

/** Events of all processes that wait for delivery to webhooks. All times are by the database's clock. */
export interface WebhookQueue {
  /**
   * Claims up to `max` due deliveries, at most one of each developer, and first
   * that of the developer whose last attempt is the longest ago. So neither a
   * silent receiver nor a long queue delays other developers. Skips applications
   * with an attempt in progress, developers with two, suspended applications and
   * developers, and webhooks that gave no answer in the last ten seconds. A
   * claimed delivery becomes due again after `forSeconds`. Two processes never
   * claim the same delivery at once.
   */
  claim(options: {
    max: number
    forSeconds: number
    underWay: readonly Pick<ClaimedDelivery, 'applicationId' | 'developerId'>[]
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
  /** Makes a delivery due now and restarts its day of attempts. @throws {RegistryNotFound} */
  again(id: string): Promise<Delivery>
  /** Queues a test event. @throws {RegistryConflict} no-webhook, deliveries-waiting */
  add(input: { applicationId: string; event: (name: string) => WebhookMessage }): Promise<Delivery>
}

/** An event in the queue. */
export interface WebhookMessage {
  readonly type: string
  /** JSON */
  readonly body: string
}

export function createWebhookQueue({ db }: { db: Kysely<PortalSchema> }): WebhookQueue {
  return {
    async claim({ max, forSeconds, underWay }) {
      const applications = underWay.map(({ applicationId }) => applicationId)
      const developers = underWay.map(({ developerId }) => developerId)
      const full = developers.filter(
        (id) => developers.filter((other) => other === id).length >= placesOfDeveloper,
      )
      // PostgreSQL checks `due_at` again after it locks the row, because another process may have claimed it meanwhile.
      const { rows } = await sql<ClaimedDelivery>`
        with due as materialized (
          select distinct on (d.application_id) d.id, d.due_at, d.application_id, a.developer_id
          from webhook_deliveries d
          join webhooks w on w.application_id = d.application_id
          join applications a on a.id = d.application_id
          join developers p on p.id = a.developer_id
          where d.due_at <= now() and a.suspended_at is null and p.suspended_at is null
            and a.id <> all(${applications}::uuid[]) and p.id <> all(${full}::uuid[])
            and not exists (
              select from webhook_deliveries l
              where l.application_id = a.id and l.failure is not null and l.response_status is null
                and l.tried_at > greatest(w.created_at, now() - make_interval(secs => ${restSeconds})))
          order by d.application_id, d.due_at, d.id
        ),
        turn as (
          select distinct on (due.developer_id) due.id, due.due_at, due.developer_id,
            (select max(l.tried_at) from webhook_deliveries l
              join applications o on o.id = l.application_id
              where o.developer_id = due.developer_id) as tried_at
          from due
          order by due.developer_id,
            (select max(l.tried_at) from webhook_deliveries l where l.application_id = due.application_id) nulls first,
            due.due_at, due.id
        )
        update webhook_deliveries d
        set attempts = d.attempts + 1, due_at = now() + make_interval(secs => ${forSeconds})
        from webhooks w join applications a on a.id = w.application_id
        where w.application_id = d.application_id and d.due_at <= now() and d.id = any(array(
          select id from turn
          order by developer_id = any(${developers}::uuid[]), tried_at nulls first, due_at limit ${max}
        ))
        returning d.id, d.application_id as "applicationId", a.developer_id as "developerId", d.type, d.body,
          w.url, w.sealed_secret as "sealedSecret", d.attempts,
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

export function createDeliveries({ db }: { db: Kysely<PortalSchema> }): Deliveries {
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
        .set({ due_at: sql`now()`, tried_since: sql`now()`, attempts: 0, delivered_at: null })
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
        const { waiting } = await trx
          .selectFrom('webhook_deliveries')
          .select(({ fn }) => fn.count<number>('due_at').as('waiting'))
          .where('application_id', '=', applicationId)
          .executeTakeFirstOrThrow()
        if (waiting >= waitingForTestMax) {
          throw new RegistryConflict(
            'deliveries-waiting',
            `${waitingForTestMax} events wait for the webhook already`,
            { limit: waitingForTestMax },
          )
        }
        const { added } = await addDelivery(trx, applicationId, event(name))
        return added
      }),
  }
}

/**
 * Queues an event in the transaction that decides whether it happened.
 *
 * @param input.kind only if the application wants alerts of this kind; undefined: always
 * @returns undefined: no webhook gets it; otherwise the number of older events dropped for it
 */
export async function queueEvent(
  trx: PortalTransaction,
  input: {
    readonly applicationId: string
    readonly kind: AlertKind | undefined
    readonly event: (applicationName: string) => WebhookMessage
  },
): Promise<{ readonly dropped: number } | undefined> {
  const { applicationId, kind, event } = input
  const name = await findReceiver(trx, applicationId, kind)
  if (name === undefined) return undefined
  return addDelivery(trx, applicationId, event(name))
}

/** The application's name, if it has a webhook that gets alerts of a kind. */
async function findReceiver(
  trx: PortalTransaction,
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
  trx: PortalTransaction,
  applicationId: string,
  { type, body }: WebhookMessage,
): Promise<{ readonly added: Delivery; readonly dropped: number }> {
  const added = await trx
    .insertInto('webhook_deliveries')
    .values({ application_id: applicationId, type, body })
    .returning(columns)
    .executeTakeFirstOrThrow()
  const { rows } = await sql<{ waited: boolean }>`
    delete from webhook_deliveries where id = any(array(
      select id from webhook_deliveries where id in (
        select id from (
          select id, due_at, row_number() over (
            partition by due_at is null order by created_at desc, id) as place
          from webhook_deliveries where application_id = ${applicationId}
        ) placed
        where place > case when due_at is null then ${deliveriesMax}::int else ${waitingMax}::int end
      ) for update skip locked
    ))
    returning due_at is not null as waited`.execute(trx)
  return { added, dropped: rows.filter(({ waited }) => waited).length }
}
