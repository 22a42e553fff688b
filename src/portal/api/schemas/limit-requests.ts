import { type Static, Type } from 'typebox'
import { plainPattern, reasonLengthMax, reasonRule } from '../../../registry/name.ts'
import { PublishedLimit } from './catalogue.ts'
import { closed, Id, Instant, ListLimit, listOf, nullable, oneOf } from './common.ts'

const CatalogueName = Type.String({ minLength: 1, maxLength: 100 })
const Calls = Type.Integer({
  minimum: 1,
  maximum: 1_000_000_000,
  description: 'a whole number, 1 to 1,000,000,000',
})
const Sentence = Type.String({
  minLength: 1,
  maxLength: reasonLengthMax,
  pattern: plainPattern,
  description: reasonRule,
})

/** A request for more calls than a limit allows. */
export const LimitRequest = closed({
  id: Id,
  api: Type.String(),
  version: Type.String(),
  limit: Type.String({ description: 'name of the limit in the plan' }),
  calls: Type.Integer({ description: 'requested calls per window' }),
  wantedUntil: nullable(Instant),
  reason: Type.String(),
  state: oneOf(['open', 'granted', 'declined', 'withdrawn']),
  createdAt: Instant,
  closedAt: nullable(Instant),
  grantedCalls: nullable(Type.Integer()),
  grantedUntil: nullable(Instant),
  answer: nullable(Type.String({ description: 'why an operator declined' })),
})
export type LimitRequest = Static<typeof LimitRequest>
export const LimitRequestList = listOf(LimitRequest)
export type LimitRequestList = Static<typeof LimitRequestList>

export const LimitRequestInput = closed({
  api: CatalogueName,
  version: CatalogueName,
  limit: CatalogueName,
  calls: Calls,
  wantedUntil: Type.Optional(Instant),
  reason: Sentence,
})
export type LimitRequestInput = Static<typeof LimitRequestInput>

/** A request as operators see it. */
export const WaitingLimitRequest = closed({
  ...LimitRequest.properties,
  applicationId: Id,
  applicationName: Type.String(),
  developerId: Id,
  developerEmail: Type.String(),
  /** With an override; null if it no longer applies to any subscription. */
  limitNow: nullable(PublishedLimit),
})
export type WaitingLimitRequest = Static<typeof WaitingLimitRequest>
export const WaitingLimitRequestList = listOf(WaitingLimitRequest)
export type WaitingLimitRequestList = Static<typeof WaitingLimitRequestList>

export const LimitRequestsQuery = closed({
  state: Type.Optional(
    oneOf(['open', 'closed'], {
      description: 'open (default): oldest first; closed: last closed first',
    }),
  ),
  limit: Type.Optional(ListLimit),
  after: Type.Optional(Id),
})
export type LimitRequestsQuery = Static<typeof LimitRequestsQuery>

export const LimitRequestGrant = closed({ calls: Calls, until: Instant })
export type LimitRequestGrant = Static<typeof LimitRequestGrant>

export const LimitRequestDecline = closed({ reason: Sentence })
export type LimitRequestDecline = Static<typeof LimitRequestDecline>
