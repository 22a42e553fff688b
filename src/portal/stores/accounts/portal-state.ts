import { type Kysely, sql } from 'kysely'
import { recordAudit } from '../../../registry/audit/audit.ts'
import type { PortalSchema } from '../schema.ts'

/** How new developers may sign up: at once, after an operator's approval, or not at all. */
export const signUpModes = ['open', 'approval', 'off'] as const
export type SignUpMode = (typeof signUpModes)[number]

/** The operator's switches. */
export interface PortalState {
  /** `open` until an operator changes it. */
  signUpMode(): Promise<SignUpMode>
  /** Idempotent; applies to every portal process from the next sign-up. `by` is the actor in the audit. */
  setSignUpMode(input: { mode: SignUpMode; by: string }): Promise<void>
}

const signUp = 'sign-up'

export function createPortalState({ db }: { db: Kysely<PortalSchema> }): PortalState {
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
        // Creates a row to lock, so that two simultaneous switches leave consistent audit entries.
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

/** An unknown value, which this program never writes, counts as off. */
function modeOf(value: string): SignUpMode {
  return signUpModes.find((mode) => mode === value) ?? 'off'
}
