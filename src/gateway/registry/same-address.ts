import { type RawBuilder, sql } from 'kysely'

/**
 * The condition that the `email` of a row is this address: upper and lower case
 * are one. Written as the indexes on addresses are.
 */
export function sameAddress(email: string): RawBuilder<boolean> {
  return sql<boolean>`lower(email) = lower(${email})`
}
