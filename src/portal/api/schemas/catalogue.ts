import { type Static, Type } from 'typebox'
import { methods } from '../../../catalogue/catalogue.ts'
import { changeVerbs, partKinds } from '../../../catalogue/change.ts'
import { closed, listOf, nullable, oneOf } from './common.ts'

/** Announced ends of a version, days as `YYYY-MM-DD`; a member that is absent is not announced. */
export const Lifecycle = closed({
  deprecated: Type.Optional(Type.String()),
  sunset: Type.Optional(Type.String()),
  successor: Type.Optional(Type.String()),
  retired: Type.Optional(Type.String()),
})
export type Lifecycle = Static<typeof Lifecycle>

const operationMembers = {
  id: Type.String(),
  method: oneOf(methods),
  summary: Type.String(),
  availableIn: Type.Array(Type.String(), {
    description: 'versions of the API that have it, oldest first',
  }),
  removedIn: nullable(
    Type.String({
      description: 'the first version without the operation; null if every later version has it',
    }),
  ),
}

export const PublishedOperation = closed({
  ...operationMembers,
  tag: Type.String({ description: 'its subject: the first tag in the document; may be empty' }),
  path: Type.String({ description: 'with the prefix of the version' }),
})
export type PublishedOperation = Static<typeof PublishedOperation>

/** An operation that other versions of the API have and this one does not. */
export const MissingOperation = closed({
  ...operationMembers,
  template: Type.String({ description: 'path without the prefix of a version' }),
})
export type MissingOperation = Static<typeof MissingOperation>

/** The time window of a limit; one of the two is null. */
export const windowMembers = {
  windowSeconds: nullable(
    Type.Integer({ description: 'length of the window; null: a calendar window' }),
  ),
  calendarWindow: nullable(
    closed({
      unit: oneOf(['day', 'month']),
      timeZone: Type.String({ description: 'of the IANA database, such as Europe/Berlin' }),
    }),
  ),
}

/** Calls allowed within a window. */
export const PublishedLimit = closed({
  name: Type.String(),
  calls: Type.Integer(),
  ...windowMembers,
  scope: oneOf(['operation', 'plan'], {
    description: 'operation: a separate limit for each; plan: one limit for the whole version',
  }),
})
export type PublishedLimit = Static<typeof PublishedLimit>

export const PublishedPlan = closed({
  name: Type.String(),
  title: Type.String(),
  description: Type.String({ description: 'what the plan is for; may be empty' }),
  limits: Type.Array(PublishedLimit),
})
export type PublishedPlan = Static<typeof PublishedPlan>

/** A text by language; a page without one in its own language shows the English one. */
export const LocalText = closed({ en: Type.String(), he: Type.Optional(Type.String()) })
export type LocalText = Static<typeof LocalText>

/** What the operations of some tags offer together. */
export const PublishedProduct = closed({
  title: LocalText,
  summary: LocalText,
  icon: Type.String({ description: 'name of a picture; may be empty' }),
  tags: Type.Array(Type.String()),
})
export type PublishedProduct = Static<typeof PublishedProduct>

export const PublishedVersion = closed({
  version: Type.String(),
  title: Type.String(),
  summary: Type.String({ description: 'first sentence of its document; may be empty' }),
  lifecycle: Lifecycle,
  isDeprecated: Type.Boolean({ description: 'today' }),
  isRetired: Type.Boolean({ description: 'today: every call gets 410' }),
  operations: Type.Array(PublishedOperation),
  missing: Type.Array(MissingOperation),
  tags: Type.Array(closed({ name: Type.String(), title: Type.String() }), {
    description: 'the subjects of its operations, in order; the title is in the language asked for',
  }),
  products: Type.Array(PublishedProduct, { description: 'in the order of the document' }),
  plans: Type.Array(PublishedPlan),
})
export type PublishedVersion = Static<typeof PublishedVersion>

export const PublishedApi = closed({
  api: Type.String(),
  title: Type.String(),
  versions: Type.Array(PublishedVersion, { description: 'oldest first' }),
})
export type PublishedApi = Static<typeof PublishedApi>

/** What the document of a version says about itself, before its operations. */
export interface AboutVersion {
  readonly api: string
  readonly version: string
  /** Markdown, in the language of the page; may be empty. */
  readonly description: string
  /** Address of the gateway with the prefix of the version; empty if the document names none. */
  readonly address: string
}

/** `GET /api/apis`: the published APIs; public. */
export const PublishedApis = listOf(PublishedApi)
export type PublishedApis = Static<typeof PublishedApis>

/** `GET /api/front`: what the first page shows in addition to the list of APIs; public. */
export const FrontPage = closed({
  /** One call of the newest version that names one, and answers to it. */
  sample: nullable(
    closed({
      api: Type.String(),
      version: Type.String(),
      operation: Type.String(),
      samples: Type.Array(closed({ label: Type.String(), source: Type.String() })),
      answers: Type.Array(closed({ status: Type.Integer(), text: Type.String() })),
    }),
  ),
  customers: nullable(
    Type.Integer({
      description: 'fictional customers of the bank; null: no sandbox, or it is away',
    }),
  ),
  /** The first limit of the first plan of that version. */
  limit: nullable(PublishedLimit),
  hasProducts: Type.Boolean({ description: 'whether a document names products (`x-products`)' }),
})
export type FrontPage = Static<typeof FrontPage>

export const DiffQuery = closed({ from: Type.String(), to: Type.String() })
export type DiffQuery = Static<typeof DiffQuery>

const diffedMembers = {
  id: Type.String(),
  method: operationMembers.method,
  template: Type.String({ description: 'path without the prefix of a version' }),
  summary: Type.String(),
}

export const DiffedOperation = closed(diffedMembers)
export type DiffedOperation = Static<typeof DiffedOperation>

/** One difference between two versions, in parts and in English words. */
export const VersionChange = closed({
  part: closed({
    kind: oneOf(partKinds),
    status: Type.Optional(Type.String({ description: 'of a response' })),
    name: Type.Optional(Type.String({ description: 'of a parameter or a header' })),
  }),
  path: Type.String({ description: 'of the member within the part; empty: the part itself' }),
  verb: oneOf(changeVerbs),
  values: Type.Record(Type.String(), Type.String(), {
    description: 'what the verb names, such as the `rule` and its values `from` and `to`',
  }),
  where: Type.String(),
  message: Type.String(),
  isBreaking: Type.Boolean(),
})
export type VersionChange = Static<typeof VersionChange>

export const ChangedOperation = closed({
  ...diffedMembers,
  changes: Type.Array(VersionChange),
})
export type ChangedOperation = Static<typeof ChangedOperation>

/** What moving from one version of an API to another means to a caller. */
export const VersionDiff = closed({
  api: Type.String(),
  from: Type.String(),
  to: Type.String(),
  added: Type.Array(DiffedOperation),
  removed: Type.Array(DiffedOperation),
  changed: Type.Array(ChangedOperation),
})
export type VersionDiff = Static<typeof VersionDiff>
