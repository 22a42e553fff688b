import { type Kysely, sql } from 'kysely'
import { type Developer, developerColumns, lockDeveloper } from './developers.ts'
import type { RegistrySchema } from './schema.ts'
import { change } from './transaction.ts'

/** Developers who may act for the operator of the gateway. `by` is the actor in the audit. */
export interface Operators {
  /** Oldest account first. */
  list(): Promise<Developer[]>
  /** Idempotent. Also approves a developer who waits for approval. @throws {RegistryNotFound} */
  add(input: { id: string; by: string }): Promise<Developer>
  /** Idempotent; applies from the next request of a session. @throws {RegistryNotFound} */
  remove(input: { id: string; by: string }): Promise<Developer>
}

export function createOperators({ db }: { db: Kysely<RegistrySchema> }): Operators {
  function setOperator(id: string, by: string, isOperator: boolean): Promise<Developer> {
    return change(db, async (trx, leave) => {
      const found = await lockDeveloper(trx, id)
      if (found.isOperator === isOperator) return found
      await leave({
        change: { kind: 'developer', action: 'update', developerId: id },
        audit: {
          actor: by,
          action: isOperator ? 'operator.add' : 'operator.remove',
          subject: `developer:${id}`,
          detail: { isOperator: String(isOperator) },
        },
      })
      return trx
        .updateTable('developers')
        .set({ is_operator: isOperator })
        .$if(isOperator, (query) => query.set({ approved_at: sql`coalesce(approved_at, now())` }))
        .where('id', '=', id)
        .returning(developerColumns)
        .executeTakeFirstOrThrow()
    })
  }

  return {
    list: () =>
      db
        .selectFrom('developers')
        .select(developerColumns)
        .where('is_operator', '=', true)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
    add: ({ id, by }) => setOperator(id, by, true),
    remove: ({ id, by }) => setOperator(id, by, false),
  }
}
