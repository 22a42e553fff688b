import { type Kysely, sql } from 'kysely'
import { recordAudit } from './audit.ts'
import type { RegistrySchema } from './schema.ts'

/** Whether somebody new may sign up: at once, after an operator's approval, or not at all. */
export const signUpModes = ['open', 'approval', 'off'] as const
export type SignUpMode = (typeof signUpModes)[number]

/** The switches an operator turns. */
export interface PortalState {
  /** `open` until an operator says otherwise. */
  signUpMode(): Promise<SignUpMode>
  /** Idempotent; in force for every portal process with the next sign-up. `by` is the actor of the audit. */
  setSignUpMode(input: { mode: SignUpMode; by: string }): Promise<void>
}

const signUp = 'sign-up'

export function createPortalState({ db }: { db: Kysely<RegistrySchema> }): PortalState {
  return {
    async signUpMode() {
      const row = await db
        .selectFrom('portal_state')
        .select('value')
        .where('name', '=', signUp)
        .executeTakeFirst()
      return row === undefined ? 'open' : modeOf(row.value)
    },

    setSignUpMode: ({ mode, by }) =>
      db.transaction().execute(async (trx) => {
        // A row there is to lock, so that two who switch at once leave entries that fit together.
        await trx
          .insertInto('portal_state')
          .values({ name: signUp, value: 'open' })
          .onConflict((conflict) => conflict.column('name').doNothing())
          .execute()
        const { value } = await trx
          .selectFrom('portal_state')
          .select('value')
          .where('name', '=', signUp)
          .forUpdate()
          .executeTakeFirstOrThrow()
        if (value === mode) return
        await trx
          .updateTable('portal_state')
          .set({ value: mode, changed_at: sql`now()` })
          .where('name', '=', signUp)
          .execute()
        const detail = { before: value, mode }
        await recordAudit(trx, {
          actor: by,
          action: 'sign-up.switch',
          subject: 'portal:all',
          detail,
        })
      }),
  }
}

/** What nobody can have written by this program lets nobody in. */
function modeOf(value: string): SignUpMode {
  return signUpModes.find((mode) => mode === value) ?? 'off'
}
