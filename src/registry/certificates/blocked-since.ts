import { type RawBuilder, sql } from 'kysely'

/**
 * Since when the certificate of a row is blocked; null: not blocked. Its
 * holder can change the thumbprint, so the signed part counts, too.
 *
 * @param row the alias of the table `certificates`
 */
export function blockedSince(row: string): RawBuilder<Date | null> {
  return sql`(
    select min(b.blocked_at) from blocked_certificates b
    where b.thumbprint = ${sql.ref(`${row}.thumbprint`)}
      or b.signed_digest = ${sql.ref(`${row}.signed_digest`)})`
}
