// This folder keeps accounts: developers, sign-ups, sessions, passwords, second factors and terms. Most files are one
// store. `credentials.ts` and `factors.ts` keep proofs of identity and `mail-tokens.ts` the links in emails.
// `own-data.ts` lists what an export contains. What a request must prove is decided in `portal/accounts/`, not here.

import { type Kysely, sql } from 'kysely'
import { violates } from '../../../platform/database/database.ts'
import { isUuid } from '../../../platform/database/uuid.ts'
import { noteDeleted } from '../../../registry/applications/deleted-applications.ts'
import {
  type Developer,
  developerColumns,
  lockDeveloper,
} from '../../../registry/applications/developer.ts'
import { addStaff } from '../../../registry/audit/staff.ts'
import { conflictAt } from '../../../registry/conflict-at.ts'
import { plainName } from '../../../registry/name.ts'
import { comesAfter, type Page } from '../../../registry/page.ts'
import { RegistryInputInvalid } from '../../../registry/registry-errors.ts'
import { change } from '../../../registry/transaction.ts'
import type { PortalSchema } from '../schema.ts'
import { endSessions } from './end-sessions.ts'
import { sameAddress } from './same-address.ts'

/** `by` is the actor in the audit. */
export interface Developers {
  /** @throws {RegistryConflict} email-taken, in any case of letters; {@link RegistryInputInvalid} */
  create(input: {
    email: string
    name: string
    isOperator?: boolean
    by: string
  }): Promise<Developer>
  find(id: string): Promise<Developer | undefined>
  /** Matches addresses in any case of letters. */
  findByEmail(email: string): Promise<Developer | undefined>
  /** Oldest first. */
  list(page: Page): Promise<Developer[]>
  /** Idempotent: keeps the time of the first suspension. Ends every session. @throws {RegistryNotFound} */
  suspend(input: { id: string; by: string }): Promise<Developer>
  /** Idempotent. @throws {RegistryNotFound} */
  resume(input: { id: string; by: string }): Promise<Developer>
  /** Deletes the developer with all applications, subscriptions, keys, sessions and links. @throws {RegistryNotFound} */
  delete(input: { id: string; by: string }): Promise<void>
}

export function createDevelopers({ db }: { db: Kysely<PortalSchema> }): Developers {
  const all = db.selectFrom('developers').select(developerColumns)

  async function setSuspension(id: string, by: string, isSuspended: boolean): Promise<Developer> {
    return change(db, async (trx, record) => {
      const found = await lockDeveloper(trx, id)
      if ((found.suspendedAt !== null) === isSuspended) return found
      if (isSuspended) await endSessions(trx, id, by)
      const action = isSuspended ? 'suspend' : 'resume'
      await record({ kind: 'developer', action, developerId: id }, { by })
      return trx
        .updateTable('developers')
        .set({ suspended_at: isSuspended ? sql`now()` : null })
        .where('id', '=', id)
        .returning(developerColumns)
        .executeTakeFirstOrThrow()
    })
  }

  return {
    create: ({ email, name: given, isOperator = false, by }) =>
      change(db, async (trx, record) => {
        const name = given === '' ? '' : plainName(given)
        const developer = await trx
          .insertInto('developers')
          .values({ email, name, is_operator: isOperator })
          .returning(developerColumns)
          .executeTakeFirstOrThrow()
        const { id } = developer
        const detail = {
          isOperator: String(isOperator),
          ...(isOperator ? { staffId: await addStaff(trx, developer) } : {}),
        }
        await record({ kind: 'developer', action: 'create', developerId: id }, { by, detail })
        return developer
      })
        .catch(conflictAt('developers_email', 'email-taken', 'a developer with this email exists'))
        .catch((cause: unknown) => {
          if (!violates(cause, 'developers_email_plain')) throw cause
          throw new RegistryInputInvalid('email', 'an address such as ada@example.com', { cause })
        }),

    async find(id) {
      if (!isUuid(id)) return undefined
      return all.where('id', '=', id).executeTakeFirst()
    },

    findByEmail: (email) => all.where(sameAddress(email)).executeTakeFirst(),

    async list(page) {
      return all
        .where(comesAfter('developers', page))
        .orderBy('created_at')
        .orderBy('id')
        .limit(page.limit)
        .execute()
    },

    suspend: ({ id, by }) => setSuspension(id, by, true),
    resume: ({ id, by }) => setSuspension(id, by, false),

    delete: ({ id, by }) =>
      change(db, async (trx, record) => {
        const { email } = await lockDeveloper(trx, id)
        // Links requested without a session store only the address.
        await trx.deleteFrom('mail_tokens').where(sameAddress(email)).execute()
        // In the order in which the gateways lock them for usage, to avoid a deadlock.
        const applications = await trx
          .selectFrom('applications')
          .select('id')
          .where('developer_id', '=', id)
          .orderBy('id')
          .forUpdate()
          .execute()
        await noteDeleted(
          trx,
          applications.map((application) => application.id),
        )
        await trx.deleteFrom('developers').where('id', '=', id).execute()
        await record({ kind: 'developer', action: 'delete', developerId: id }, { by })
      }),
  }
}
