import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/** A new secret: `whsec_` and 32 random bytes in base64, as Standard Webhooks writes it. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(32).toString('base64')
}

/**
 * The headers by which a receiver knows that a request is ours and new
 * (https://www.standardwebhooks.com): it signs `<id>.<timestamp>.<body>` with
 * HMAC-SHA-256.
 *
 * @param secret as {@link newWebhookSecret} wrote it
 * @param message.id the same for every attempt of one delivery
 * @param message.atMs when the attempt is made, milliseconds since 1970
 */
export function webhookHeaders(
  secret: string,
  { id, atMs, body }: { readonly id: string; readonly atMs: number; readonly body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1000))
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}
