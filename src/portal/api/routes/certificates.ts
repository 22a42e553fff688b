import { Type } from 'typebox'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { certificateAnswer } from '../answers.ts'
import { ApplicationParams, ownApplication, ownItem } from '../own-application.ts'
import { actorOf } from '../request.ts'
import { Certificate, CertificateInput, CertificateList } from '../schemas/applications.ts'
import { Empty } from '../schemas/common.ts'

const ItemParams = Type.Object({
  ...ApplicationParams.properties,
  certificateId: Type.String({ description: 'of the certificate' }),
})

/** The certificates of an application: public data, never a private key. Needs a session. */
export function registerCertificates(
  app: PortalApp,
  { now, stores }: Needs<'now', 'applications' | 'certificates'>,
): void {
  const { certificates } = stores

  app.get(
    '/api/applications/:id/certificates',
    {
      schema: {
        operationId: 'listCertificates',
        summary: 'List the certificates of an application, oldest first',
        params: ApplicationParams,
        response: { 200: CertificateList },
      },
    },
    async (request) => {
      const { id } = await ownApplication(stores, request, request.params)
      const found = await certificates.list({ applicationId: id })
      const at = now()
      return { items: found.map((certificate) => certificateAnswer(certificate, at)) }
    },
  )

  app.post(
    '/api/applications/:id/certificates',
    {
      schema: {
        operationId: 'addCertificate',
        summary: 'Add a certificate; an application may have two valid ones for each use',
        params: ApplicationParams,
        body: CertificateInput,
        response: { 201: Certificate },
        problems: ['CONFLICT'],
      },
      config: { needsProof: 'always' },
    },
    async (request) => {
      const application = await ownApplication(stores, request, request.params)
      const { use, name, certificate } = request.body
      const added = await certificates.add({
        applicationId: application.id,
        use,
        name,
        certificate: Buffer.from(certificate.trim()),
        by: actorOf(request),
      })
      return certificateAnswer(added, now())
    },
  )

  app.delete(
    '/api/applications/:id/certificates/:certificateId',
    {
      schema: {
        operationId: 'removeCertificate',
        summary: 'Remove a certificate; every gateway rejects it within a second',
        params: ItemParams,
        response: { 204: Empty },
      },
      config: { needsProof: 'always' },
    },
    async (request) => {
      const { id } = await ownItem(stores, request, certificates, request.params.certificateId)
      await certificates.remove({ id, by: actorOf(request) })
      return null
    },
  )
}
