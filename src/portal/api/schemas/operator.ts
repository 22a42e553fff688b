import { type Static, Type } from 'typebox'
import { signUpModes } from '../../stores/accounts/portal-state.ts'
import { Application, Subscription } from './applications.ts'
import { Lifecycle, PublishedPlan } from './catalogue.ts'
import { closed, Id, Instant, ListLimit, ListQuery, listOf, nullable, oneOf } from './common.ts'
import { LimitRequestInput } from './limit-requests.ts'

export const SearchQuery = closed({
  search: Type.Optional(Type.String({ maxLength: 254 })),
  ...ListQuery.properties,
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
  acceptedTermsVersion: nullable(
    Type.String({ description: 'version of the terms that the developer accepted last' }),
  ),
  acceptedTermsAt: nullable(Instant),
})
export type OperatedDeveloper = Static<typeof OperatedDeveloper>
export const OperatedDeveloperList = listOf(OperatedDeveloper)
export type OperatedDeveloperList = Static<typeof OperatedDeveloperList>

/** An application as operators see it. */
export const OperatedApplication = closed({
  ...Application.properties,
  developerId: Id,
  developerEmail: Type.String(),
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
  createdByName: nullable(
    Type.String({ description: 'of the person, as it is now; null once it is erased' }),
  ),
  createdAt: Instant,
  expiresAt: Instant,
})
export type LimitOverride = Static<typeof LimitOverride>
export const LimitOverrideList = listOf(LimitOverride)
export type LimitOverrideList = Static<typeof LimitOverrideList>

export const LimitOverrideInput = closed({ ...LimitRequestInput.properties, expiresAt: Instant })
export type LimitOverrideInput = Static<typeof LimitOverrideInput>

export const OperatedApplicationDetail = closed({
  application: OperatedApplication,
  subscriptions: Type.Array(Subscription),
  overrides: Type.Array(LimitOverride),
})
export type OperatedApplicationDetail = Static<typeof OperatedApplicationDetail>

/** Applications with a call that had an X-Request-ID, the newest call first. */
export const OperatedCallPlaces = closed({ items: Type.Array(OperatedApplication) })
export type OperatedCallPlaces = Static<typeof OperatedCallPlaces>

export const RefusalsQuery = closed({
  hours: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,2}$', description: '1 to 720' })),
})
export type RefusalsQuery = Static<typeof RefusalsQuery>

/** Calls of all applications by hour, and what is registered. */
export const OperatorOverview = closed({
  hours: Type.Array(
    closed({
      at: Instant,
      admitted: Type.Integer(),
      refused: Type.Integer(),
      errors: Type.Integer(),
      clientErrors: Type.Integer({ description: 'allowed calls that the bank answered with 4xx' }),
    }),
    { description: 'the last 24, oldest first; the last one is not over' },
  ),
  counts: closed({
    developers: Type.Integer(),
    newDevelopers: Type.Integer(),
    applications: Type.Integer(),
    suspendedApplications: Type.Integer(),
    subscriptions: Type.Integer(),
    overrides: Type.Integer(),
  }),
  newDays: Type.Integer({ description: 'days within which a developer counts as new' }),
})
export type OperatorOverview = Static<typeof OperatorOverview>

/** What waits for an operator. */
export const Waiting = closed({
  developers: Type.Integer({ description: 'who wait for approval' }),
  limitRequests: Type.Integer({ description: 'open requests for more calls' }),
})
export type Waiting = Static<typeof Waiting>

const caller = {
  applicationId: Id,
  applicationName: Type.String(),
  developerEmail: Type.String(),
}

/** Published versions with the applications that called them. */
export const OperatorVersions = closed({
  from: Instant,
  items: Type.Array(
    closed({
      api: Type.String(),
      version: Type.String(),
      title: Type.String(),
      lifecycle: Lifecycle,
      isDeprecated: Type.Boolean(),
      isRetired: Type.Boolean(),
      subscriptions: Type.Integer(),
      callers: Type.Array(
        closed({
          ...caller,
          calls: Type.Integer({ description: 'refused calls included' }),
          lastCallAt: Type.String({ format: 'date-time', description: 'begin of its hour' }),
        }),
        { description: 'since `from`, most calls first' },
      ),
    }),
  ),
})
export type OperatorVersions = Static<typeof OperatorVersions>

/** Plans by version with their subscriptions, and the overrides that apply now. */
export const OperatorPlans = closed({
  items: Type.Array(
    closed({
      api: Type.String(),
      version: Type.String(),
      plan: PublishedPlan,
      subscriptions: Type.Integer(),
    }),
  ),
  overrides: Type.Array(
    closed({
      id: Id,
      applicationId: Id,
      applicationName: Type.String(),
      api: Type.String(),
      version: Type.String(),
      limit: Type.String({ description: 'name of the limit in the plan' }),
      calls: Type.Integer(),
      reason: Type.String(),
      expiresAt: Instant,
    }),
    { description: 'those that end first come first' },
  ),
})
export type OperatorPlans = Static<typeof OperatorPlans>

/** Applications with refused calls, most first. */
export const Refusals = closed({
  from: Instant,
  to: Instant,
  items: Type.Array(
    closed({
      ...caller,
      admitted: Type.Integer(),
      refused: Type.Integer(),
      errors: Type.Integer(),
      code: nullable(
        Type.String({
          description: 'most frequent among its latest refused calls, if any is left',
        }),
      ),
    }),
  ),
})
export type Refusals = Static<typeof Refusals>

const CallerFigures = closed({
  ...caller,
  admitted: Type.Integer(),
  refused: Type.Integer(),
  errors: Type.Integer({
    description: 'allowed calls that were answered with 5xx or incompletely',
  }),
})

/** Applications with the most calls, and those that will soon reach a limit. */
export const TopApplications = closed({
  hour: Type.Array(CallerFigures, { description: 'of the last hour, most calls first' }),
  day: Type.Array(CallerFigures, { description: 'of the last 24 hours, most calls first' }),
  usedUp: Type.Array(
    closed({
      ...caller,
      api: Type.String(),
      version: Type.String(),
      operation: nullable(Type.String({ description: 'null: all of the version together' })),
      limitName: Type.String(),
      limit: Type.Integer(),
      used: Type.Integer(),
      resetsAt: Instant,
    }),
    {
      description:
        'limits used to more than 80 %, only of the 25 applications with the most calls of the day; most of the limit first',
    },
  ),
})
export type TopApplications = Static<typeof TopApplications>

export const SignUpMode = closed({
  mode: oneOf(signUpModes),
})
export type SignUpMode = Static<typeof SignUpMode>

/** Query of a list whose items have numbers. */
const NumberedQuery = {
  limit: Type.Optional(ListLimit),
  after: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$' })),
}

export const AuditQuery = closed({
  subject: Type.Optional(Type.String({ maxLength: 100 })),
  actor: Type.Optional(Type.String({ maxLength: 300 })),
  ...NumberedQuery,
})
export type AuditQuery = Static<typeof AuditQuery>

export const AuditFileQuery = closed({
  subject: AuditQuery.properties.subject,
  actor: AuditQuery.properties.actor,
})
export type AuditFileQuery = Static<typeof AuditFileQuery>

const partyNames = {
  actorName: nullable(
    Type.String({ description: 'its present name; null: deleted, or not a person' }),
  ),
  subjectName: nullable(
    Type.String({ description: 'its present name; null: deleted, or without one' }),
  ),
}

/** Newest first; `after` goes back in time. */
export const AuditEntry = closed({
  id: Type.Integer(),
  at: Instant,
  actor: Type.String(),
  action: Type.String(),
  subject: Type.String(),
  ...partyNames,
  applicationName: nullable(
    Type.String({ description: 'present name of the application that the subject belongs to' }),
  ),
  detail: Type.Record(Type.String(), Type.String()),
  requestId: nullable(Type.String({ description: 'of the request to the portal' })),
  address: nullable(Type.String({ description: 'of the client, as far as it was recorded' })),
  agent: nullable(Type.String({ description: "the client's User-Agent" })),
})
export type AuditEntry = Static<typeof AuditEntry>
export const AuditList = listOf(AuditEntry)
export type AuditList = Static<typeof AuditList>

export const SecurityEventQuery = closed({
  event: Type.Optional(Type.String({ maxLength: 50 })),
  without: Type.Optional(Type.String({ maxLength: 50, description: 'an event to leave out' })),
  party: Type.Optional(
    Type.String({
      maxLength: 300,
      description: 'actor or subject: developer:<id>, application:<id>, staff:<id> …',
    }),
  ),
  keyId: Type.Optional(Type.String({ maxLength: 50, description: 'public part of an API key' })),
  from: Type.Optional(Instant),
  until: Type.Optional(Instant),
  ...NumberedQuery,
})
export type SecurityEventQuery = Static<typeof SecurityEventQuery>

/** Newest first; `after` goes back in time. */
export const SecurityEvent = closed({
  id: Type.Integer(),
  at: Instant,
  event: Type.String(),
  reason: nullable(Type.String()),
  actor: nullable(Type.String()),
  subject: nullable(Type.String()),
  ...partyNames,
  keyId: nullable(Type.String({ description: 'public part of an API key' })),
  address: nullable(Type.String({ description: 'of the client, as far as it was recorded' })),
  agent: nullable(Type.String({ description: "the client's User-Agent" })),
  requestId: nullable(Type.String()),
  detail: Type.Record(Type.String(), Type.String()),
})
export type SecurityEvent = Static<typeof SecurityEvent>
export const SecurityEventList = listOf(SecurityEvent)
export type SecurityEventList = Static<typeof SecurityEventList>
