import { type RawBuilder, sql } from 'kysely'

/**
 * The condition that the `email` of a row equals this address, ignoring case.
 * Has the same form as the indexes on addresses.
 */
export function sameAddress(email: string): RawBuilder<boolean> {
  return sql<boolean>`lower(email) = lower(${email})`
}
