import { type Static, Type } from 'typebox'
import { plainPattern, reasonLengthMax, reasonRule } from '../../registry/name.ts'
import { Key, Strict, Subscription } from './applications.ts'
import { closed, Id, Instant, listOf, nullable } from './common.ts'

export const SearchQuery = closed({
  search: Type.Optional(Type.String({ maxLength: 254 })),
  limit: Type.Optional(
    Type.String({ pattern: '^([1-9]|[1-9][0-9]|100)$', description: '1 to 100' }),
  ),
  after: Type.Optional(Id),
})
export type SearchQuery = Static<typeof SearchQuery>

/** A developer as operators see it. */
export const OperatedDeveloper = closed({
  id: Id,
  email: Type.String(),
  name: Type.String(),
  isOperator: Type.Boolean(),
  createdAt: Instant,
  approvedAt: nullable(Instant),
  suspendedAt: nullable(Instant),
  applications: Type.Integer(),
})
export type OperatedDeveloper = Static<typeof OperatedDeveloper>
export const OperatedDeveloperList = listOf(OperatedDeveloper)
export type OperatedDeveloperList = Static<typeof OperatedDeveloperList>

/** An application as operators see it. */
export const OperatedApplication = closed({
  id: Id,
  name: Type.String(),
  developerId: Id,
  developerEmail: Type.String(),
  createdAt: Instant,
  suspendedAt: nullable(Instant),
  strict: Strict,
})
export type OperatedApplication = Static<typeof OperatedApplication>
export const OperatedApplicationList = listOf(OperatedApplication)
export type OperatedApplicationList = Static<typeof OperatedApplicationList>

/** Another number of calls than the plan's, for one application until a day. */
export const LimitOverride = closed({
  id: Id,
  api: Type.String(),
  version: Type.String(),
  limit: Type.String({ description: 'name of the limit in the plan' }),
  calls: Type.Integer(),
  reason: Type.String(),
  createdBy: Type.String(),
  createdAt: Instant,
  expiresAt: Instant,
})
export type LimitOverride = Static<typeof LimitOverride>
export const LimitOverrideList = listOf(LimitOverride)
export type LimitOverrideList = Static<typeof LimitOverrideList>

export const LimitOverrideInput = closed({
  api: Type.String({ minLength: 1, maxLength: 100 }),
  version: Type.String({ minLength: 1, maxLength: 100 }),
  limit: Type.String({ minLength: 1, maxLength: 100 }),
  calls: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    description: 'a whole number, 1 to 1,000,000,000',
  }),
  reason: Type.String({
    minLength: 1,
    maxLength: reasonLengthMax,
    pattern: plainPattern,
    description: reasonRule,
  }),
  expiresAt: Instant,
})
export type LimitOverrideInput = Static<typeof LimitOverrideInput>

export const OperatedApplicationDetail = closed({
  application: OperatedApplication,
  subscriptions: Type.Array(Subscription),
  keys: Type.Array(Key),
  overrides: Type.Array(LimitOverride),
})
export type OperatedApplicationDetail = Static<typeof OperatedApplicationDetail>

export const RefusalsQuery = closed({
  hours: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,2}$', description: '1 to 720' })),
})
export type RefusalsQuery = Static<typeof RefusalsQuery>

/** Applications with refused calls, most first. */
export const Refusals = closed({
  from: Instant,
  to: Instant,
  items: Type.Array(
    closed({
      applicationId: Id,
      applicationName: Type.String(),
      developerEmail: Type.String(),
      admitted: Type.Integer(),
      refused: Type.Integer(),
      errors: Type.Integer(),
    }),
  ),
})
export type Refusals = Static<typeof Refusals>

export const SignUpMode = closed({
  mode: Type.Union([Type.Literal('open'), Type.Literal('approval'), Type.Literal('off')]),
})
export type SignUpMode = Static<typeof SignUpMode>

export const AuditQuery = closed({
  subject: Type.Optional(Type.String({ maxLength: 100 })),
  actor: Type.Optional(Type.String({ maxLength: 300 })),
  limit: Type.Optional(
    Type.String({ pattern: '^([1-9]|[1-9][0-9]|100)$', description: '1 to 100' }),
  ),
  after: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$' })),
})
export type AuditQuery = Static<typeof AuditQuery>

/** Newest first; `after` goes back in time. */
export const AuditEntry = closed({
  id: Type.Integer(),
  at: Instant,
  actor: Type.String(),
  action: Type.String(),
  subject: Type.String(),
  detail: Type.Record(Type.String(), Type.String()),
})
export type AuditEntry = Static<typeof AuditEntry>
export const AuditList = listOf(AuditEntry)
export type AuditList = Static<typeof AuditList>
