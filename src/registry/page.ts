import { type RawBuilder, sql } from 'kysely'
import { isUuid } from '../platform/database/uuid.ts'
import { RegistryInputInvalid } from './registry-errors.ts'

/** A page of a list. Lists are ordered by creation, oldest first. */
export interface Page {
  /** Maximum number of rows. */
  readonly limit: number
  /** The id of the last row on the previous page. */
  readonly after?: string | undefined
}

/**
 * The condition that a row comes after the last one already read.
 *
 * @param developerId the owner of the list; another developer's row counts as
 * unknown
 * @throws {RegistryInputInvalid} when `after` is not an id
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
