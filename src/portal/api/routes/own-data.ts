import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { createExportPlaces, exportMs } from '../../accounts/export-places.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { Needs } from '../../services.ts'
import { exportText } from '../export-text.ts'
import { signedIn } from '../request.ts'

/** Downloads all data of the developer as one file. Needs a session. */
export function registerOwnData(
  app: PortalApp,
  { attempts, stores, portalUrl, now }: Needs<'attempts' | 'portalUrl' | 'now', 'ownData'>,
): void {
  const places = createExportPlaces()

  /**
   * Opens the developer's file. It keeps its place among the exports until it
   * is complete or the connection ends.
   *
   * @throws {PortalError} ATTEMPTS_EXCEEDED
   */
  async function openExport(developerId: string, exportedAt: string): Promise<Readable> {
    const giveBack = places.take(developerId)
    try {
      await attempts.count('export-of-developer', { developerId })
      await stores.ownData.noteExport(developerId)
    } catch (error) {
      giveBack()
      throw error
    }
    const parts = stores.ownData.read(developerId)
    // A stream, so that the database is read only as fast as the client downloads.
    const file = Readable.from(exportText({ portal: portalUrl(), exportedAt, parts }))
    const deadline = setTimeout(() => file.destroy(new Error('the export took too long')), exportMs)
    file.once('close', () => {
      clearTimeout(deadline)
      giveBack()
    })
    return file
  }

  app.get(
    '/api/session/developer/export',
    {
      schema: {
        operationId: 'exportOwnData',
        summary:
          'Download everything the portal knows about you, without secrets, as JSON; one file at a time and five a day',
        response: {
          200: { content: { 'application/json': { schema: Type.Object({}) } } },
        },
        problems: ['ATTEMPTS_EXCEEDED'],
      },
      // The file contains the client address and the browser of every visit.
      config: { needsProof: 'always' },
    },
    async (request, reply) => {
      const { id } = signedIn(request)
      const exportedAt = new Date(now()).toISOString()
      const [day = ''] = exportedAt.split('T')
      return reply
        .type('application/json; charset=utf-8')
        .headers({
          'content-disposition': `attachment; filename="my-data-${day}.json"`,
          'cache-control': 'no-store',
        })
        .send(await openExport(id, exportedAt))
    },
  )
}
