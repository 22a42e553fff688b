import { type Kysely, sql } from 'kysely'
import {
  type Developer,
  developerColumns,
  lockDeveloper,
} from '../../../registry/applications/developer.ts'
import { addStaff } from '../../../registry/audit/staff.ts'
import { change, type Recorder } from '../../../registry/transaction.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'
import { endSessions } from './end-sessions.ts'

/** Developers who may act for the operator of the gateway. `by` is the actor in the audit. */
export interface Operators {
  /** Oldest account first. */
  list(): Promise<Developer[]>
  /**
   * Idempotent. Also approves a developer who waits for approval, gives the
   * operator a staff id, which the audit names from now on, and ends every
   * session: an operator signs in as one, with a second factor.
   *
   * @param input.staffId the bank's personnel number; without it, a random id
   * @throws {RegistryNotFound} | {RegistryConflict} staff-id-taken
   */
  add(input: { id: string; staffId?: string | undefined; by: string }): Promise<Developer>
  /** Idempotent; applies from the next request of a session. @throws {RegistryNotFound} */
  remove(input: { id: string; by: string }): Promise<Developer>
}

export function createOperators({ db }: { db: Kysely<PortalSchema> }): Operators {
  function setOperator(
    { id, staffId, by }: { id: string; staffId?: string | undefined; by: string },
    isOperator: boolean,
  ): Promise<Developer> {
    return change(db, async (trx, record) =>
      changeOperator(trx, record, { found: await lockDeveloper(trx, id), isOperator, staffId, by }),
    )
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
    add: (input) => setOperator(input, true),
    remove: (input) => setOperator(input, false),
  }
}

/** Gives or takes the role, in the transaction of a change that has locked the developer. Idempotent. */
export async function changeOperator(
  trx: PortalTransaction,
  record: Recorder,
  input: {
    readonly found: Developer
    readonly isOperator: boolean
    readonly staffId?: string | undefined
    readonly by: string
  },
): Promise<Developer> {
  const { found, isOperator, by } = input
  const { id } = found
  const staffId = isOperator ? await addStaff(trx, found, input.staffId) : undefined
  if (found.isOperator === isOperator) return found
  if (isOperator) await endSessions(trx, id, by)
  const action = isOperator ? 'operator.add' : 'operator.remove'
  const detail = {
    isOperator: String(isOperator),
    ...(staffId === undefined ? {} : { staffId }),
  }
  await record({ kind: 'developer', action: 'update', developerId: id }, { by, action, detail })
  return trx
    .updateTable('developers')
    .set({ is_operator: isOperator })
    .$if(isOperator, (query) => query.set({ approved_at: sql`coalesce(approved_at, now())` }))
    .where('id', '=', id)
    .returning(developerColumns)
    .executeTakeFirstOrThrow()
}
