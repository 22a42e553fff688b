// This folder keeps what applications are notified of. This file has the choice of each application. `limit-alerts.ts`,
// `expiry-alerts.ts` and `deprecation-mails.ts` find what to report and record what was reported; `prune-alerts.ts`
// deletes those records. `webhook-queue.ts` keeps events until they are delivered, and `backlog.ts` says how much
// waits. The texts and the sending are in `portal/alerts/` and `portal/mail/`.

import { type Kysely, sql } from 'kysely'
import { isUuid } from '../../../platform/database/uuid.ts'
import { lockApplication } from '../../../registry/applications/applications.ts'
import { recordAudit } from '../../../registry/audit/audit.ts'
import type { AlertKind } from '../../../registry/schema.ts'
import type { PortalSchema } from '../schema.ts'

export type { AlertKind }

/** Every kind of alert. */
export const alertKinds = ['limits', 'expiry', 'deprecations'] as const satisfies AlertKind[]

/** The alerts that an application gets, by email and by webhook. */
export interface AlertChoices {
  /** By email, unless the developer has turned off these emails. */
  readonly mails: readonly AlertKind[]
  /** By webhook, if there is one. */
  readonly hooks: readonly AlertKind[]
  readonly webhook: { readonly url: string; readonly createdAt: Date } | null
}

/** `by` is the actor in the audit. */
export interface Alerts {
  /** Undefined: no such application. */
  find(applicationId: string): Promise<AlertChoices | undefined>
  /** Omitted lists stay unchanged. Idempotent. @throws {RegistryNotFound} */
  choose(input: {
    applicationId: string
    mails?: readonly AlertKind[] | undefined
    hooks?: readonly AlertKind[] | undefined
    by: string
  }): Promise<void>
  /** Sets or replaces the webhook and its secret. Keeps its deliveries. @throws {RegistryNotFound} */
  setWebhook(input: {
    applicationId: string
    url: string
    sealedSecret: Buffer
    by: string
  }): Promise<void>
  /** Removes the webhook and its deliveries. Idempotent. @throws {RegistryNotFound} */
  removeWebhook(input: { applicationId: string; by: string }): Promise<void>
}

/** The choices of applications about alerts. Gateways do not use them, so a change writes only an audit entry. */
export function createAlerts({ db }: { db: Kysely<PortalSchema> }): Alerts {
  return {
    async find(applicationId) {
      if (!isUuid(applicationId)) return undefined
      const found = await db
        .selectFrom('applications as a')
        .leftJoin('webhooks as w', 'w.application_id', 'a.id')
        .select(['a.alert_mails as mails', 'a.alert_hooks as hooks', 'w.url', 'w.created_at'])
        .where('a.id', '=', applicationId)
        .executeTakeFirst()
      if (found === undefined) return undefined
      const { mails, hooks, url, created_at: createdAt } = found
      return {
        mails,
        hooks,
        webhook: url === null || createdAt === null ? null : { url, createdAt },
      }
    },

    choose: ({ applicationId, mails, hooks, by }) =>
      db.transaction().execute(async (trx) => {
        await lockApplication(trx, applicationId)
        await trx
          .updateTable('applications')
          .set({
            ...(mails === undefined ? {} : { alert_mails: inOrder(mails) }),
            ...(hooks === undefined ? {} : { alert_hooks: inOrder(hooks) }),
            // Kysely rejects an update that sets no column.
            id: sql`id`,
          })
          .where('id', '=', applicationId)
          .execute()
        const detail = {
          ...(mails === undefined ? {} : { mails: inOrder(mails).join(' ') || 'none' }),
          ...(hooks === undefined ? {} : { hooks: inOrder(hooks).join(' ') || 'none' }),
        }
        const subject = `application:${applicationId}`
        await recordAudit(trx, { actor: by, action: 'application.choose-alerts', subject, detail })
      }),

    setWebhook: ({ applicationId, url, sealedSecret, by }) =>
      db.transaction().execute(async (trx) => {
        await lockApplication(trx, applicationId)
        const values = { url, sealed_secret: sealedSecret, created_at: sql<Date>`now()` }
        await trx
          .insertInto('webhooks')
          .values({ application_id: applicationId, ...values })
          .onConflict((conflict) => conflict.column('application_id').doUpdateSet(values))
          .execute()
        // Only the origin, because the path of a webhook is often a secret.
        const detail = { origin: new URL(url).origin }
        const subject = `application:${applicationId}`
        await recordAudit(trx, { actor: by, action: 'application.set-webhook', subject, detail })
      }),

    removeWebhook: ({ applicationId, by }) =>
      db.transaction().execute(async (trx) => {
        await lockApplication(trx, applicationId)
        const { numDeletedRows } = await trx
          .deleteFrom('webhooks')
          .where('application_id', '=', applicationId)
          .executeTakeFirstOrThrow()
        if (numDeletedRows === 0n) return
        const subject = `application:${applicationId}`
        await recordAudit(trx, { actor: by, action: 'application.remove-webhook', subject })
      }),
  }
}

function inOrder(kinds: readonly AlertKind[]): AlertKind[] {
  return alertKinds.filter((kind) => kinds.includes(kind))
}
