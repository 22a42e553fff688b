// This folder is the sandbox bank, the backend that ships with the gateway. Read this file first, then `routes.ts`
// and `check-call.ts`: the checks of a request before its handler. `handlers/` answers calls, `sca/` has the pages
// where customers approve, `domain/` the rules, `processes/` the changes that take time or touch several tables,
// `stores/` the tables and `sandbox/` the fictional customers. The bank trusts only the gateway's signed header. It
// has no keys, plans or limits, and imports nothing of the gateway.

import { randomUUID as randomUUIDOfNode } from 'node:crypto'
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify'
import type { Brand } from '../catalogue/brand/brand.ts'
import type { Catalogue, Operation } from '../catalogue/catalogue.ts'
import type { Contract } from '../catalogue/contract.ts'
import { createRouter, type Router } from '../catalogue/router.ts'
import { type Database, isOutage } from '../platform/database/database.ts'
import type { WriteAccessLine } from '../platform/http/access-line.ts'
import { createHttpServer } from '../platform/http/http-server.ts'
import type { ListenerTls } from '../platform/http/tls.ts'
import type { Logger } from '../platform/log/log.ts'
import { readAccept } from './accept.ts'
import { registerApplicationEnds } from './application-ends.ts'
import type { Bank, Credentials, SandboxOffer } from './bank.ts'
import { BankError } from './bank-error.ts'
import type { BankMetrics } from './bank-metrics.ts'
import { createHandlers } from './handlers/index.ts'
import { createIdentityCheck, type IdentityOptions } from './identity.ts'
import { noOperation } from './no-operation.ts'
import { observeRequests } from './observe-requests.ts'
import { prepareContracts } from './prepare-contracts.ts'
import { createClockwork } from './processes/clockwork.ts'
import { startTimer } from './processes/timer.ts'
import { renderError } from './reply.ts'
import { requestIdOf } from './request-id.ts'
import { registerRoutes, send } from './routes.ts'
import { sandboxCredentials, sandboxSecrets } from './sandbox/credentials.ts'
import { sandboxNameIn } from './sandbox/name-in.ts'
import { sandboxPsus } from './sandbox/personas.ts'
import { registerSandboxRoutes } from './sandbox/sandbox-routes.ts'
import { createSca } from './sca/create-sca.ts'
import type { SealTrusts } from './seal-check.ts'
import { createBankStores } from './stores/bank-stores.ts'
import { traceIdOf } from './trace-id.ts'

export interface BackendOptions {
  /** TLS of the two listeners; undefined: plain HTTP. */
  readonly tls?: Readonly<Record<'backend' | 'sca', ListenerTls | undefined>> | undefined
  readonly catalogue: Catalogue
  /** Its migrations (`bankMigrations`) must have run. */
  readonly database: Database
  /** How to check the gateway's signature. */
  readonly identity: IdentityOptions
  readonly log: Logger
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** (Default: Node's) */
  readonly randomUUID?: () => string
  /** IANA zone whose calendar days the bank counts. */
  readonly timeZone: string
  /** Origin of the approval pages as PSUs reach it, without a trailing slash. */
  readonly scaPublicUrl: string
  /** (Default: those of the sandbox) */
  readonly credentials?: Credentials
  /** The current brand. (Default: that of the catalogue) */
  readonly brand?: () => Brand
  /** The issuers whose certificates may sign. (Default: no issuer is listed, so only registration counts) */
  readonly sealTrusts?: SealTrusts
  /** Maximum octets of a body. (Default: 1 MiB) */
  readonly bodyBytesMax?: number
  /** Undefined: the bank offers no sandbox. */
  readonly sandbox?: SandboxOptions | undefined
  /** (Default: the bank reports nothing) */
  readonly observer?: BankObserver
}

/** Receives the log lines, counts and progress of the bank. */
export interface BankObserver {
  readonly metrics: BankMetrics
  /** The log lines of calls; undefined if the gateway in this process writes them. */
  readonly callLine: WriteAccessLine | undefined
  /** The log lines of the approval pages. */
  readonly pageLine: WriteAccessLine
  /** Called each time that all due changes are made, at least every ten seconds. */
  readonly caughtUp: () => void
}

/** Further options of a bank with a sandbox. */
export interface SandboxOptions {
  /** Secrets of the portal, which may read the customers and create consents. Read at each request; each is valid. */
  readonly secrets: () => readonly string[]
  /** Origin of the portal, as browsers reach it. */
  readonly portalUrl: () => string
}

/** The bank: the interface, and the pages where PSUs approve. The caller lets both listen. */
export interface Backend {
  readonly app: FastifyInstance
  readonly sca: FastifyInstance
  /**
   * Prepares the interface for another catalogue. The returned function makes it
   * active for all later calls. Calls in progress keep the catalogue they began with.
   *
   * @throws when a document has an operation without a handler
   */
  prepare(catalogue: Catalogue): Promise<() => void>
  /** Finishes the calls in progress. The database stays open. */
  close(): Promise<void>
}

/**
 * Creates the bank behind the gateway.
 *
 * Once the interface listens, it compiles the contracts ahead of the calls, and
 * a timer makes the planned changes.
 *
 * @throws when a document has an operation without a handler
 */
export async function createBackend(options: BackendOptions): Promise<Backend> {
  const { database, log, now, timeZone, scaPublicUrl } = options
  const randomUUID = options.randomUUID ?? randomUUIDOfNode
  const credentials = options.credentials ?? sandboxCredentials
  const stores = createBankStores(database)
  const { sandbox } = options
  const bank: Bank = {
    stores,
    credentials,
    randomUUID,
    timeZone,
    scaPublicUrl,
    brand: options.brand ?? (() => current.catalogue.brand),
    sandbox: sandbox === undefined ? undefined : sandboxOffer(sandbox),
  }
  const identify = createIdentityCheck({ ...options.identity, now })
  const handlers = createHandlers(bank)

  /** Creates the interface of a catalogue. It answers requests but does not listen. */
  async function editionOf(catalogue: Catalogue): Promise<Edition> {
    const served = createListener(createRouter(catalogue), { ...options, tls: undefined })
    const contracts = registerRoutes(served, {
      catalogue,
      handlers,
      identify,
      now,
      hasReturnPage: sandbox !== undefined,
      sealTrusts: options.sealTrusts ?? (async () => ({ trusts: [], areNamed: false })),
    })
    registerApplicationEnds(served, { bank, identify, now })
    if (sandbox !== undefined) {
      registerSandboxRoutes(served, { secrets: sandbox.secrets, database, now, timeZone })
    }
    timer.follow(served)
    if (observer !== undefined) {
      const { metrics, callLine } = observer
      observeRequests(served, { listener: 'interface', metrics, writeAccessLine: callLine })
    }
    await served.ready()
    return { catalogue, contracts, served }
  }

  const app = createListener(createRouter(options.catalogue), options)
  // First of all hooks: a request belongs to the edition that is current when it begins.
  app.addHook('onRequest', (request, reply, _done) => {
    reply.hijack()
    current.served.routing(request.raw, reply.raw)
  })
  const sca = createSca({ bank, tls: options.tls?.sca, log, now })
  const { observer } = options
  const timer = startTimer(app, {
    clockwork: createClockwork(bank),
    stores,
    log,
    now,
    onPass(failures) {
      observer?.metrics.countFailures(failures)
      if (failures === 0) observer?.caughtUp()
    },
  })
  timer.follow(sca)
  if (observer !== undefined) {
    const { metrics, pageLine } = observer
    observeRequests(sca, { listener: 'pages', metrics, writeAccessLine: pageLine })
  }
  let current = await editionOf(options.catalogue)
  const preparation = prepareContracts(app, { contracts: current.contracts, log })
  await Promise.all([app.ready(), sca.ready()])
  return {
    app,
    sca,
    async prepare(catalogue) {
      const next = await editionOf(catalogue)
      return () => {
        current = next
        preparation.replace(next.contracts)
      }
    },
    async close() {
      await Promise.all([app.close(), sca.close()])
    },
  }
}

/** The interface of one catalogue. */
interface Edition {
  readonly catalogue: Catalogue
  readonly contracts: readonly Contract[]
  readonly served: FastifyInstance
}

function sandboxOffer({ portalUrl }: SandboxOptions): SandboxOffer {
  return {
    ...sandboxSecrets,
    customers: sandboxPsus.map(({ id, name, behaviour }) => ({ id, name, behaviour })),
    returnUrl: () => `${portalUrl()}/sandbox/return`,
    customersUrl: () => `${portalUrl()}/sandbox`,
    nameIn: sandboxNameIn,
  }
}

/** Fastify with explicit limits, and every error in the form of the interface. */
function createListener(
  router: Router,
  { log, tls, bodyBytesMax = 1_048_576 }: Pick<BackendOptions, 'log' | 'tls' | 'bodyBytesMax'>,
): FastifyInstance {
  const app = fastify({
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 512 },
    bodyLimit: bodyBytesMax,
    serverFactory: (handle) =>
      createHttpServer(
        // The gateway's pool must close a connection first, so it keeps one for less time.
        { tls: tls?.backend, idleMs: 60_000, keepAliveTimeout: 72_000 },
        handle,
      ),
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      void send(reply, rendered(failed(error, request), request))
    },
  })
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff')
    done()
  })
  // Bodies stay bytes, because digests and repeated POSTs compare bytes.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setNotFoundHandler((request, reply) => {
    const { error, api, headers } = noOperation(router, request.method, request.url)
    return send(reply.headers(headers), rendered(error, request, api))
  })
  app.setErrorHandler((error, request, reply) =>
    send(reply, rendered(failed(error, request), request)),
  )

  function failed(error: unknown, request: FastifyRequest): BankError {
    const failure = translate(error)
    if (failure.status >= 500) {
      log.error(
        { err: error, requestId: requestIdOf(request), traceId: traceIdOf(request) },
        'a call to the bank failed',
      )
    }
    return failure
  }

  return app
}

/** @param api the family that determines the form of the error (Default: that of the route) */
function rendered(
  error: BankError,
  request: FastifyRequest,
  api: string | undefined = request.routeOptions.config.api,
) {
  const isInternal = request.routeOptions.config.isInternal === true
  return renderError(error, {
    api,
    requestId: requestIdOf(request),
    prefersProblem: isInternal || readAccept(request.headers.accept).prefersProblem,
  })
}

/** Translates any error to one of the interface, without internal details. */
function translate(error: unknown): BankError {
  if (error instanceof BankError) return error
  const status = statusOf(error)
  if (status === 413 || status === 415) {
    const text = status === 413 ? 'The body is too large' : 'Content-Type is malformed'
    return new BankError('FORMAT_ERROR', text, { status, cause: error })
  }
  if (status >= 400 && status < 500) {
    return new BankError('FORMAT_ERROR', 'The request is malformed', { cause: error })
  }
  if (isOutage(error)) {
    return new BankError('SERVICE_UNAVAILABLE', 'Try again later', { cause: error })
  }
  return new BankError('INTERNAL_SERVER_ERROR', 'An unexpected error occurred', { cause: error })
}

function statusOf(error: unknown): number {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  return typeof status === 'number' ? status : 500
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The API of the route's operation. It determines the form of its errors. */
    api?: string
    /** The operation that the route serves. */
    operation?: Operation
    /** Whether only the gateway or the portal may call the route. Its errors are problem documents. */
    isInternal?: boolean
  }
}
