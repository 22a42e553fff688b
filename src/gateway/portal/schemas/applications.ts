import { type Static, Type } from 'typebox'
import { nameRule } from '../../registry/name.ts'
import { closed, Id, Instant, ListLimit, listOf, Name, nullable } from './common.ts'

/** Of an application. */
export const Strict = Type.Boolean({
  description: 'true or false: whether the bank accepts only signed calls from the application',
})

export const Application = closed({
  id: Id,
  name: Type.String(),
  createdAt: Instant,
  suspendedAt: nullable(Instant),
  strict: Strict,
})
export type Application = Static<typeof Application>
export const ApplicationList = listOf(Application)
export type ApplicationList = Static<typeof ApplicationList>

export const ApplicationInput = closed({ name: Name })
export type ApplicationInput = Static<typeof ApplicationInput>
/** What is left out stays as it is. A name may stay although it is older than the rule, so the registry judges it. */
export const ApplicationChange = closed({
  name: Type.Optional(Type.String({ description: nameRule })),
  strict: Type.Optional(Strict),
})
export type ApplicationChange = Static<typeof ApplicationChange>

export const Subscription = closed({
  id: Id,
  api: Type.String(),
  version: Type.String(),
  plan: Type.String(),
  createdAt: Instant,
  endedAt: nullable(Instant),
})
export type Subscription = Static<typeof Subscription>
export const SubscriptionList = listOf(Subscription)
export type SubscriptionList = Static<typeof SubscriptionList>

const CatalogueName = Type.String({ minLength: 1, maxLength: 100 })

export const SubscriptionInput = closed({
  api: CatalogueName,
  version: CatalogueName,
  plan: CatalogueName,
})
export type SubscriptionInput = Static<typeof SubscriptionInput>
export const SubscriptionChange = closed({ plan: CatalogueName })
export type SubscriptionChange = Static<typeof SubscriptionChange>

const keyMembers = {
  id: Type.String({ description: 'public part of the key, 12 characters' }),
  name: Type.String(),
  hint: Type.String({ description: 'tg_<id>_…<last four>' }),
  state: Type.Union([
    Type.Literal('active'),
    Type.Literal('replaced'),
    Type.Literal('expired'),
    Type.Literal('revoked'),
  ]),
  createdAt: Instant,
  expiresAt: nullable(Instant),
  revokedAt: nullable(Instant),
  lastUsedAt: nullable(Instant),
  replacedBy: nullable(Type.String()),
}

export const Key = closed(keyMembers)
export type Key = Static<typeof Key>
export const KeyList = listOf(Key)
export type KeyList = Static<typeof KeyList>

export const KeyListQuery = closed({
  limit: Type.Optional(ListLimit),
  after: Type.Optional(Type.String({ pattern: '^[0-9A-Za-z]{12}$', description: 'id of a key' })),
})
export type KeyListQuery = Static<typeof KeyListQuery>

/** The only answer that holds the key itself. */
export const IssuedKey = closed({ ...keyMembers, key: Type.String() })
export type IssuedKey = Static<typeof IssuedKey>

export const KeyInput = closed({ name: Name, expiresAt: Type.Optional(Instant) })
export type KeyInput = Static<typeof KeyInput>

export const KeyRotation = closed({
  overlapSeconds: Type.Integer({ minimum: 0, maximum: 2_592_000, description: '0 to 30 days' }),
})
export type KeyRotation = Static<typeof KeyRotation>
