import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ApiVersion, Catalogue, Operation } from '../catalogue/catalogue.ts'
import { type Contract, compileContracts } from '../catalogue/contract.ts'
import { shapeOf } from '../catalogue/path-template.ts'
import { readAccept } from './accept.ts'
import type { Handler } from './bank-call.ts'
import { BankError } from './bank-error.ts'
import { checkCall } from './check-call.ts'
import { expired } from './handlers/consents.ts'
import { type Identity, identityHeader, invalid } from './identity.ts'
import { type RenderedReply, renderAnswer, renderError } from './reply.ts'
import { requestIdOf } from './request-id.ts'
import { checkSeal, type SealTrusts } from './seal-check.ts'

export interface RoutesOptions {
  readonly catalogue: Catalogue
  readonly handlers: Readonly<Record<string, Handler>>
  readonly identify: (token: string | undefined) => Promise<Identity>
  /** Whether the portal has a page for redirects that name no address. */
  readonly hasReturnPage: boolean
  readonly sealTrusts: SealTrusts
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The operation of a route, with its contract and handler. */
interface OperationRoute {
  readonly version: ApiVersion
  readonly operation: Operation
  readonly contract: Contract
  readonly handler: Handler
  readonly offers: ReadonlySet<string>
}

/**
 * Adds one route for each operation of each document.
 *
 * @returns the contracts of all operations, in the order of the documents
 * @throws when a document has an operation without a handler; the message names each one
 */
export function registerRoutes(app: FastifyInstance, options: RoutesOptions): readonly Contract[] {
  const versions = [...options.catalogue.versions.values()]
  matchHandlers(versions, options.handlers)
  const all: Contract[] = []
  for (const version of versions) {
    const contracts = compileContracts(version)
    const offers = new Set(version.operations.map(({ id }) => id))
    for (const operation of version.operations) {
      const contract = contracts.get(operation.id)
      const handler = options.handlers[operation.id]
      if (contract === undefined || handler === undefined) continue
      all.push(contract)
      const route = { version, operation, contract, handler, offers }
      app.route({
        method: operation.method,
        url: version.basePath + urlOf(operation),
        config: { api: operation.api, operation },
        handler: async (request, reply) => send(reply, await serve(route, options, request)),
      })
    }
  }
  return all
}

function matchHandlers(
  versions: readonly ApiVersion[],
  handlers: Readonly<Record<string, Handler>>,
): void {
  const operations = versions.flatMap((version) => version.operations)
  const unserved = operations
    .filter(({ id }) => !Object.hasOwn(handlers, id))
    .map(({ api, version, id }) => `${api}@${version} ${id}`)
  if (unserved.length > 0) {
    const names = unserved.map((name) => `  ${name}`).join('\n')
    throw new Error(
      `the sandbox bank has no such operation:\n${names}\nTo publish an API of your own, leave the bank out: BACKEND_URL=http://10.0.0.7:3000 tollgate start gateway portal. An operation of the bank needs a handler in src/backend/handlers`,
    )
  }
}

/** Names of parameters end at a hyphen in Fastify's paths, so they get numbers there. The bank has no mixed segments. */
function urlOf({ segments }: Operation): string {
  const parts = segments.map((segment, index) =>
    segment.kind === 'parameter' ? `:p${index}` : shapeOf(segment),
  )
  return `/${parts.join('/')}`
}

/** Serves one call in the order of docs/bank.md, Requests: identity, the checks of `checkCall`, the handler. */
async function serve(
  { version, operation, contract, handler, offers }: OperationRoute,
  { identify, hasReturnPage, sealTrusts: trusts, now }: RoutesOptions,
  request: FastifyRequest,
): Promise<RenderedReply> {
  const requestId = requestIdOf(request)
  const { json, prefersProblem } = readAccept(request.headers.accept)
  try {
    const token = request.headers[identityHeader]
    const identity = await identify(typeof token === 'string' ? token : undefined)
    if (identity.api !== operation.api || identity.version !== operation.version) {
      throw invalid()
    }
    const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const at = now()
    if (identity.isStrict) {
      await checkSeal(request.headers['tpp-signature-certificate'], { trusts, operation, now: at })
    }
    const checked = checkCall({
      operationId: operation.id,
      contract,
      path: parametersOf(operation, request),
      query: request.query,
      headers: request.headers,
      rawBody,
      now: at,
      isJsonAccepted: json,
      isStrict: identity.isStrict,
      seals: identity.seals,
    })
    // No check of a consent would answer this drill, so the bank would serve a call that no plan counts.
    if (identity.isConsentExpired && checked.headers['consent-id'] === undefined) throw expired()
    const answer = await handler({
      ...checked,
      operation,
      offers,
      rawBody,
      requestId,
      prefix: version.prefix,
      applicationId: identity.applicationId,
      applicationName: identity.applicationName,
      isStrict: identity.isStrict,
      redirectOrigins: identity.redirectOrigins,
      isConsentExpired: identity.isConsentExpired,
      // The standard has no such page, so a strict application does not get it.
      hasReturnPage: hasReturnPage && !identity.isStrict,
      target: request.raw.url ?? '',
      now: at,
    })
    return renderAnswer(answer, requestId)
  } catch (error) {
    if (!(error instanceof BankError)) throw error
    return renderError(error, { api: operation.api, requestId, prefersProblem })
  }
}

/** Parameters by the names of the document. */
function parametersOf(operation: Operation, { params }: FastifyRequest): Record<string, string> {
  const values = new Map(Object.entries(params ?? {}))
  return Object.fromEntries(
    operation.segments.flatMap((segment, index) =>
      segment.kind === 'parameter' ? [[segment.name, String(values.get(`p${index}`))]] : [],
    ),
  )
}

/** Writes a rendered reply as bytes, because Fastify would add a charset to text, and JSON types have none. */
export function send(reply: FastifyReply, { status, headers, payload }: RenderedReply) {
  const bytes = payload === undefined ? undefined : Buffer.from(payload)
  return reply.code(status).headers(headers).send(bytes)
}
