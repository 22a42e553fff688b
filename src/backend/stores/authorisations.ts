import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import { authorisationTransitions } from '../domain/authorisation.ts'
import { openStates } from '../domain/transitions.ts'
import type { AuthorisationTable, BankSchema } from './schema.ts'

export type Authorisation = Selectable<AuthorisationTable>

/** The resource that an authorisation approves. */
export type Parent =
  | { readonly kind: 'payment'; readonly id: string }
  | { readonly kind: 'consent'; readonly id: string }
  | { readonly kind: 'mandate'; readonly id: string }

const columns = { payment: 'paymentId', consent: 'consentId', mandate: 'mandateId' } as const
const open = openStates(authorisationTransitions)

/** The parent of an authorisation; a constraint ensures exactly one. */
export function parentOf(authorisation: Authorisation): Parent {
  const { paymentId, consentId, mandateId } = authorisation
  if (paymentId !== null) return { kind: 'payment', id: paymentId }
  if (consentId !== null) return { kind: 'consent', id: consentId }
  if (mandateId !== null) return { kind: 'mandate', id: mandateId }
  throw new Error(`authorisation ${authorisation.id} has no parent`)
}

export function createAuthorisationStore(db: Kysely<BankSchema>) {
  return {
    async insert(
      parent: Parent,
      authorisation: Omit<
        Insertable<AuthorisationTable>,
        'paymentId' | 'consentId' | 'mandateId' | 'passwordFailures' | 'otpFailures'
      >,
    ): Promise<void> {
      const none = { paymentId: null, consentId: null, mandateId: null }
      await db
        .insertInto('authorisations')
        .values({ ...authorisation, ...none, [columns[parent.kind]]: parent.id })
        .execute()
    },

    find(id: string): Promise<Authorisation | undefined> {
      return db.selectFrom('authorisations').selectAll().where('id', '=', id).executeTakeFirst()
    },

    /** The parent must be locked: its lock orders all changes of its authorisations. */
    async update(id: string, change: Updateable<AuthorisationTable>): Promise<void> {
      await db.updateTable('authorisations').set(change).where('id', '=', id).execute()
    },

    /** Fails the undecided authorisations of a parent that no longer needs approval. The parent must be locked. */
    async failOpen(parent: Parent): Promise<void> {
      await db
        .updateTable('authorisations')
        .set({ status: 'failed' })
        .where(columns[parent.kind], '=', parent.id)
        .where('status', 'in', open)
        .execute()
    },
  }
}
