import { STATUS_CODES } from 'node:http'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { type ErrorCode, errors } from '../../platform/http/errors.ts'
import { isLimited } from '../accounts/limit-changes.ts'
import { type Access, apiTags, tagOf } from './route-schema.ts'
import * as accounts from './schemas/accounts.ts'
import * as alerts from './schemas/alerts.ts'
import * as applications from './schemas/applications.ts'
import * as availability from './schemas/availability.ts'
import * as brand from './schemas/brand.ts'
import * as catalogue from './schemas/catalogue.ts'
import * as common from './schemas/common.ts'
import * as factors from './schemas/factors.ts'
import * as guides from './schemas/guides.ts'
import * as limitRequests from './schemas/limit-requests.ts'
import * as mailbox from './schemas/mailbox.ts'
import * as moves from './schemas/moves.ts'
import * as operator from './schemas/operator.ts'
import * as sandbox from './schemas/sandbox.ts'
import * as usage from './schemas/usage.ts'

export interface ApiDocumentOptions {
  /** Origin of the portal. */
  readonly portalUrl: string
  /** Name of the session's cookie. */
  readonly sessionCookie: string
}

/**
 * Collects the routes of the JSON API that are registered from now on, to
 * describe them as an OpenAPI 3.1 document. The document uses the schemas that
 * validate and serialize, so it cannot differ from the served API.
 *
 * @returns a function that creates the document; call it when all routes are registered
 */
export function describeApi(
  app: Pick<FastifyInstance, 'addHook'>,
): (options: ApiDocumentOptions) => object {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/api/') && route.method !== 'HEAD') routes.push(route)
  })
  return (options) => documentOf(routes, options)
}

function documentOf(
  routes: readonly RouteOptions[],
  { portalUrl, sessionCookie }: ApiDocumentOptions,
): object {
  const components = createComponents()
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const path = route.url.replace(pathParameter, '{$1}')
    paths[path] = {
      ...paths[path],
      [String(route.method).toLowerCase()]: operationOf(route, components),
    }
  }
  const used = new Set<string>(routes.map(({ url }) => tagOf(url)))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tollgate portal',
      version: '1.0.0',
      summary: 'Applications, subscriptions, keys and usage',
      description:
        'Sign in and send the session cookie with every request. Every error is a problem document (RFC 9457) with a stable `code`. A resource of another developer and one that does not exist get the same 404.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: portalUrl }],
    tags: Object.entries(apiTags).flatMap(([name, description]) =>
      used.has(name) ? [{ name, description }] : [],
    ),
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: sessionCookie } },
    },
  }
}

/** Describes a route. JSON leaves out the members that are undefined. */
function operationOf(route: RouteOptions, { show }: Components): object {
  const schema = route.schema ?? {}
  const access = route.config?.access ?? 'anyone'
  const parameters = [
    ...parametersOf(schema.params ?? pathParameters(route.url), 'path'),
    ...parametersOf(schema.querystring, 'query'),
  ].map((parameter) => ({ ...parameter, schema: show(parameter.schema) }))
  const { operationId, summary, body } = schema
  return {
    operationId,
    summary,
    tags: [tagOf(route.url)],
    security: access === 'anyone' ? [] : [{ session: [] }],
    description: access === 'operator' ? 'Operators only; others get 404.' : undefined,
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: body && {
      required: !takesNull(body),
      content: { 'application/json': { schema: show(body) } },
    },
    responses: { ...answersOf(schema, show), ...problemsOf(route, schema, access, show) },
  }
}

/** Whether a route accepts a call without a body, which Fastify validates as null. */
function takesNull(schema: object): boolean {
  const choices: unknown = Reflect.get(schema, 'anyOf')
  return (
    Array.isArray(choices) && choices.some((each) => Reflect.get(Object(each), 'type') === 'null')
  )
}

/** A parameter in the path of a route of Fastify: `:id`. */
const pathParameter = /:([A-Za-z]+)/g

/** The schema of the path parameters of a route that describes none: each is text. */
function pathParameters(url: string): object {
  const names = [...url.matchAll(pathParameter)].map(([, name = '']) => name)
  return { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) }
}

function parametersOf(schema: unknown, place: 'path' | 'query') {
  const { properties = {}, required = [] } = partsOf(schema)
  return Object.entries(properties).map(([name, described]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: described,
  }))
}

function answersOf({ response }: FastifySchema, show: Components['show']): Record<string, object> {
  const answers = Object.entries(response ?? {}).map(([status, schema]) => {
    const description = STATUS_CODES[status] ?? 'Done'
    const { content, type } = partsOf(schema)
    if (type === 'null') return [status, { description }]
    const shown = content ?? { 'application/json': { schema: show(schema) } }
    return [status, { description, content: shown }]
  })
  return Object.fromEntries(answers)
}

/** The error responses of a route by status. Several codes may share a status; its description names each. */
function problemsOf(
  { method, url, config }: RouteOptions,
  { body, querystring, problems = [] }: FastifySchema,
  access: Access,
  show: Components['show'],
): Record<string, object> {
  const codes = new Set<ErrorCode>(problems)
  if (body !== undefined || querystring !== undefined) codes.add('INPUT_INVALID')
  if (access !== 'anyone') codes.add('SESSION_REQUIRED')
  if (access !== 'anyone' && isLimited(String(method))) codes.add('ATTEMPTS_EXCEEDED')
  if (access === 'operator' || url.includes(':')) codes.add('NOT_FOUND')
  if (config?.needsProof !== undefined) codes.add('STEP_UP_REQUIRED')
  if (config?.needsFactor === true) codes.add('ENROLMENT_REQUIRED')
  if (method !== 'GET') codes.add('CROSS_SITE')
  codes.add('STORE_UNAVAILABLE')
  const byStatus = Map.groupBy(codes, (code) => errors[code].status)
  const answers: Record<string, object> = {}
  for (const [status, ofStatus] of byStatus) {
    answers[String(status)] = {
      description: ofStatus.map((code) => `${code}: ${errors[code].title}`).join('; '),
      content: { 'application/problem+json': { schema: show(common.Problem) } },
    }
  }
  return answers
}

interface Components {
  readonly schemas: Readonly<Record<string, unknown>>
  /** Returns a schema as the document shows it: a named schema becomes a reference, and a member of `schemas`. */
  show(schema: unknown): unknown
}

const schemaFiles = [
  accounts,
  alerts,
  applications,
  availability,
  brand,
  catalogue,
  common,
  factors,
  guides,
  limitRequests,
  mailbox,
  moves,
  operator,
  sandbox,
  usage,
]

/** The name of each schema in the document: that of its export. Patterns and functions are exported, too. */
const schemaNames = new Map<unknown, string>(
  schemaFiles.flatMap((file) =>
    Object.entries(file).flatMap(([name, schema]) =>
      typeof schema === 'object' ? [[schema, name] as const] : [],
    ),
  ),
)

function createComponents(): Components {
  const schemas: Record<string, unknown> = {}

  function copy(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(show)
    if (typeof schema !== 'object' || schema === null) return schema
    return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, show(part)]))
  }

  function show(schema: unknown): unknown {
    const name = schemaNames.get(schema)
    if (name === undefined) return copy(schema)
    if (!(name in schemas)) {
      schemas[name] = undefined
      schemas[name] = copy(schema)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  return { schemas, show }
}

/** The parts of a schema that the document needs. */
interface SchemaParts {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
  readonly content?: object
}

function partsOf(schema: unknown): SchemaParts {
  // The schemas of routes are our own, of TypeBox.
  return (schema ?? {}) as SchemaParts
}
