import type { Kysely } from 'kysely'
import type { Outbox } from '../mail/outbox.ts'
import {
  type Expiring,
  findExpiring,
  findExpiryReceiver,
  takeExpiring,
} from '../stores/alerts/expiry-alerts.ts'
import type { PortalSchema } from '../stores/schema.ts'
import type { Events, WebhookEvent } from './events.ts'

/** Warns applications of keys and certificates that expire in 30, 7 and 1 days. */
export interface ExpiryAlerts {
  /** Writes every warning that is due and not written yet, by whichever process. */
  run(): Promise<void>
}

export interface ExpiryAlertsOptions {
  readonly db: Kysely<PortalSchema>
  readonly outbox: Outbox
  readonly events: Events
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const applicationsMax = 50
const dayMs = 86_400_000

/**
 * Each warning is given once, over all processes and restarts: the transaction
 * that writes the email and the events also records it. What is due at the same
 * time shares an email.
 */
export function createExpiryAlerts({ db, outbox, events, now }: ExpiryAlertsOptions): ExpiryAlerts {
  function tell(applicationId: string, nowMs: number): Promise<void> {
    return db.transaction().execute(async (trx) => {
      const receiver = await findExpiryReceiver(trx, applicationId)
      if (receiver === undefined) return
      const expiring = await takeExpiring(trx, { applicationId, nowMs })
      if (expiring.length === 0) return
      const at = new Date(nowMs)
      for (const one of expiring) {
        await events.post(trx, eventOf(one, nowMs), { applicationId, at })
      }
      const { wantsMail, email, ...facts } = receiver
      if (!wantsMail) return
      const items = expiring.map((one) => ({ ...one, daysLeft: daysLeft(one, nowMs) }))
      await outbox.post(trx, { kind: 'expiring', applicationId, ...facts, items }, email)
    })
  }

  return {
    async run() {
      for (;;) {
        const nowMs = now()
        const applications = await findExpiring(db, { nowMs, max: applicationsMax })
        for (const id of applications) await tell(id, nowMs)
        if (applications.length < applicationsMax) return
      }
    },
  }
}

/** Whole days, at least one. */
function daysLeft({ expiresAt }: Expiring, nowMs: number): number {
  return Math.max(1, Math.ceil((expiresAt.getTime() - nowMs) / dayMs))
}

function eventOf(expiring: Expiring, nowMs: number): WebhookEvent {
  const { id, name } = expiring
  const end = { expiresAt: expiring.expiresAt.toISOString(), daysLeft: daysLeft(expiring, nowMs) }
  if (expiring.of === 'key') {
    return { type: 'key.expiring', key: { id, name, hint: expiring.hint }, ...end }
  }
  const { use, thumbprint } = expiring
  return { type: 'certificate.expiring', certificate: { id, name, use, thumbprint }, ...end }
}
