import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { WebhookTarget } from './webhook-target.ts'

export interface WebhookRequest {
  readonly target: WebhookTarget
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

const headerBytesMax = 16_384

/**
 * Sends one request to a webhook, to the address that was checked. Follows no
 * redirect and uses no proxy. The answer is over at its status: a body that
 * never ends holds nothing.
 *
 * @returns the status of the answer
 * @throws when there is no answer
 */
export function sendWebhook({ target, headers, body, signal }: WebhookRequest): Promise<number> {
  const { url, address, family } = target
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  const sent = request(
    url,
    {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': 'Tollgate-Webhooks',
        connection: 'close',
      },
      // Not the pool of other requests, whose connections belong to names.
      agent: false,
      lookup: (_name, options, done) => {
        // Node asks for all addresses when it races the families.
        if (options.all === true) done(null, [{ address, family }])
        else done(null, address, family)
      },
      signal,
      maxHeaderSize: headerBytesMax,
    },
    (answer) => {
      answer.on('error', () => undefined)
      resolve(answer.statusCode ?? 0)
      answer.destroy()
    },
  )
  sent.on('error', reject)
  sent.end(body)
  return promise
}
