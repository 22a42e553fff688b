import type { Logger } from '../../../platform/log.ts'
import { repeatedly } from '../../../platform/repeatedly.ts'
import type { AttemptResult, ClaimedDelivery, WebhookQueue } from '../../registry/webhook-queue.ts'
import { sendWebhook } from './send-webhook.ts'
import type { WebhookMetrics } from './webhook-metrics.ts'
import { unsealSecret } from './webhook-secret.ts'
import { webhookHeaders } from './webhook-signature.ts'
import { TargetRefused, type WebhookTargets } from './webhook-target.ts'

/** Sends what waits for webhooks. */
export interface WebhookDelivery {
  /** There is something to send, or will be when a transaction commits. */
  wake(): void
  /** Waits a few seconds for requests under way; what is not sent by then waits for the next process. */
  close(): Promise<void>
}

export interface WebhookDeliveryOptions {
  readonly queue: WebhookQueue
  readonly targets: Pick<WebhookTargets, 'resolve'>
  /** `webhooks` of the portal's secrets. */
  readonly key: Buffer
  readonly metrics: WebhookMetrics
  readonly log: Pick<Logger, 'warn'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Between two looks at the queue. (Default: 2 s) */
  readonly pollMs?: number
}

const underWayMax = 8
const claimSeconds = 60
/** Shorter than the claim. */
const sendMs = 10_000
const closeMs = 3_000
const pauseSecondsMin = 10
const pauseSecondsMax = 7_200
const triedSeconds = 86_400
const pruneMs = 600_000
/** Of resolvers that do not find a name. */
const nameCodes: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENODATA', 'ESERVFAIL'])

/**
 * Starts sending events, up to eight at a time, one at a time to each
 * application and two to each developer, each at least once. An attempt without
 * a 2xx answer is repeated after 10 s, 30 s, 90 s … at most two hours, for a day.
 */
export function startWebhookDelivery(options: WebhookDeliveryOptions): WebhookDelivery {
  const { queue, targets, key, metrics, log, now } = options
  const underWay = new Map<ClaimedDelivery, Promise<void>>()
  const ending = new AbortController()
  const onFailure = (err: unknown) => log.warn({ err }, 'failed to read the webhook deliveries')
  const repetition = repeatedly({ everyMs: options.pollMs ?? 2_000, work: look, onFailure })
  const pruning = repeatedly({ everyMs: pruneMs, work: () => queue.prune(), onFailure })

  async function look(): Promise<void> {
    const max = underWayMax - underWay.size
    if (max === 0 || ending.signal.aborted) return
    const found = await queue.claim({
      max,
      forSeconds: claimSeconds,
      underWay: [...underWay.keys()],
    })
    for (const claimed of found) {
      const delivery = attempt(claimed)
        .then((result) => queue.record(claimed.id, result))
        .catch((err: unknown) => log.warn({ err }, 'failed to record a webhook delivery'))
        .finally(() => {
          underWay.delete(claimed)
          // A place is free.
          repetition.soon()
        })
      underWay.set(claimed, delivery)
    }
    // One of each developer at a time: they may have more.
    if (found.length > 0) repetition.soon()
  }

  async function attempt(claimed: ClaimedDelivery): Promise<AttemptResult> {
    const { id, applicationId, body, attempts, ageSeconds } = claimed
    const secret = unsealSecret(key, applicationId, claimed.sealedSecret)
    const answer =
      secret === undefined
        ? // Another process may have the secret that sealed it.
          { status: null, failure: 'unreadable' }
        : await send(claimed.url, webhookHeaders(secret, { id, atMs: now(), body }), body)
    if (answer.failure === null) {
      metrics.count('delivered')
      return { ...answer, againInSeconds: null }
    }
    if (ending.signal.aborted) return { ...answer, againInSeconds: 0 }
    if (ageSeconds >= triedSeconds) {
      metrics.count('given-up')
      return { ...answer, againInSeconds: null }
    }
    metrics.count('retried')
    const pause = Math.min(pauseSecondsMin * 3 ** Math.min(attempts - 1, 10), pauseSecondsMax)
    // Spreads the retries when a receiver comes back.
    return { ...answer, againInSeconds: pause * (0.9 + Math.random() * 0.2) }
  }

  async function send(
    url: string,
    headers: Record<string, string>,
    body: string,
  ): Promise<Omit<AttemptResult, 'againInSeconds'>> {
    const timeout = AbortSignal.timeout(sendMs)
    const signal = AbortSignal.any([ending.signal, timeout])
    try {
      const target = await Promise.race([targets.resolve(url), aborted(signal)])
      const status = await sendWebhook({ target, headers, body, signal })
      return { status, failure: status >= 200 && status < 300 ? null : 'status' }
    } catch (error) {
      return { status: null, failure: timeout.aborted ? 'timeout' : reasonOf(error) }
    }
  }

  return {
    wake: () => repetition.soon(),
    async close() {
      await Promise.all([repetition.close(), pruning.close()])
      const timer = setTimeout(() => ending.abort(), closeMs)
      await Promise.all(underWay.values())
      clearTimeout(timer)
    },
  }
}

/** Rejects when the signal aborts: the resolver takes none. */
function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}

/**
 * One word: the texts of resolvers and TLS may hold addresses of the inner
 * network. Unknown names and inner ones share a word, or names of the inner
 * network could be guessed.
 */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (error instanceof TargetRefused || nameCodes.has(code)) return 'address'
  if (/CERT|TLS|SSL|SELF_SIGNED|ISSUER|SIGNATURE/.test(code)) return 'tls'
  return 'connection'
}
