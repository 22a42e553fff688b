import type { RegistryTransaction } from './transaction.ts'

/** Calls of one operation that its limit refused on one day. */
export interface RefusedByLimit {
  readonly applicationId: string
  readonly applicationName: string
  readonly api: string
  readonly version: string
  readonly operation: string
  readonly refused: number
}

/** Developers with such calls who want a mail about them, ordered by id. */
export async function findLimitedDevelopers(
  trx: RegistryTransaction,
  { day, after, max }: { readonly day: string; readonly after: string; readonly max: number },
): Promise<{ id: string; email: string }[]> {
  return trx
    .selectFrom('developers as d')
    .select(['d.id', 'd.email'])
    .where('d.id', '>', after)
    .where('d.mails_limits', '=', true)
    .where('d.suspended_at', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('applications as a')
          .innerJoin('usage_days as u', 'u.application_id', 'a.id')
          .select('u.at')
          .whereRef('a.developer_id', '=', 'd.id')
          .where('u.at', '=', startOf(day))
          .where('u.refused_by_limit', '>', 0),
      ),
    )
    .orderBy('d.id')
    .limit(max)
    .execute()
}

/** By application, most refused first. */
export async function listRefusedByLimit(
  trx: RegistryTransaction,
  { day, developerId }: { readonly day: string; readonly developerId: string },
): Promise<RefusedByLimit[]> {
  return trx
    .selectFrom('applications as a')
    .innerJoin('usage_days as u', 'u.application_id', 'a.id')
    .select([
      'a.id as applicationId',
      'a.name as applicationName',
      'u.api',
      'u.version',
      'u.operation',
      'u.refused_by_limit as refused',
    ])
    .where('a.developer_id', '=', developerId)
    .where('u.at', '=', startOf(day))
    .where('u.refused_by_limit', '>', 0)
    .orderBy('a.created_at')
    .orderBy('a.id')
    .orderBy('u.refused_by_limit', 'desc')
    .orderBy('u.operation')
    .execute()
}

function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`)
}
