// This folder reads figures for the portal's pages from what gateways and developers wrote; it changes nothing. This
// file, `refusals.ts` and `directory.ts` are for operators, `application-summaries.ts` and `application-figures.ts`
// are about single applications, and `party-names.ts` finds names for the audit. It works while no gateway runs.

import { type Kysely, sql } from 'kysely'
import type { LimitOverride } from '../../../registry/applications/overrides.ts'
import type { PortalSchema } from '../schema.ts'
import type { Caller } from './application-figures.ts'

/** Calls of all applications in one hour. */
export interface HourOfCalls {
  readonly at: Date
  readonly admitted: number
  readonly refused: number
  /** Admitted calls that were answered with 5xx or incompletely. */
  readonly errors: number
  /** Admitted calls that the backend answered with 4xx. */
  readonly clientErrors: number
}

/** What there is. */
export interface RegisteredCounts {
  readonly developers: number
  readonly newDevelopers: number
  readonly applications: number
  readonly suspendedApplications: number
  readonly subscriptions: number
  readonly overrides: number
}

/** What waits for an operator. */
export interface WaitingCounts {
  /** Developers who wait for approval. */
  readonly developers: number
  /** Open requests for more calls. */
  readonly limitRequests: number
}

/** An application that called a version. */
export interface VersionCaller extends Caller {
  readonly api: string
  readonly version: string
  /** Calls of the period, refused ones included. */
  readonly calls: number
  /** The last day or hour with a call. */
  readonly lastCallAt: Date
}

/** Active subscriptions to a plan of a version. */
export interface PlanUse {
  readonly api: string
  readonly version: string
  readonly plan: string
  readonly subscriptions: number
}

/** An override that applies now. */
export interface ActiveOverride extends Omit<LimitOverride, 'createdBy' | 'createdAt'> {
  readonly applicationName: string
}

/** Figures over all developers, from the database alone; a few seconds behind. */
export interface OperatorFigures {
  /** Hours since `from`, oldest first; hours without calls are missing. */
  hours(from: Date): Promise<HourOfCalls[]>
  /** @param newSince developers from then on count as new */
  counts(newSince: Date): Promise<RegisteredCounts>
  waiting(): Promise<WaitingCounts>
  /** Applications that called a version since `from`, most calls first, at most 500. */
  versionCallers(from: Date): Promise<VersionCaller[]>
  planUse(): Promise<PlanUse[]>
  /** Those that end first come first; at most 500. */
  activeOverrides(): Promise<ActiveOverride[]>
}

export function createOperatorFigures({ db }: { db: Kysely<PortalSchema> }): OperatorFigures {
  return {
    async hours(from) {
      const { rows } = await sql<HourOfCalls>`
        select at, sum(admitted)::bigint as admitted, sum(refused)::bigint as refused,
          sum(errors)::bigint as errors, sum(client_errors)::bigint as "clientErrors"
        from usage_hours where at >= ${from} group by at order by at`.execute(db)
      return rows
    },

    async counts(newSince) {
      const { rows } = await sql<RegisteredCounts>`
        select
          (select count(*) from developers) as developers,
          (select count(*) from developers where created_at >= ${newSince}) as "newDevelopers",
          (select count(*) from applications) as applications,
          (select count(*) from applications where suspended_at is not null)
            as "suspendedApplications",
          (select count(*) from subscriptions where ended_at is null) as subscriptions,
          (select count(*) from limit_overrides where ended_at is null and expires_at > now())
            as overrides`.execute(db)
      const [counts] = rows
      if (counts === undefined) throw new Error('a select without a table gives one row')
      return counts
    },

    async waiting() {
      const { rows } = await sql<WaitingCounts>`
        select
          (select count(*) from developers where approved_at is null) as developers,
          (select count(*) from limit_requests where state = 'open') as "limitRequests"`.execute(db)
      const [counts] = rows
      if (counts === undefined) throw new Error('a select without a table gives one row')
      return counts
    },

    async versionCallers(from) {
      const { rows } = await sql<VersionCaller>`
        select u.api, u.version, a.id as "applicationId", a.name as "applicationName",
          d.email as "developerEmail", sum(u.admitted + u.refused)::bigint as calls,
          max(u.at) as "lastCallAt"
        from usage_hours u
        join applications a on a.id = u.application_id
        join developers d on d.id = a.developer_id
        where u.at >= ${from} and u.version <> ''
        group by u.api, u.version, a.id, d.id
        order by calls desc, a.id
        limit 500`.execute(db)
      return rows
    },

    async planUse() {
      const { rows } = await sql<PlanUse>`
        select api, version, plan, count(*) as subscriptions from subscriptions
        where ended_at is null group by api, version, plan order by api, version, plan`.execute(db)
      return rows
    },

    async activeOverrides() {
      const { rows } = await sql<ActiveOverride>`
        select o.id, a.id as "applicationId", a.name as "applicationName", o.api, o.version,
          o.limit_name as "limit", o.calls, o.reason, o.expires_at as "expiresAt"
        from limit_overrides o join applications a on a.id = o.application_id
        where o.ended_at is null and o.expires_at > now()
        order by o.expires_at, o.id limit 500`.execute(db)
      return rows
    },
  }
}
