import { Type } from 'typebox'
import { createGatewayProbe } from '../gateway-state.ts'
import type { PortalApp } from '../portal-app.ts'
import { GatewayState, PortalFacts } from '../schemas/accounts.ts'
import type { PortalServices } from '../services.ts'

export interface FactsServices
  extends Pick<
    PortalServices,
    'gatewayUrl' | 'probedGatewayUrl' | 'now' | 'stores' | 'writesMailsToFiles'
  > {
  /** Makes the document of the JSON API itself; asked once. */
  readonly describe: () => object
}

const Document = Type.Unsafe<object>(
  Type.Object({ openapi: Type.String() }, { description: 'an OpenAPI 3.1 document' }),
)

/** What anybody may know of the portal: its switches, whether the gateway answers, its own document. */
export function registerFacts(app: PortalApp, services: FactsServices): void {
  const { gatewayUrl, probedGatewayUrl, now, stores, writesMailsToFiles } = services
  const probe = createGatewayProbe({ url: probedGatewayUrl, now })
  app.addHook('onClose', () => probe.close())
  let document: object | undefined

  app.get(
    '/api/portal',
    {
      schema: {
        operationId: 'getPortal',
        summary: 'What a page must know before anybody signs in',
        tag: 'Portal',
        response: { 200: PortalFacts },
      },
    },
    async () => {
      const signUp = await stores.portalState.signUpMode()
      return { signUp, gatewayUrl: gatewayUrl(), writesMailsToFiles }
    },
  )

  app.get(
    '/api/gateway',
    {
      schema: {
        operationId: 'getGateway',
        summary: 'Whether the gateway answers',
        tag: 'Portal',
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
        summary: 'This document',
        tag: 'Portal',
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
