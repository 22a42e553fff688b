import { type Static, Type } from 'typebox'
import { closed, Instant, listOf, nullable } from './common.ts'

/** One limit of one operation in the current window, read from the counter that enforces it. */
export const LiveUsage = closed({
  api: Type.String(),
  version: Type.String(),
  operation: nullable(Type.String({ description: 'null: all operations of the version together' })),
  limitName: Type.String(),
  limit: Type.Integer(),
  used: Type.Integer(),
  remaining: Type.Integer(),
  windowSeconds: Type.Integer(),
  resetsAt: Instant,
  overrideUntil: nullable(
    Type.String({
      format: 'date-time',
      description: 'an operator gave the application this limit; then that of the plan holds again',
    }),
  ),
})
export type LiveUsage = Static<typeof LiveUsage>
export const LiveUsageList = closed({ generatedAt: Instant, items: Type.Array(LiveUsage) })
export type LiveUsageList = Static<typeof LiveUsageList>

export const HistoryStep = Type.Union([
  Type.Literal('minute'),
  Type.Literal('hour'),
  Type.Literal('day'),
])
export type HistoryStep = Static<typeof HistoryStep>

export const HistoryQuery = closed({
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
  step: Type.Optional(HistoryStep),
})
export type HistoryQuery = Static<typeof HistoryQuery>

const counts = {
  admitted: Type.Integer(),
  refused: Type.Integer({ description: 'by Tollgate, whatever the reason' }),
  errors: Type.Integer({ description: 'admitted, and answered with 5xx or not to the end' }),
  averageMs: nullable(Type.Number({ description: 'of admitted calls; null when there was none' })),
  maxMs: nullable(Type.Number()),
}

export const HistoryPoint = closed({ at: Instant, ...counts })
export type HistoryPoint = Static<typeof HistoryPoint>
export const OperationTotal = closed({
  api: nullable(Type.String({ description: 'null: refused before it was known' })),
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
  items: Type.Array(HistoryPoint),
  operations: Type.Array(OperationTotal),
})
export type History = Static<typeof History>

/** What became of one call. */
export const CallRecord = closed({
  requestId: Type.String(),
  at: Instant,
  method: Type.String(),
  api: nullable(Type.String()),
  version: nullable(Type.String()),
  operation: nullable(Type.String()),
  keyId: Type.String(),
  outcome: Type.String({
    description:
      'forwarded, aborted (the connection ended before the whole answer), or the code of the refusal',
  }),
  decision: nullable(Type.String()),
  status: Type.Integer({ description: '0: the connection ended before an answer' }),
  limit: nullable(Type.Integer()),
  used: nullable(Type.Integer()),
  remaining: nullable(Type.Integer()),
  resetsAt: nullable(Instant),
  totalMs: Type.Number(),
  upstreamMs: nullable(Type.Number({ description: 'of that, waiting for the bank service' })),
  reason: Type.String({ description: 'in words' }),
})
export type CallRecord = Static<typeof CallRecord>
export const CallRecordList = listOf(CallRecord)
export type CallRecordList = Static<typeof CallRecordList>

export const CallsQuery = closed({
  limit: Type.Optional(
    Type.String({ pattern: '^([1-9]|[1-9][0-9]|100)$', description: '1 to 100' }),
  ),
  keyId: Type.Optional(Type.String({ pattern: '^[0-9A-Za-z]{12}$' })),
})
export type CallsQuery = Static<typeof CallsQuery>
