import { type Static, Type } from 'typebox'
import { windowMembers } from './catalogue.ts'
import {
  closed,
  Id,
  Instant,
  ListLimit,
  listOf,
  nullable,
  oneOf,
  operationIdPattern,
} from './common.ts'

/** One limit of one operation in the current window, read from the counter that enforces it. */
export const LiveUsage = closed({
  api: Type.String(),
  version: Type.String(),
  operation: nullable(Type.String({ description: 'null: all operations of the version together' })),
  limitName: Type.String(),
  limit: Type.Integer(),
  used: Type.Integer(),
  remaining: Type.Integer(),
  ...windowMembers,
  resetsAt: Instant,
  overrideUntil: nullable(
    Type.String({
      format: 'date-time',
      description:
        'an operator set this limit for the application until then; afterwards the limit of the plan applies',
    }),
  ),
})
export type LiveUsage = Static<typeof LiveUsage>
export const LiveUsageList = closed({ generatedAt: Instant, items: Type.Array(LiveUsage) })
export type LiveUsageList = Static<typeof LiveUsageList>

export const HistoryStep = oneOf(['minute', 'hour', 'day'])
export type HistoryStep = Static<typeof HistoryStep>

export const HistoryQuery = closed({
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
  step: Type.Optional(HistoryStep),
  operation: Type.Optional(
    Type.String({ pattern: operationIdPattern, description: 'only calls to it, in any version' }),
  ),
})
export type HistoryQuery = Static<typeof HistoryQuery>

const percentile = (share: number) =>
  nullable(
    Type.Number({
      description: `milliseconds that ${share} % of the allowed calls did not exceed, at most 19 % off; null without any`,
    }),
  )

/** Calls by the status of their answer. */
const Answered = closed({
  '2xx': Type.Integer(),
  '3xx': Type.Integer(),
  '4xx': Type.Integer({ description: 'without 429' }),
  '429': Type.Integer(),
  '5xx': Type.Integer(),
  none: Type.Integer({ description: 'the connection ended before a response' }),
})
export type Answered = Static<typeof Answered>

const counts = {
  admitted: Type.Integer(),
  refused: Type.Integer({ description: 'by Tollgate, for any reason' }),
  refusedByLimit: Type.Integer({ description: 'part of refused: the limit was used up' }),
  errors: Type.Integer({ description: 'allowed calls that got 5xx or an incomplete response' }),
  clientErrors: Type.Integer({ description: 'allowed calls that the bank answered with 4xx' }),
  averageMs: nullable(Type.Number({ description: 'of allowed calls; null without any' })),
  maxMs: nullable(Type.Number()),
  p50Ms: percentile(50),
  p95Ms: percentile(95),
  p99Ms: percentile(99),
  answered: Answered,
}

/** Calls of a period. */
export const UsageCounts = closed(counts)
export type UsageCounts = Static<typeof UsageCounts>

export const HistoryPoint = closed({ at: Instant, ...counts })
export type HistoryPoint = Static<typeof HistoryPoint>
export const OperationTotal = closed({
  api: nullable(Type.String({ description: 'null: refused before the gateway knew it' })),
  version: nullable(Type.String()),
  operation: nullable(Type.String()),
  ...counts,
})
export type OperationTotal = Static<typeof OperationTotal>

/** Every step from `from` to `to`, zeros included, oldest first. */
export const History = closed({
  from: Instant,
  to: Instant,
  step: HistoryStep,
  total: UsageCounts,
  items: Type.Array(HistoryPoint),
  operations: Type.Array(OperationTotal),
})
export type History = Static<typeof History>

/** What an application did in the last 24 hours and has now. */
export const ApplicationSummary = closed({
  applicationId: Id,
  calls: Type.Integer({ description: 'of the last 24 hours, the current one included' }),
  refused: Type.Integer({ description: 'part of calls' }),
  hours: Type.Array(Type.Integer(), { description: 'calls of each of these hours, oldest first' }),
  workingKeys: Type.Integer(),
  versions: Type.Array(closed({ api: Type.String(), version: Type.String() }), {
    description: 'active subscriptions',
  }),
  lastCallAt: nullable(Instant),
})
export type ApplicationSummary = Static<typeof ApplicationSummary>
/** Oldest application first, at most 100. */
export const ApplicationSummaryList = closed({
  from: Instant,
  items: Type.Array(ApplicationSummary),
})
export type ApplicationSummaryList = Static<typeof ApplicationSummaryList>

/** What became of one call. */
export const CallRecord = closed({
  requestId: Type.String(),
  traceId: Type.String({ description: '32 hexadecimal digits' }),
  at: Instant,
  method: Type.String(),
  api: nullable(Type.String()),
  version: nullable(Type.String()),
  operation: nullable(Type.String()),
  path: nullable(
    Type.String({ description: 'as published; null: unknown, or no longer published' }),
  ),
  keyId: Type.String(),
  keyExpiresAt: nullable(
    Type.String({ format: 'date-time', description: 'when the key expires or expired' }),
  ),
  keyRevokedAt: nullable(Instant),
  isPageKey: Type.Boolean({ description: 'whether the key was made for a page of the portal' }),
  outcome: Type.String({
    description:
      'forwarded, aborted (your application closed the connection before the whole response), cut (the bank broke off its response), or the error code',
  }),
  detail: nullable(Type.String({ description: 'of the problem document that was answered' })),
  decision: nullable(
    Type.String({
      description:
        'admitted, observed (above a limit that is not enforced), refused, or the same while the counters were away (degraded_…); null: refused before the limit',
    }),
  ),
  status: Type.Integer({ description: '0: the connection ended before a response' }),
  limit: nullable(Type.Integer({ description: 'the limit with the fewest calls left' })),
  limitScope: nullable(
    Type.String({ description: 'operation, or plan: all operations of the version together' }),
  ),
  ...windowMembers,
  used: nullable(Type.Integer()),
  remaining: nullable(Type.Integer()),
  resetsAt: nullable(Instant),
  totalMs: Type.Number(),
  upstreamMs: nullable(Type.Number({ description: 'part of totalMs spent waiting for the bank' })),
  drill: nullable(
    Type.String({
      description:
        'what the header Sandbox-Drill asked for, or refused: the gateway did not make the drill; null: a call and not a drill',
    }),
  ),
  reason: Type.String({ description: 'plain-English explanation' }),
})
export type CallRecord = Static<typeof CallRecord>
/** Where records of a call are. */
export const CallPlaces = closed({
  applicationIds: Type.Array(Type.String(), {
    description: 'your applications with a call of that id, newest call first; may be empty',
  }),
})
export type CallPlaces = Static<typeof CallPlaces>

export const CallRecordList = listOf(CallRecord)
export type CallRecordList = Static<typeof CallRecordList>

export const CallsQuery = closed({
  limit: Type.Optional(ListLimit),
  after: Type.Optional(
    Type.String({ pattern: '^[1-9][0-9]{0,15}$', description: 'next of the previous page' }),
  ),
  requestId: Type.Optional(Id),
  keyId: Type.Optional(Type.String({ pattern: '^[0-9A-Za-z]{12}$' })),
  operation: Type.Optional(Type.String({ pattern: operationIdPattern, description: 'its id' })),
  status: Type.Optional(
    Type.String({ pattern: '^[1-5]([0-9]{2}|xx)$', description: 'such as 201, or 2xx' }),
  ),
  outcome: Type.Optional(
    Type.String({
      pattern: '^\\w{1,100}$',
      description: 'as in the answer, or refused: by Tollgate, for any reason',
    }),
  ),
})
export type CallsQuery = Static<typeof CallsQuery>
