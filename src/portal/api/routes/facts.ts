import { Type } from 'typebox'
import { knownFacts } from '../../pages/known-facts.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { createGatewayProbe } from '../gateway-state.ts'
import { GatewayState, PortalFacts } from '../schemas/accounts.ts'

export interface FactsServices
  extends Needs<
    | 'catalogue'
    | 'gatewayUrl'
    | 'probedGatewayUrl'
    | 'now'
    | 'writesMailsToFiles'
    | 'sandbox'
    | 'hasBank'
    | 'mailbox'
    | 'oidc'
    | 'keyMaxDays',
    'portalState'
  > {
  /** Makes the document of the JSON API itself; asked once. */
  readonly describe: () => object
}

const Document = Type.Unsafe<object>(
  Type.Object({ openapi: Type.String() }, { description: 'an OpenAPI 3.1 document' }),
)

/** Public facts about the portal: its switches, whether the gateway is up, its own document. */
export function registerFacts(app: PortalApp, services: FactsServices): void {
  const { probedGatewayUrl, now, stores } = services
  const probe = createGatewayProbe({ url: probedGatewayUrl, now })
  app.addHook('onClose', async () => probe.close())
  let document: object | undefined

  app.get(
    '/api/portal',
    {
      schema: {
        operationId: 'getPortal',
        summary: 'Read the settings that the page needs before sign-in',
        response: { 200: PortalFacts },
      },
    },
    async (request) => ({
      signUp: await stores.portalState.signUpMode(),
      ...knownFacts(services, request.raw),
    }),
  )

  app.get(
    '/api/gateway',
    {
      schema: {
        operationId: 'getGateway',
        summary: 'Check whether the gateway is up',
        response: { 200: GatewayState },
      },
    },
    () => probe.state(),
  )

  app.get(
    '/api/openapi.json',
    {
      schema: {
        operationId: 'getOpenApi',
        summary: 'Read this document',
        response: { 200: Document },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=60')
      document ??= services.describe()
      return document
    },
  )
}
