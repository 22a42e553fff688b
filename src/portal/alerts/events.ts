import type { ShownWindow } from '../../catalogue/catalogue.ts'
import type { AlertKind } from '../stores/alerts/alerts.ts'
import { queueEvent, type WebhookMessage } from '../stores/alerts/webhook-queue.ts'
import type { PortalTransaction } from '../stores/schema.ts'

/** A key as events show it. */
interface ShownKey {
  readonly id: string
  readonly name: string
  readonly hint: string
}

/** The events that applications get by webhook. Times are ISO 8601 in UTC, days `YYYY-MM-DD`. */
export type WebhookEvent =
  | ({
      readonly type: 'limit.reached'
      /** Percentage of the limit. */
      readonly threshold: 80 | 100
      readonly api: string
      readonly version: string
      /** Null: all operations of the version together. */
      readonly operation: string | null
      readonly limitName: string
      readonly limit: number
      readonly used: number
      readonly resetsAt: string
    } & ShownWindow)
  | {
      readonly type: 'key.expiring'
      readonly key: ShownKey
      readonly expiresAt: string
      readonly daysLeft: number
    }
  | {
      readonly type: 'certificate.expiring'
      readonly certificate: {
        readonly id: string
        readonly name: string
        readonly use: 'tls' | 'signing'
        readonly thumbprint: string
      }
      readonly expiresAt: string
      readonly daysLeft: number
    }
  | {
      readonly type: 'version.deprecated'
      readonly api: string
      readonly version: string
      readonly deprecated: string | null
      readonly sunset: string | null
      readonly retired: string | null
      readonly successor: string | null
      /** Days until the announced end of the version; null if none is announced. */
      readonly daysLeft: number | null
    }
  | {
      readonly type: 'key.rotated'
      readonly key: ShownKey
      readonly newKey: ShownKey
      /** Null: the old key no longer works. */
      readonly oldKeyWorksUntil: string | null
      /** Whether the key replaced itself. */
      readonly byItself: boolean
    }
  | { readonly type: 'test' }

/** Alert kind of each event type; undefined: every webhook gets it. */
const kinds: Readonly<Record<WebhookEvent['type'], AlertKind | undefined>> = {
  'limit.reached': 'limits',
  'key.expiring': 'expiry',
  'certificate.expiring': 'expiry',
  'version.deprecated': 'deprecations',
  'key.rotated': undefined,
  test: undefined,
}

/** Writes events for webhooks. */
export interface Events {
  /**
   * Writes an event in the caller's transaction, if the application has a
   * webhook for its kind: it is sent at least once if the transaction commits,
   * unless the webhook fails for a day or 1,000 newer events wait.
   */
  post(
    trx: PortalTransaction,
    event: WebhookEvent,
    of: { readonly applicationId: string; readonly at: Date },
  ): Promise<void>
}

/**
 * @param options.onPost called for every queued event before its transaction commits, with the number of older events
 * dropped for it
 */
export function createEvents({
  onPost,
}: {
  readonly onPost: (queued: { readonly dropped: number }) => void
}): Events {
  return {
    async post(trx, event, { applicationId, at }) {
      const queued = await queueEvent(trx, {
        applicationId,
        kind: kinds[event.type],
        event: (name) => messageOf(event, { id: applicationId, name }, at),
      })
      if (queued !== undefined) onPost(queued)
    },
  }
}

/** The message that carries an event. */
export function messageOf(
  { type, ...facts }: WebhookEvent,
  application: { readonly id: string; readonly name: string },
  at: Date,
): WebhookMessage {
  return { type, body: JSON.stringify({ type, at: at.toISOString(), application, ...facts }) }
}
