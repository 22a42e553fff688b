import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { Grant, Right } from '../domain/access.ts'
import { consentTransitions } from '../domain/consent.ts'
import { after, openStates } from '../domain/transitions.ts'
import type { BankSchema, ConsentTable } from './schema.ts'

export type Consent = Selectable<ConsentTable>

/** A consent that a person approved. */
export interface ApprovedConsent extends Consent {
  readonly psuName: string
}

/** The rights of a consent, by resource. */
export interface ConsentWithRights {
  readonly consent: Consent
  readonly rights: ReadonlyMap<string, ReadonlySet<Right>>
}

type AccessRow = Pick<Selectable<BankSchema['consentAccess']>, 'resourceId' | 'rightName'>

const open = openStates(consentTransitions)
const expirable = open.filter((state) => after(consentTransitions, state, 'expire') !== undefined)

/** Consents, their rights and how often they were used. */
export function createConsentStore(db: Kysely<BankSchema>) {
  const byId = (id: string) => db.selectFrom('consents').selectAll().where('id', '=', id)

  return {
    async insert(consent: Insertable<ConsentTable>): Promise<void> {
      await db.insertInto('consents').values(consent).execute()
    },

    find(id: string): Promise<Consent | undefined> {
      return byId(id).executeTakeFirst()
    },

    /** Reads a consent and locks it until the transaction ends. */
    lock(id: string): Promise<Consent | undefined> {
      return byId(id).forNoKeyUpdate().executeTakeFirst()
    },

    async update(id: string, change: Updateable<ConsentTable>): Promise<void> {
      await db.updateTable('consents').set(change).where('id', '=', id).execute()
    },

    /** Ends the person's other approved recurring consents for the TPP. The person must be locked. */
    async supersede(by: Consent, psuId: string, today: string): Promise<void> {
      await db
        .updateTable('consents')
        .set({ status: 'expired', lastActionDay: today })
        .where('applicationId', '=', by.applicationId)
        .where('psuId', '=', psuId)
        .where('recurring', '=', true)
        .where('status', 'in', expirable)
        // The others have expired on an earlier day.
        .where('validUntil', '>=', today)
        .where('id', '<>', by.id)
        .execute()
    },

    /**
     * Locks the older recurring consents of the person for the TPP that wait for
     * approval. Skips a consent that another transaction has locked: that one
     * decides it now, and waiting for the lock could deadlock.
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

    /**
     * The newest 10 consents that an application asked for itself and a person
     * approved, newest first. A ready consent is not among them: its
     * authorisation names no application.
     */
    async approvedOf(applicationId: string): Promise<ApprovedConsent[]> {
      return db
        .selectFrom('consents')
        .innerJoin('authorisations', 'authorisations.consentId', 'consents.id')
        .innerJoin('psus', 'psus.id', 'consents.psuId')
        .selectAll('consents')
        .select('psus.name as psuName')
        .where('consents.applicationId', '=', applicationId)
        .where('authorisations.status', '=', 'finalised')
        .where('authorisations.applicationName', 'is not', null)
        .orderBy('consents.createdAt', 'desc')
        .limit(10)
        .execute()
    },

    /** The consents of an application that are stored as open; the time of some may be over. */
    async openOf(applicationId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('consents')
        .select('id')
        .where('applicationId', '=', applicationId)
        .where('status', 'in', open)
        .execute()
      return rows.map(({ id }) => id)
    },

    /** Stores the rights that an approval granted. */
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

    /** A consent and its rights on resources of a kind in one statement; every read of data begins with it. */
    async findWithRights(id: string, kind: Grant['kind']): Promise<ConsentWithRights | undefined> {
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
        .where('consents.id', '=', id)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { rows, ...consent } = row
      return { consent, rights: byResource(rows ?? []) }
    },

    /**
     * Counts one read of a target on a day, up to `most` reads. One statement, so
     * that two simultaneous reads cannot both be the last.
     *
     * @returns false if the day has no read left
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

    /** Records the first read of data; later reads change nothing. */
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
