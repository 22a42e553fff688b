import { isUuid } from '../platform/database/uuid.ts'
import { type EntityKind, RegistryNotFound } from './registry-errors.ts'

/**
 * Reads a row that must exist, unless the id cannot be one.
 *
 * @throws {RegistryNotFound}
 */
export async function existing<Row>(
  kind: EntityKind,
  id: string,
  read: () => Promise<Row | undefined>,
): Promise<Row> {
  const row = isUuid(id) ? await read() : undefined
  if (row === undefined) throw new RegistryNotFound(kind, id)
  return row
}
