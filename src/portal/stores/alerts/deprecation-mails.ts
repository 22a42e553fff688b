import { type Kysely, sql } from 'kysely'
import type { PortalSchema, PortalTransaction } from '../schema.ts'

const byMail = sql<boolean>`'deprecations' = any(a.alert_mails)`
const byHook = sql<boolean>`'deprecations' = any(a.alert_hooks)`

/** A reminder of the end of a version; `milestone` is its permanent name. */
export interface Reminder {
  readonly api: string
  readonly version: string
  readonly milestone: string
}

/** An application with a subscription to a version, and the number of its recent admitted calls. */
export interface SubscribedApplication {
  readonly id: string
  readonly name: string
  readonly subscriptionId: string
  readonly plan: string
  readonly calls: number
  /** Whether it wants reminders by email; the choice for its webhook is separate. */
  readonly byMail: boolean
}

/** A developer to notify of a version by email, by webhook, or both. */
export interface UnremindedDeveloper {
  readonly id: string
  readonly email: string
  readonly wantsMail: boolean
}

/**
 * Developers who have not been reminded yet, with an application that is
 * subscribed to the version and wants reminders by email or webhook.
 */
export function findUnreminded(
  db: Kysely<PortalSchema>,
  { api, version, milestone, max }: Reminder & { readonly max: number },
): Promise<UnremindedDeveloper[]> {
  return db
    .selectFrom('developers as d')
    .select(['d.id', 'd.email', 'd.mails_deprecations as wantsMail'])
    .where('d.suspended_at', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('applications as a')
          .innerJoin('subscriptions as s', 's.application_id', 'a.id')
          .select('s.id')
          .whereRef('a.developer_id', '=', 'd.id')
          .where('s.api', '=', api)
          .where('s.version', '=', version)
          .where('s.ended_at', 'is', null)
          .where(
            sql<boolean>`(d.mails_deprecations and ${byMail}) or (${byHook} and exists (
              select from webhooks w where w.application_id = a.id))`,
          ),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('deprecation_mails as m')
            .select('m.milestone')
            .whereRef('m.developer_id', '=', 'd.id')
            .where('m.api', '=', api)
            .where('m.version', '=', version)
            .where('m.milestone', '=', milestone),
        ),
      ),
    )
    .orderBy('d.id')
    .limit(max)
    .execute()
}

/**
 * Records that a developer gets a reminder. Waits for another transaction that
 * is recording it.
 *
 * @returns false if it was recorded before
 */
export async function noteReminder(
  trx: PortalTransaction,
  { api, version, milestone, developerId }: Reminder & { readonly developerId: string },
): Promise<boolean> {
  const noted = await trx
    .insertInto('deprecation_mails')
    .values({ developer_id: developerId, api, version, milestone })
    .onConflict((conflict) => conflict.doNothing())
    .returning('milestone')
    .executeTakeFirst()
  return noted !== undefined
}

/** A developer's applications that are subscribed to a version, oldest first. */
export async function listSubscribed(
  trx: PortalTransaction,
  options: {
    readonly developerId: string
    readonly api: string
    readonly version: string
    readonly since: Date
  },
): Promise<SubscribedApplication[]> {
  const { developerId, api, version, since } = options
  const { rows } = await sql<SubscribedApplication>`
    select a.id, a.name, s.id as "subscriptionId", s.plan, (
      select coalesce(sum(u.admitted), 0)::int8 from usage_days u
      where u.application_id = a.id and u.at >= ${since} and u.api = ${api} and u.version = ${version}
    ) as calls, ${byMail} as "byMail"
    from applications a
    join subscriptions s on s.application_id = a.id
    where a.developer_id = ${developerId} and s.api = ${api} and s.version = ${version} and s.ended_at is null
    order by a.created_at, a.id`.execute(trx)
  return rows
}
