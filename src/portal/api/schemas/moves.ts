import { type Static, Type } from 'typebox'
import { ChangedOperation, DiffedOperation } from './catalogue.ts'
import { closed, Instant, nullable, oneOf } from './common.ts'

const VersionName = Type.String({ minLength: 1, maxLength: 100, description: 'e.g. 1.7.0' })

export const MoveQuery = closed({ to: VersionName })
export type MoveQuery = Static<typeof MoveQuery>

export const MoveInput = closed({
  to: VersionName,
  plan: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'without it, that of the subscription to the new version if there is one, else the same as now',
    }),
  ),
})
export type MoveInput = Static<typeof MoveInput>

export const ReplayedOperation = closed({
  ...DiffedOperation.properties,
  calls: Type.Integer(),
  allowedBefore: Type.Integer({ description: 'of these, allowed when they were made' }),
  allowed: Type.Integer({ description: 'of these, allowed by the new version' }),
  refusals: Type.Array(
    closed({
      code: Type.String(),
      status: Type.Integer(),
      calls: Type.Integer(),
      because: oneOf(['version', 'limit', 'call'], {
        description:
          'version: it lacks the operation; limit: it would be used up; call: refused for its key, address, certificate or form in every version',
      }),
    }),
  ),
  instead: Type.Array(DiffedOperation, {
    description: 'what to call in the new version; empty unless it lacks the operation',
  }),
  note: nullable(
    Type.String({ description: "the operation's description in the old version's document" }),
  ),
  changes: ChangedOperation.properties.changes,
})
export type ReplayedOperation = Static<typeof ReplayedOperation>

/** The predicted result of an application's recorded calls to one version under another. */
export const Replay = closed({
  calls: Type.Integer({
    description: 'recorded calls to the old version for which something is predicted',
  }),
  allowed: Type.Integer(),
  refused: Type.Integer(),
  missing: Type.Integer({ description: 'of the refused: the new version lacks the operation' }),
  unknown: Type.Integer({
    description: 'further calls that matched no operation; nothing is predicted for them',
  }),
  leftOut: Type.Integer({
    description:
      'further calls that ended for a passing reason: an outage, an overload, too many calls at once, a suspension, or the client gave up; nothing is predicted for them',
  }),
  since: nullable(Instant),
  until: nullable(Instant),
  operations: Type.Array(ReplayedOperation, {
    description: 'those that the new version lacks first, then most calls first',
  }),
})
export type Replay = Static<typeof Replay>

/** What moving a subscription to another version means. */
export const MovePreview = closed({
  api: Type.String(),
  from: Type.String(),
  to: Type.String(),
  plan: Type.String({ description: 'of the subscription to the new version' }),
  keepsPlan: Type.Boolean({ description: 'whether that is the plan of the old one' }),
  isSubscribed: Type.Boolean({ description: 'to the new version, already' }),
  overrides: Type.Array(
    closed({ limit: Type.String(), calls: Type.Integer(), expiresAt: Instant }),
    { description: 'limits that an operator changed for the old version only' },
  ),
  replay: Replay,
})
export type MovePreview = Static<typeof MovePreview>
