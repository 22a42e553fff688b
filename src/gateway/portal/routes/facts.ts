import { Type } from 'typebox'
import { createGatewayProbe } from '../gateway-state.ts'
import type { PortalApp } from '../portal-app.ts'
import { GatewayState, PortalFacts } from '../schemas/accounts.ts'
import type { PortalServices } from '../services.ts'

export interface FactsServices
  extends Pick<
    PortalServices,
    | 'gatewayUrl'
    | 'probedGatewayUrl'
    | 'now'
    | 'stores'
    | 'writesMailsToFiles'
    | 'sandbox'
    | 'mailbox'
  > {
  /** Makes the document of the JSON API itself; asked once. */
  readonly describe: () => object
}

const Document = Type.Unsafe<object>(
  Type.Object({ openapi: Type.String() }, { description: 'an OpenAPI 3.1 document' }),
)

/** Public facts about the portal: its switches, whether the gateway is up, its own document. */
export function registerFacts(app: PortalApp, services: FactsServices): void {
  const { gatewayUrl, probedGatewayUrl, now, stores, writesMailsToFiles, sandbox, mailbox } =
    services
  const probe = createGatewayProbe({ url: probedGatewayUrl, now })
  app.addHook('onClose', async () => probe.close())
  let document: object | undefined

  app.get(
    '/api/portal',
    {
      schema: {
        operationId: 'getPortal',
        summary: 'Read the settings that the page needs before sign-in',
        tag: 'Portal',
        response: { 200: PortalFacts },
      },
    },
    async (request) => {
      const signUp = await stores.portalState.signUpMode()
      const hasSandbox = sandbox !== undefined
      const hasMailbox = mailbox?.isOpenTo(request.raw) === true
      return { signUp, gatewayUrl: gatewayUrl(), writesMailsToFiles, hasSandbox, hasMailbox }
    },
  )

  app.get(
    '/api/gateway',
    {
      schema: {
        operationId: 'getGateway',
        summary: 'Check whether the gateway is up',
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
        summary: 'Read this document',
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
