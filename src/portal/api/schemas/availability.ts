import { type Static, Type } from 'typebox'
import { closed, Instant, nullable } from './common.ts'

const date = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description }))

export const AvailabilityQuery = closed({
  from: date('first day (UTC); default: of the quarter of the last'),
  to: date('last day (UTC), included; default: today'),
})
export type AvailabilityQuery = Static<typeof AvailabilityQuery>

const milliseconds = nullable(Type.Number({ description: 'average; null without answers' }))

/** The indicators of EBA/GL/2018/07 for one API version and period. */
export const AvailabilityIndicators = closed({
  period: Type.String({ description: '`2026-11-24` or `2026-Q4`' }),
  api: Type.String(),
  version: Type.String(),
  uptimePercent: Type.Number(),
  downtimeSeconds: Type.Number(),
  plannedSeconds: Type.Number(),
  unplannedSeconds: Type.Number(),
  requests: Type.Integer(),
  errors: Type.Integer(),
  errorPercent: nullable(Type.Number()),
  firstByteMs: milliseconds,
  lastByteMs: milliseconds,
  aisMs: milliseconds,
  pisMs: milliseconds,
  cbpiiMs: milliseconds,
})
export type AvailabilityIndicators = Static<typeof AvailabilityIndicators>

const NamedCall = closed({ at: Instant, id: Type.String({ description: 'X-Request-ID' }) })

/** Availability of each API version, with the calls behind each outage. */
export const AvailabilityAnswer = closed({
  from: Type.String(),
  to: Type.String(),
  days: Type.Array(AvailabilityIndicators),
  quarters: Type.Array(AvailabilityIndicators),
  outages: Type.Array(
    closed({
      api: Type.String(),
      version: Type.String(),
      from: Instant,
      until: nullable(Instant),
      seconds: Type.Number({ description: 'until now, if it goes on' }),
      plannedSeconds: Type.Number(),
      calls: Type.Integer({ description: 'not answered' }),
      applications: Type.Integer({ description: 'number of applications affected' }),
      series: Type.Array(NamedCall, { description: 'the five calls with which it began' }),
      last: NamedCall,
    }),
  ),
})
export type AvailabilityAnswer = Static<typeof AvailabilityAnswer>
