import { type Static, Type } from 'typebox'
import { closed, Id, Instant, nullable, oneOf } from './common.ts'

/** Which alerts go out. */
const AlertKinds = closed({
  limits: Type.Boolean({ description: 'at 80 % and at 100 % of a limit' }),
  expiry: Type.Boolean({ description: '30, 7 and 1 days before a key or a certificate expires' }),
  deprecations: Type.Boolean({
    description: 'when a subscribed version becomes deprecated, and before it ends',
  }),
})
export type AlertKinds = Static<typeof AlertKinds>

export const Alerts = closed({
  mails: AlertKinds,
  hooks: AlertKinds,
  webhook: nullable(closed({ url: Type.String(), createdAt: Instant })),
  isLocalWebhookAllowed: Type.Boolean({
    description: 'whether a webhook may be an http address of the machine of the portal',
  }),
})
export type Alerts = Static<typeof Alerts>

/** Omitted members stay unchanged. */
export const AlertsChange = closed({
  mails: Type.Optional(AlertKinds),
  hooks: Type.Optional(AlertKinds),
})
export type AlertsChange = Static<typeof AlertsChange>

export const WebhookInput = closed({ url: Type.String({ minLength: 1, maxLength: 1_000 }) })
export type WebhookInput = Static<typeof WebhookInput>

/** The only answer that holds the secret. */
export const NewWebhook = closed({
  url: Type.String(),
  createdAt: Instant,
  secret: Type.String({ description: 'whsec_ and a key in base64' }),
})
export type NewWebhook = Static<typeof NewWebhook>

export const Delivery = closed({
  id: Id,
  type: Type.String({ description: 'of the event, such as limit.reached' }),
  state: oneOf(['pending', 'delivered', 'failed']),
  createdAt: Instant,
  attempts: Type.Integer(),
  triedAt: nullable(Instant),
  nextAt: nullable(Instant),
  responseStatus: nullable(Type.Integer({ description: 'of the last attempt; null: no answer' })),
  failure: nullable(
    Type.String({
      description:
        'why the last attempt failed: status, address, tls, connection, timeout or unreadable',
    }),
  ),
})
export type Delivery = Static<typeof Delivery>
/** Newest first; only the latest are kept. */
export const DeliveryList = closed({ items: Type.Array(Delivery) })
export type DeliveryList = Static<typeof DeliveryList>
