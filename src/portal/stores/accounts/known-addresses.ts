import { type Kysely, sql } from 'kysely'
import type { PortalSchema } from '../schema.ts'

/**
 * Which of these addresses the registry still has: as a developer's, or in a
 * link that works. Ignores case.
 */
export async function findKnownAddresses(
  db: Kysely<PortalSchema>,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ address: string }>`
    select address from unnest(${addresses}::text[]) as given(address)
    where exists (select from developers where lower(email) = lower(address))
      or exists (
        select from mail_tokens
        where lower(email) = lower(address) and used_at is null and expires_at > now()
      )`.execute(db)
  return new Set(rows.map(({ address }) => address))
}
