import { existing } from '../existing.ts'
import type { RegistryTransaction } from '../transaction.ts'

/** A person who signed up and owns applications. */
export interface Developer {
  readonly id: string
  readonly email: string
  readonly name: string
  /** May act for the operator of the gateway. */
  readonly isOperator: boolean
  readonly createdAt: Date
  /** While set, none of the developer's applications may call. */
  readonly suspendedAt: Date | null
}

/** The columns of a {@link Developer}. */
export const developerColumns = [
  'id',
  'email',
  'name',
  'is_operator as isOperator',
  'created_at as createdAt',
  'suspended_at as suspendedAt',
] as const

/**
 * Locks a developer's row until the transaction ends, so that only one
 * transaction at a time can count the developer's applications and add one.
 *
 * @throws {RegistryNotFound}
 */
export function lockDeveloper(trx: RegistryTransaction, id: string): Promise<Developer> {
  return existing('developer', id, () =>
    trx
      .selectFrom('developers')
      .select(developerColumns)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst(),
  )
}
