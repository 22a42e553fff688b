// This folder turns the documents and plans of `config/` into the catalogue: the frozen data by which the gateway, the
// portal and the bank decide which versions, operations and limits exist. This file says what a catalogue holds. Next,
// read `load-catalogue.ts` (the steps of a load), `load-version.ts` and `load-plan.ts`. `source.ts` reads the files and
// knows the line of everything; `bundle.ts` makes one document of a version's files; `brand/` reads the bank's brand.
// The rest uses a loaded catalogue: `contract.ts` validates calls, `router.ts` finds operations, `diff.ts` compares
// versions.

import type { Psd2Role } from '../certificates/psd2-role.ts'
import type { Language } from '../messages/language.ts'
import type { Brand } from './brand/brand.ts'

/** HTTP methods an operation may have. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof methods)[number]

/**
 * When a version is announced to end, and when it does. Dates are
 * `YYYY-MM-DD` and mean 00:00 UTC of that day.
 */
export interface Lifecycle {
  /** From this day answers carry `Deprecation` (RFC 9745). */
  readonly deprecated?: string
  /** Announced by `Sunset` (RFC 8594); ends nothing by itself. */
  readonly sunset?: string
  /** The version to move to, of the same API. */
  readonly successor?: string
  /** From this day every call is answered 410. */
  readonly retired?: string
}

/** One piece of an operation's path between two slashes; texts are spelled as `canonicalPath` spells them. */
export type Segment =
  /** Empty only at the end of a path: `/accounts/` has two segments. */
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'parameter'; readonly name: string }
  /** Parameters and texts, `{id}:close`; the texts before, between and after the parameters, which may be empty. */
  | { readonly kind: 'mixed'; readonly texts: readonly string[] }

/** One thing a version of an API can do: a method on a path. */
export interface Operation {
  /**
   * The `operationId` of the document, or one made of method and path: letters, digits and `._-`, at most 128. The same
   * in every version that has the operation.
   */
  readonly id: string
  readonly api: string
  readonly version: string
  readonly method: Method
  /** As published, with the prefix of its version: `/v1.7.0/accounts/{account-id}`. */
  readonly path: string
  /** The path without that prefix, as the document writes it: `/accounts/{account-id}`. */
  readonly template: string
  /** Segments of {@link template}. */
  readonly segments: readonly Segment[]
  /** {@link id}, if the document gives none. */
  readonly summary: string
  /** Its first tag; empty without one. */
  readonly tag: string
  /** The PSD2 role that a client certificate must have (`x-psd2-role`); undefined: any certificate. */
  readonly psd2Role: Psd2Role | undefined
  /** Whether the document describes a request body. */
  readonly hasBody: boolean
  readonly declared: DeclaredNames
  /** Versions of the same API that have this operation, oldest first; contains {@link version}. */
  readonly availableIn: readonly string[]
}

/** Names that a document declares for an operation, as written. */
export interface DeclaredNames {
  /** Header fields of requests; `Cookie` stands for all parameters in cookies. */
  readonly headers: readonly string[]
  /** Parameters of the query. */
  readonly query: readonly string[]
  /** Header fields of any response. */
  readonly responseHeaders: readonly string[]
}

/** Texts of a document in another language, by the names and titles that the document has. */
export interface Translation {
  readonly title?: string
  /** What the version offers, in a sentence. */
  readonly summary?: string
  /** What the document says about itself, in Markdown. */
  readonly description?: string
  readonly tags: Readonly<Record<string, string>>
  /** Summaries by `operationId`. */
  readonly operations: Readonly<Record<string, string>>
  /** Descriptions by `operationId`, in Markdown. */
  readonly descriptions: Readonly<Record<string, string>>
  /** Descriptions by the name of the parameter. */
  readonly parameters: Readonly<Record<string, string>>
  /** Titles of examples by the `summary` in the document. */
  readonly examples: Readonly<Record<string, string>>
  /** Titles of `x-sample-flows`. */
  readonly flows: Readonly<Record<string, string>>
  /** All other descriptions (of responses, headers, bodies, schemas, …) and titles of forms, by the text in the document. */
  readonly texts: Readonly<Record<string, string>>
}

/** One published version of an API, made from one OpenAPI document. */
export interface ApiVersion {
  readonly api: string
  /** At most six numbers with dots between them: `4`, `1.7.0`. The name of the file, not `info.version`. */
  readonly version: string
  readonly title: string
  /** Where the gateway publishes it: `/v1.7.0`, `/open-banking/v4.0`; empty: at the root. Spelled as by `canonicalPath`. */
  readonly prefix: string
  /** The path under which a backend has it, unless the URL of the backend has a path; empty: at the root. */
  readonly basePath: string
  /**
   * URL of its backend as its document or overlay says; undefined: they say nothing. A path, or a slash alone, takes the
   * place of {@link basePath}.
   */
  readonly backend: string | undefined
  /**
   * Which fields of a request reach the backend: all end-to-end fields but those
   * that only an edge may set, or those of HTTP and of the documents.
   */
  readonly forwardHeaders: 'all' | 'declared'
  readonly lifecycle: Lifecycle
  /** Where the security schemes of its document put credentials: names of header fields and of query parameters. */
  readonly credentials: Pick<DeclaredNames, 'headers' | 'query'>
  /** The prefix of the version to move to; undefined without a successor. */
  readonly successorPrefix: string | undefined
  /** In document order. */
  readonly operations: readonly Operation[]
  /**
   * The OpenAPI document in one piece: its overlay is applied, and every reference to another file is resolved into
   * it.
   */
  readonly document: KeptDocument
  /** Translations of the document, whose own texts are in English; a language without a file is absent. */
  readonly translations: Readonly<Partial<Record<Language, Translation>>>
  /** Names of the plans whose `apis` match this version, in the order of their names. */
  readonly plans: readonly string[]
}

/** What one limit of a plan counts: each operation separately, or the API version as a whole. */
export type LimitScope = 'operation' | 'plan'

/**
 * How long the windows of a limit are: seconds (1 to 31,536,000) for clock
 * windows, or the days or months of a calendar. As text, each length has one
 * form, `3600` or `P1M@Europe/Berlin`, which bucket names and the journal contain.
 */
export type WindowLength = number | CalendarLength

/** A period and the IANA time zone of its calendar. */
export type CalendarLength = `${'P1D' | 'P1M'}@${string}`

/** The parts of a {@link CalendarLength}. */
export interface CalendarPeriod {
  readonly unit: 'day' | 'month'
  readonly timeZone: string
}

/** A length as answers and commands show it: one of the two is null. */
export interface ShownWindow {
  readonly windowSeconds: number | null
  readonly calendarWindow: CalendarPeriod | null
}

/** Calls allowed within a window. */
export interface Limit {
  /** Unique in its plan; a token of RFC 9110 (it is sent in `RateLimit-Policy`). */
  readonly name: string
  /** 1 to 1,000,000,000. */
  readonly calls: number
  readonly windowLength: WindowLength
  readonly scope: LimitScope
  /** Whether the `RateLimit` fields of responses show it. */
  readonly isAdvertised: boolean
}

/** What to do with a call while the counter store does not answer. */
export type OutagePolicy = 'local-share' | 'deny' | 'allow'

/** What a plan is called and for, in one language. */
export interface PlanTexts {
  readonly title?: string
  readonly description?: string
}

/** The terms under which an application calls an API version. */
export interface Plan {
  /** File name without `.yaml`, and the identifier stored in subscriptions. */
  readonly name: string
  readonly title: string
  /** What the plan is for, in the operator's words; may be empty. */
  readonly description: string
  /** Title and description in other languages; what is absent is in English only. */
  readonly translations?: Readonly<Partial<Record<Language, PlanTexts>>>
  /** Patterns `<api>@<version>`, the version may be `*`. */
  readonly apis: readonly string[]
  /** At least one. */
  readonly limits: readonly Limit[]
  /** `observe` counts and reports but refuses nothing. */
  readonly mode: 'enforce' | 'observe'
  readonly onStoreOutage: OutagePolicy
  /** Other limits, counted for the same calls to see what they would refuse. */
  readonly rehearsal?: Rehearsal
}

/** A plan that is counted beside another one for the same calls, and refuses none. */
export interface Rehearsal
  extends Pick<Plan, 'name' | 'title' | 'apis' | 'limits' | 'onStoreOutage'> {
  /** The versions of the other plan that it is counted for, as `<api>@<version>`. */
  readonly versions: readonly string[]
}

/** All that is published and on which terms. Deeply frozen; a reload makes a new one. */
export interface Catalogue {
  /** Versions by `<api>@<version>`, APIs in the order of their names, versions oldest first. */
  readonly versions: ReadonlyMap<string, ApiVersion>
  /** Plans by name. */
  readonly plans: ReadonlyMap<string, Plan>
  /** How portal, bank pages and mails present themselves. */
  readonly brand: Brand
  /**
   * SHA-256 (hexadecimal) over the contents of all files that it was made from: two processes with the same
   * digest serve the same, on whichever machine.
   */
  readonly digest: string
}

/** A JSON value as YAML or JSON parsing gives it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [member: string]: Json | undefined
}

/** An OpenAPI 3.1 document after its check: only what the code walks is typed. */
export interface OpenApiDocument extends JsonObject {
  readonly openapi: string
  readonly info: JsonObject
  readonly paths: JsonObject
}

/** A document in memory, as JSON. */
export interface KeptDocument {
  /** Its members `info`, `x-products` and `x-sample-flows`, which lists show. Deeply frozen. */
  readonly head: JsonObject & { readonly info: JsonObject }
  /** Its JSON in UTF-8, in the version that its file has; not to be changed. */
  json(): Buffer
  /**
   * The document in the form of OpenAPI 3.1, deeply frozen. Another object may be returned each time, so ask once for a
   * task.
   */
  read(): OpenApiDocument
}

/** The key of a version in {@link Catalogue.versions}. */
export function versionKey(api: string, version: string): string {
  return `${api}@${version}`
}
