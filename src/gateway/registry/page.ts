import { type RawBuilder, sql } from 'kysely'
import { RegistryInputInvalid } from './registry-errors.ts'
import { isUuid } from './transaction.ts'

/** A piece of a list. Lists are ordered by creation, oldest first. */
export interface Page {
  /** Rows at most. */
  readonly limit: number
  /** The id of the last row already seen. */
  readonly after?: string | undefined
}

/**
 * The condition that a row comes after the last one seen.
 *
 * @param developerId whose list it is: somebody else's row is as unknown as none
 * @throws {RegistryInputInvalid} when that is no id
 */
export function comesAfter(
  table: 'developers' | 'applications',
  { after, developerId }: Page & { developerId?: string | undefined },
): RawBuilder<boolean> {
  if (after === undefined) return sql<boolean>`true`
  if (!isUuid(after)) throw new RegistryInputInvalid('after', 'the id of a listed item')
  const isOwn = developerId === undefined ? sql`true` : sql`developer_id = ${developerId}`
  return sql<boolean>`(created_at, id) > (select created_at, id from ${sql.table(table)} where id = ${after} and ${isOwn})`
}
