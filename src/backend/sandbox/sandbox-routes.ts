import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Database } from '../../platform/database/database.ts'
import { BankError, formatError } from '../bank-error.ts'
import { consentAt } from '../domain/consent.ts'
import { isUuid } from '../domain/identifiers.ts'
import { keepsConsents } from '../domain/psu.ts'
import { createBankStores } from '../stores/bank-stores.ts'
import { createSeededConsent, demonstrationPsu } from './create-seeded-consent.ts'
import { describeSandbox } from './describe-sandbox.ts'
import { sandboxNameIn } from './name-in.ts'
import { type SandboxPsu, sandboxPsus } from './personas.ts'

export interface SandboxRoutesOptions {
  /** Secrets; the portal sends one as `Authorization: Bearer …`. */
  readonly secrets: () => readonly string[]
  readonly database: Database
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly timeZone: string
}

/**
 * Adds the routes that only the portal may call: the customers of the sandbox, a
 * ready consent for an application, and the consents that customers approved.
 * They are not part of the interface, and no call through the gateway reaches
 * them. Their errors are problem documents.
 */
export function registerSandboxRoutes(app: FastifyInstance, options: SandboxRoutesOptions): void {
  const { consents } = createBankStores(options.database)
  app.register((scope, _options, done) => {
    scope.addHook('onRequest', (request, _reply, next) => {
      const given = digest(request.headers.authorization ?? '')
      const isPortal = options
        .secrets()
        .some((secret) => timingSafeEqual(given, digest(`Bearer ${secret}`)))
      next(isPortal ? undefined : notThePortal())
    })

    scope.get('/sandbox', { config }, (_request, reply) =>
      reply.type(jsonType).send(json(describeSandbox())),
    )

    scope.post('/sandbox/consents', { config }, async (request, reply) => {
      const body = parsedBody(request)
      const applicationId = applicationIn(body)
      const { id: psuId, name: psuName } = customerIn(body)
      const consentId = await createSeededConsent({ ...options, applicationId, psuId })
      // Under the name of the list of customers.
      return reply
        .code(201)
        .type(jsonType)
        .send(json({ consentId, psuName: sandboxNameIn('en', psuName) }))
    })

    scope.get('/sandbox/consents', { config }, async (request, reply) => {
      const applicationId = applicationIn(request.query)
      const items = (await consents.approvedOf(applicationId)).map(({ psuName, ...consent }) => {
        const { id: consentId, createdAt, firstUsedAt } = consent
        const { status: consentStatus } = consentAt(consent, options.now(), options.timeZone)
        return {
          consentId,
          consentStatus,
          createdAt,
          firstUsedAt,
          psuName: sandboxNameIn('en', psuName),
        }
      })
      return reply.type(jsonType).send(json({ items }))
    })
    done()
  })
}

const config = { isInternal: true }
const jsonType = 'application/json'

function notThePortal(): BankError {
  return new BankError('CERTIFICATE_INVALID', "The portal's secret is missing or wrong")
}

/** As bytes: Fastify would add a charset to text, and JSON types have none. */
function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** Hashes, so that both sides have the same length and the comparison always takes the same time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function parsedBody({ body }: FastifyRequest): unknown {
  try {
    return JSON.parse(Buffer.isBuffer(body) ? body.toString() : '')
  } catch {
    return undefined
  }
}

/** @throws {BankError} 400 FORMAT_ERROR unless `applicationId` is a UUID */
function applicationIn(given: unknown): string {
  const id = typeof given === 'object' && given !== null && Reflect.get(given, 'applicationId')
  if (typeof id === 'string' && isUuid(id)) return id
  throw formatError('applicationId', 'It must be a UUID')
}

/** @throws {BankError} 400 FORMAT_ERROR unless `psuId` is absent (Noa Levi) or a customer whose consents stay valid */
function customerIn(given: unknown): SandboxPsu {
  const asked =
    typeof given === 'object' && given !== null ? Reflect.get(given, 'psuId') : undefined
  const found = sandboxPsus.find(({ id }) => id === (asked ?? demonstrationPsu))
  if (found !== undefined && keepsConsents(found.behaviour)) return found
  throw formatError('psuId', 'It must be the id of a sandbox customer who gives consents')
}
