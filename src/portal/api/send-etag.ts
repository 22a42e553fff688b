import { createHash } from 'node:crypto'
import type { PortalApp } from '../portal-app.ts'

/**
 * Gives every 200 in this scope an ETag made from its bytes. A client that already has these bytes gets 304 without
 * a body.
 */
export function sendEtag(scope: Pick<PortalApp, 'addHook'>): void {
  scope.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode !== 200 || typeof payload !== 'string') return payload
    const etag = `"${createHash('sha256').update(payload).digest('base64url').slice(0, 22)}"`
    reply.header('etag', etag)
    if (request.headers['if-none-match'] !== etag) return payload
    reply.code(304).removeHeader('content-type')
    return ''
  })
}
