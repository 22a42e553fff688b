import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../schema.ts'

/** Calls of an application to an operation in an hour, under limits that are only rehearsed. */
export interface RehearsedUsage {
  /** Start of the hour, UTC. */
  readonly at: Date
  readonly applicationId: string
  readonly applicationName: string
  readonly api: string
  readonly version: string
  readonly operation: string
  /** Counted under the rehearsed limits. */
  readonly calls: number
  /** The part that they would have refused. */
  readonly wouldRefuse: number
  /** What the enforced limits refused in that hour. */
  readonly refused: number
}

export interface RehearsedRange {
  /** Hours that begin in `[from, to)`. */
  readonly from: Date
  readonly to: Date
  /** (Default: all) */
  readonly applicationId?: string | undefined
}

/** What rehearsed limits would have refused, a few seconds behind. */
export interface RehearsedUsages {
  /** Oldest first, then ordered by name. Hours in which nothing was rehearsed are missing. */
  byHour(range: RehearsedRange): Promise<RehearsedUsage[]>
}

export function createRehearsedUsages({ db }: { db: Kysely<RegistrySchema> }): RehearsedUsages {
  return {
    byHour: ({ from, to, applicationId }) =>
      db
        .selectFrom('usage_hours')
        .innerJoin('applications', 'applications.id', 'usage_hours.application_id')
        .select([
          'usage_hours.at',
          'applications.id as applicationId',
          'applications.name as applicationName',
          'usage_hours.api',
          'usage_hours.version',
          'usage_hours.operation',
          'usage_hours.rehearsed as calls',
          'usage_hours.rehearsed_refused as wouldRefuse',
          'usage_hours.refused_by_limit as refused',
        ])
        .where('usage_hours.at', '>=', sql<Date>`date_trunc('hour', ${from}::timestamptz, 'UTC')`)
        .where('usage_hours.at', '<', to)
        .where('usage_hours.rehearsed', '>', 0)
        .$if(applicationId !== undefined, (query) =>
          query.where('applications.id', '=', applicationId ?? ''),
        )
        .orderBy('usage_hours.at')
        .orderBy('applications.name')
        .orderBy('applications.id')
        .orderBy('usage_hours.api')
        .orderBy('usage_hours.version')
        .orderBy('usage_hours.operation')
        .execute(),
  }
}
