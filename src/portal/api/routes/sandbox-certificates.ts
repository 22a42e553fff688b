import { authorityPath, crlPath } from '../../pages/page-paths.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { makeSandboxPair } from '../../stores/sandbox/sandbox-pair.ts'
import { ApplicationParams, ownApplication, refuseSuspended } from '../own-application.ts'
import { actorOf } from '../request.ts'
import { TestCertificates, TestCertificatesInput } from '../schemas/sandbox.ts'

/**
 * The authority of the sandbox: its certificate and its revocation list, for
 * everyone. Without a sandbox the paths do not exist.
 */
export function registerSandboxAuthority(
  app: PortalApp,
  { sandbox, stores }: Needs<'sandbox', 'applications' | 'certificates' | 'sandboxAuthority'>,
): void {
  if (sandbox === undefined) return

  app.get(authorityPath, async (_request, reply) => {
    const { certificate } = await stores.sandboxAuthority.published()
    // RFC 2585.
    return reply.type('application/pkix-cert').send(certificate)
  })

  app.get(crlPath, async (_request, reply) => {
    const { revocationList } = await stores.sandboxAuthority.published()
    return reply.type('application/pkix-crl').send(revocationList)
  })
}

/** Test certificates of an application. Needs a session. */
export function registerTestCertificates(
  app: PortalApp,
  {
    sandbox,
    stores,
    now,
    portalUrl,
  }: Needs<'sandbox' | 'now' | 'portalUrl', 'applications' | 'certificates' | 'sandboxAuthority'>,
): void {
  if (sandbox === undefined) return

  app.post(
    '/api/applications/:id/sandbox/certificates',
    {
      schema: {
        operationId: 'makeTestCertificates',
        summary: 'Make a QWAC and a QSealC with their keys; only this response contains the keys',
        params: ApplicationParams,
        body: TestCertificatesInput,
        response: { 201: TestCertificates },
        problems: ['CONFLICT'],
      },
      config: { needsProof: 'always' },
    },
    async (request) => {
      const application = await ownApplication(stores, request, request.params)
      refuseSuspended(application)
      const { roles, defect } = request.body
      const crlUrl = `${portalUrl()}${crlPath}`
      const by = actorOf(request)
      const pair = await makeSandboxPair({ stores, application, roles, defect, crlUrl, by, now })
      return pair
    },
  )
}
