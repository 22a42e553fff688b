import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { Grant, Right } from '../domain/access.ts'
import { consentTransitions } from '../domain/consent.ts'
import { after, openStates } from '../domain/transitions.ts'
import type { BankSchema, ConsentTable } from './schema.ts'

export type Consent = Selectable<ConsentTable>

/** What a consent grants, by resource. */
export interface ConsentWithRights {
  readonly consent: Consent
  readonly rights: ReadonlyMap<string, ReadonlySet<Right>>
  /** Whether somebody, of any resource, has answered on a device and that was not written down yet. */
  readonly isDue: boolean
}

type AccessRow = Pick<Selectable<BankSchema['consentAccess']>, 'resourceId' | 'rightName'>

const expirable = openStates(consentTransitions).filter(
  (state) => after(consentTransitions, state, 'expire') !== undefined,
)

/** Consents, what they grant and how often they were used. */
export function createConsentStore(db: Kysely<BankSchema>) {
  return {
    async insert(consent: Insertable<ConsentTable>): Promise<void> {
      await db.insertInto('consents').values(consent).execute()
    },

    find(id: string): Promise<Consent | undefined> {
      return db.selectFrom('consents').selectAll().where('id', '=', id).executeTakeFirst()
    },

    /** Reads a consent and holds it until the transaction ends. */
    lock(id: string): Promise<Consent | undefined> {
      return db
        .selectFrom('consents')
        .selectAll()
        .where('id', '=', id)
        .forNoKeyUpdate()
        .executeTakeFirst()
    },

    async update(id: string, change: Updateable<ConsentTable>): Promise<void> {
      await db.updateTable('consents').set(change).where('id', '=', id).execute()
    },

    /** Ends the other recurring consents of the person for the TPP that were approved. The person must be locked. */
    async supersede(by: Consent, psuId: string, today: string): Promise<void> {
      await db
        .updateTable('consents')
        .set({ status: 'expired', lastActionDay: today })
        .where('applicationId', '=', by.applicationId)
        .where('psuId', '=', psuId)
        .where('recurring', '=', true)
        .where('status', 'in', expirable)
        .where('id', '<>', by.id)
        .execute()
    },

    /**
     * Holds the older recurring consents of the person for the TPP that wait for
     * approval. One that somebody else holds is being decided now, so it is left
     * out: waiting for it could wait for ever.
     */
    async lockWaiting(by: Consent, psuId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('consents')
        .select('id')
        .where('applicationId', '=', by.applicationId)
        .where('psuId', '=', psuId)
        .where('recurring', '=', true)
        .where('status', '=', 'received')
        .where('createdAt', '<', by.createdAt)
        .where('id', '<>', by.id)
        .forNoKeyUpdate()
        .skipLocked()
        .execute()
      return rows.map(({ id }) => id)
    },

    /** Ids of at most 100 consents whose time is over on `today`, or that were first used by `usedUp`, but not written down as ended. */
    async due(today: string, usedUp: Date): Promise<string[]> {
      const rows = await db
        .selectFrom('consents')
        .select('id')
        .where('status', 'in', expirable)
        .where((any) =>
          any.or([
            any('validUntil', '<', today),
            any.and([any('recurring', '=', false), any('firstUsedAt', '<=', usedUp)]),
          ]),
        )
        .limit(100)
        .execute()
      return rows.map(({ id }) => id)
    },

    /** Writes what an approval granted. */
    async grant(consentId: string, grants: readonly Grant[]): Promise<void> {
      if (grants.length === 0) return
      await db
        .insertInto('consentAccess')
        .values(
          grants.map(({ kind, id, right }) => ({
            consentId,
            kind,
            resourceId: id,
            rightName: right,
          })),
        )
        .execute()
    },

    /** The rights of a consent on resources of a kind, by resource id. */
    async rights(
      consentId: string,
      kind: Grant['kind'],
    ): Promise<ReadonlyMap<string, ReadonlySet<Right>>> {
      return byResource(
        await db
          .selectFrom('consentAccess')
          .select(['resourceId', 'rightName'])
          .where('consentId', '=', consentId)
          .where('kind', '=', kind)
          .execute(),
      )
    },

    /** A consent and its rights on resources of a kind in one look, which every read of data begins with. */
    async findWithRights(
      id: string,
      kind: Grant['kind'],
      now: Date,
    ): Promise<ConsentWithRights | undefined> {
      const row = await db
        .selectFrom('consents')
        .selectAll('consents')
        .select((consent) =>
          consent
            .selectFrom('consentAccess')
            .whereRef('consentAccess.consentId', '=', 'consents.id')
            .where('consentAccess.kind', '=', kind)
            .select(
              sql<readonly AccessRow[]>`coalesce(json_agg(json_build_object(
                'resourceId', resource_id, 'rightName', right_name)), '[]')`.as('rows'),
            )
            .as('rows'),
        )
        .select((any) =>
          any
            .exists(
              any
                .selectFrom('authorisations')
                .select('authorisations.id')
                .where('authorisations.status', '=', 'started')
                .where('authorisations.answersAt', '<=', now),
            )
            .as('isDue'),
        )
        .where('consents.id', '=', id)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { rows, isDue, ...consent } = row
      return { consent, rights: byResource(rows ?? []), isDue: Boolean(isDue) }
    },

    /**
     * Counts one read of a target on a day, unless it has been read `most`
     * times. One statement, so that reads at the same time cannot both be the last.
     *
     * @returns whether it was counted
     */
    async use(
      consentId: string,
      {
        day,
        target,
        most,
      }: { readonly day: string; readonly target: string; readonly most: number },
    ): Promise<boolean> {
      const row = await db
        .insertInto('consentUses')
        .values({ consentId, day, target, uses: 1 })
        .onConflict((conflict) =>
          conflict
            .columns(['consentId', 'day', 'target'])
            .doUpdateSet({ uses: sql<number>`consent_uses.uses + 1` })
            .where('consentUses.uses', '<', most),
        )
        .returning('uses')
        .executeTakeFirst()
      return row !== undefined
    },

    /** Notes the first read of data; later ones change nothing. */
    async markUsed(id: string, now: Date): Promise<void> {
      await db
        .updateTable('consents')
        .set({ firstUsedAt: now })
        .where('id', '=', id)
        .where('firstUsedAt', 'is', null)
        .execute()
    },
  }
}

function byResource(rows: readonly AccessRow[]): ReadonlyMap<string, ReadonlySet<Right>> {
  const rights = new Map<string, Set<Right>>()
  for (const { resourceId, rightName } of rows) {
    rights.set(resourceId, (rights.get(resourceId) ?? new Set()).add(rightName))
  }
  return rights
}
