import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { exportText } from '../export-text.ts'
import type { PortalApp } from '../portal-app.ts'
import { signedIn } from '../request.ts'
import type { PortalServices } from '../services.ts'

/** What the portal knows about the developer, as one file. Needs a session. */
export function registerOwnData(
  app: PortalApp,
  { stores, portalUrl, now }: Pick<PortalServices, 'stores' | 'portalUrl' | 'now'>,
): void {
  app.get(
    '/api/session/developer/export',
    {
      schema: {
        operationId: 'exportOwnData',
        summary: 'Download everything the portal knows about you, without secrets, as JSON',
        response: {
          200: { content: { 'application/json': { schema: Type.Object({}) } } },
        },
      },
      // Addresses and browsers of every visit are in it.
      config: { needsProof: 'always' },
    },
    async (request, reply) => {
      const { id } = signedIn(request)
      await stores.ownData.noteExport(id)
      const exportedAt = new Date(now()).toISOString()
      const [day = ''] = exportedAt.split('T')
      return reply
        .type('application/json; charset=utf-8')
        .headers({
          'content-disposition': `attachment; filename="my-data-${day}.json"`,
          'cache-control': 'no-store',
        })
        .send(
          Readable.from(
            exportText({ portal: portalUrl(), exportedAt, parts: stores.ownData.read(id) }),
          ),
        )
    },
  )
}
