import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { violates } from '../../platform/database/database.ts'
import type { Developer } from '../applications/developer.ts'
import { RegistryConflict, RegistryInputInvalid } from '../registry-errors.ts'
import type { RegistrySchema } from '../schema.ts'
import type { RegistryTransaction } from '../transaction.ts'

/** A person who is or was an operator. The audit names the id; it stays when the account is deleted. */
export interface StaffMember {
  readonly id: string
  readonly developerId: string
  /** Address and name when the person became an operator. */
  readonly email: string
  readonly name: string
  readonly addedAt: Date
  readonly isOperator: boolean
  /** Whether the account was deleted. */
  readonly isGone: boolean
}

/** Staff ids of operators. */
export interface Staff {
  /** Oldest first. */
  list(): Promise<StaffMember[]>
}

export function createStaff({ db }: { readonly db: Kysely<RegistrySchema> }): Staff {
  return {
    list: () =>
      db
        .selectFrom('staff')
        .leftJoin('developers', 'developers.id', 'staff.developer_id')
        .select([
          'staff.id',
          'staff.developer_id as developerId',
          'staff.email',
          'staff.name',
          'staff.added_at as addedAt',
          sql<boolean>`coalesce(developers.is_operator, false)`.as('isOperator'),
          sql<boolean>`developers.id is null`.as('isGone'),
        ])
        .orderBy('staff.added_at')
        .orderBy('staff.id')
        .execute(),
  }
}

/**
 * Gives a new operator a staff id, in the transaction of the change. An operator
 * who has one keeps it.
 *
 * @param wanted the bank's personnel number; without it, a random id
 * @returns the staff id
 * @throws {RegistryConflict} staff-id-taken; {@link RegistryInputInvalid}
 */
export async function addStaff(
  trx: RegistryTransaction,
  { id: developerId, email, name }: Pick<Developer, 'id' | 'email' | 'name'>,
  wanted?: string,
): Promise<string> {
  const known = await findStaffId(trx, developerId)
  if (known !== undefined) {
    if (wanted === undefined || wanted === known) return known
    throw new RegistryConflict(
      'staff-id-taken',
      `the operator has the staff id ${known}, which the audit log names; it cannot change`,
    )
  }
  const id = wanted ?? `S-${randomBytes(6).toString('hex').toUpperCase()}`
  try {
    await trx.insertInto('staff').values({ id, developer_id: developerId, email, name }).execute()
  } catch (cause) {
    if (violates(cause, 'staff_pkey')) {
      throw new RegistryConflict('staff-id-taken', `the staff id ${id} belongs to another person`, {
        cause,
      })
    }
    if (violates(cause, 'staff_id_plain')) {
      throw new RegistryInputInvalid('staffId', staffIdRule, { cause })
    }
    throw cause
  }
  return id
}

const staffIdRule = '1 to 64 letters, digits, dots, hyphens or underscores'

async function findStaffId(
  trx: RegistryTransaction,
  developerId: string,
): Promise<string | undefined> {
  const row = await trx
    .selectFrom('staff')
    .select('id')
    .where('developer_id', '=', developerId)
    .executeTakeFirst()
  return row?.id
}
