import { type Kysely, sql } from 'kysely'
import type { PortalSchema } from '../schema.ts'

/** What an application did in the last 24 hours and has now. */
export interface ApplicationSummary {
  readonly applicationId: string
  /** Hours with calls. */
  readonly hours: readonly ActiveHour[]
  readonly workingKeys: number
  /** Active subscriptions, in the order in which they began. */
  readonly versions: readonly { readonly api: string; readonly version: string }[]
  /**
   * Null: never. Less exact without a recorded call, as a day later: then the
   * last use of a key counts, perhaps by a drill.
   */
  readonly lastCallAt: Date | null
}

/** Calls of one hour. */
export interface ActiveHour {
  /** Hours since 1970. */
  readonly hour: number
  readonly admitted: number
  readonly refused: number
}

export interface ApplicationSummaries {
  /** Lists the summaries of a developer's applications, at most 100, oldest first. */
  list(options: {
    readonly developerId: string
    /** The first hour of interest. */
    readonly from: Date
    readonly now: Date
  }): Promise<ApplicationSummary[]>
}

const applicationsMax = 100

/** Reads what the gateways have written; works while no gateway runs. */
export function createApplicationSummaries({
  db,
}: {
  db: Kysely<PortalSchema>
}): ApplicationSummaries {
  return {
    async list({ developerId, from, now }) {
      const { rows } = await sql<ApplicationSummary>`
        select a.id as "applicationId", usage.hours, keys.working as "workingKeys", subscribed.versions,
          coalesce(recorded.at, keys.used_at) as "lastCallAt"
        from applications a
        cross join lateral (
          select coalesce(json_agg(json_build_object('hour', hour, 'admitted', admitted, 'refused', refused)), '[]') as hours
          from (
            select (extract(epoch from at) / 3600)::int as hour, sum(u.admitted) as admitted, sum(u.refused) as refused
            from usage_hours u where u.application_id = a.id and u.at >= ${from} group by at
          ) by_hour
        ) usage
        cross join lateral (
          select
            count(*) filter (where session_id is null and revoked_at is null and (expires_at is null or expires_at > ${now})) as working,
            max(last_used_at) as used_at
          from api_keys k where k.application_id = a.id
        ) keys
        cross join lateral (
          select coalesce(json_agg(json_build_object('api', api, 'version', version) order by created_at, id), '[]') as versions
          from subscriptions s where s.application_id = a.id and ended_at is null
        ) subscribed
        cross join lateral (
          select max(at) as at from call_records r where r.application_id = a.id and r.drill is null
        ) recorded
        where a.developer_id = ${developerId}
        order by a.created_at, a.id
        limit ${applicationsMax}`.execute(db)
      return rows
    },
  }
}
