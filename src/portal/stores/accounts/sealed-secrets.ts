import type { Kysely } from 'kysely'
import type { PortalSchema } from '../schema.ts'

/** A secret that the portal keeps encrypted for as long as its owner uses it. */
export interface SealedSecret {
  readonly kind: 'totp' | 'webhook'
  /** A developer, or the application of the webhook. */
  readonly ownerId: string
  readonly sealed: Buffer
}

/** The encrypted secrets, for a portal that changes the key. */
export interface SealedSecrets {
  list(): Promise<readonly SealedSecret[]>
  /** Does nothing if the secret has changed meanwhile. */
  replace(secret: SealedSecret, sealed: Buffer): Promise<void>
}

export function createSealedSecrets({ db }: { readonly db: Kysely<PortalSchema> }): SealedSecrets {
  return {
    async list() {
      const [apps, webhooks] = await Promise.all([
        db.selectFrom('totp_secrets').select(['developer_id as ownerId', 'sealed']).execute(),
        db
          .selectFrom('webhooks')
          .select(['application_id as ownerId', 'sealed_secret as sealed'])
          .execute(),
      ])
      return [
        ...apps.map((secret) => ({ kind: 'totp' as const, ...secret })),
        ...webhooks.map((secret) => ({ kind: 'webhook' as const, ...secret })),
      ]
    },

    async replace({ kind, ownerId, sealed: before }, sealed) {
      if (kind === 'totp') {
        await db
          .updateTable('totp_secrets')
          .set({ sealed })
          .where('developer_id', '=', ownerId)
          .where('sealed', '=', before)
          .execute()
      } else {
        await db
          .updateTable('webhooks')
          .set({ sealed_secret: sealed })
          .where('application_id', '=', ownerId)
          .where('sealed_secret', '=', before)
          .execute()
      }
    },
  }
}
