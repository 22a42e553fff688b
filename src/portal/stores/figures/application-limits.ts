import { type RawBuilder, sql } from 'kysely'
import type { LimitOverride } from '../../../registry/applications/overrides.ts'

/** What decides how many calls an application has left. */
export interface ApplicationLimits {
  readonly subscriptions: readonly {
    readonly api: string
    readonly version: string
    readonly plan: string
  }[]
  readonly overrides: readonly Pick<
    LimitOverride,
    'api' | 'version' | 'limit' | 'calls' | 'expiresAt'
  >[]
}

/** The columns of {@link limitsColumns}, as PostgreSQL answers them. */
export interface LimitsRow extends Omit<ApplicationLimits, 'overrides'> {
  readonly overrides: readonly (Omit<ApplicationLimits['overrides'][number], 'expiresAt'> & {
    readonly expiresAtMs: number
  })[]
}

/**
 * Columns with the active subscriptions and overrides of the application that a row is about.
 *
 * @param id the column with its id, `active.id`
 */
export function limitsColumns(id: string): RawBuilder<LimitsRow> {
  return sql`
    coalesce((select jsonb_agg(jsonb_build_object('api', s.api, 'version', s.version, 'plan', s.plan))
      from subscriptions s where s.application_id = ${sql.ref(id)} and s.ended_at is null), '[]') as subscriptions,
    coalesce((select jsonb_agg(jsonb_build_object('api', o.api, 'version', o.version, 'limit', o.limit_name,
        'calls', o.calls, 'expiresAtMs', extract(epoch from o.expires_at) * 1000))
      from limit_overrides o where o.application_id = ${sql.ref(id)} and o.ended_at is null), '[]') as overrides`
}

/** Reads a row with {@link limitsColumns}; its other members stay as they are. */
export function readLimits<Row extends LimitsRow>({
  overrides,
  ...row
}: Row): Omit<Row, 'overrides'> & Pick<ApplicationLimits, 'overrides'> {
  return {
    ...row,
    overrides: overrides.map(({ expiresAtMs, ...override }) => ({
      ...override,
      expiresAt: new Date(expiresAtMs),
    })),
  }
}
