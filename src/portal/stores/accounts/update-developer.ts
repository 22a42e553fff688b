import type { Kysely, Updateable } from 'kysely'
import type { PortalSchema } from '../schema.ts'

/** Changes columns of one developer; of none if there is no such developer. */
export async function updateDeveloper(
  db: Kysely<PortalSchema>,
  id: string,
  values: Updateable<PortalSchema['developers']>,
): Promise<void> {
  await db.updateTable('developers').set(values).where('id', '=', id).execute()
}
