import type { Logger } from '../../platform/log/log.ts'
import {
  pauseSecondsAfter,
  type QueueWorker,
  startQueueWorker,
} from '../../platform/process/queue-worker.ts'
import { repeatedly } from '../../platform/process/repeatedly.ts'
import type { Keyring } from '../sealing/keyring.ts'
import type {
  AttemptResult,
  ClaimedDelivery,
  WebhookQueue,
} from '../stores/alerts/webhook-queue.ts'
import { sendWebhook } from './send-webhook.ts'
import type { WebhookMetrics } from './webhook-metrics.ts'
import { unsealSecret } from './webhook-secret.ts'
import { webhookHeaders } from './webhook-signature.ts'
import { TargetRefused, type WebhookTargets } from './webhook-target.ts'

export interface WebhookDeliveryOptions {
  readonly queue: WebhookQueue
  readonly targets: Pick<WebhookTargets, 'resolve'>
  /** `webhooks` of the portal's secrets. */
  readonly key: Keyring
  readonly metrics: WebhookMetrics
  readonly log: Pick<Logger, 'warn'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Between two looks at the queue. (Default: 2 s) */
  readonly pollMs?: number
  /** After this an attempt without an answer has failed. (Default: 10 s, less than a claim lasts) */
  readonly sendMs?: number
}

const failures = {
  read: 'failed to read the webhook deliveries',
  record: 'failed to record a webhook delivery',
} as const
const claimSeconds = 60
const closeMs = 3_000
const pauseSecondsMax = 7_200
const triedSeconds = 86_400
const pruneMs = 600_000
/** Error codes of resolvers that do not find a name. */
const nameCodes: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'ENODATA',
  'ESERVFAIL',
  'EREFUSED',
  'ETIMEOUT',
])

/**
 * Starts sending what waits for webhooks, one event at a time to each
 * application and two to each developer, each at least once. An attempt without
 * a 2xx answer is repeated after 10 s, 30 s, 90 s … at most two hours, for a day.
 */
export function startWebhookDelivery(options: WebhookDeliveryOptions): QueueWorker {
  const { queue, targets, key, metrics, log, now, pollMs, sendMs = 10_000 } = options
  const worker = startQueueWorker<ClaimedDelivery>({
    claim: (max, underWay) => queue.claim({ max, forSeconds: claimSeconds, underWay }),
    attempt: async (claimed, ending) => queue.record(claimed.id, await attempt(claimed, ending)),
    onFailure: (failure, err) => log.warn({ err }, failures[failure]),
    pollMs,
    closeMs,
  })
  const pruning = repeatedly({
    everyMs: pruneMs,
    work: () => queue.prune(),
    onFailure: (err) => log.warn({ err }, failures.read),
  })

  async function attempt(claimed: ClaimedDelivery, ending: AbortSignal): Promise<AttemptResult> {
    const { id, applicationId, body, attempts, ageSeconds } = claimed
    const secret = unsealSecret(key, applicationId, claimed.sealedSecret)
    const answer =
      secret === undefined
        ? // Another process may have the secret that sealed it.
          { status: null, failure: 'unreadable' }
        : await send(claimed.url, webhookHeaders(secret, { id, atMs: now(), body }), body, ending)
    if (answer.failure === null) {
      metrics.count('delivered')
      return { ...answer, againInSeconds: null }
    }
    if (ending.aborted) return { ...answer, againInSeconds: 0 }
    if (ageSeconds >= triedSeconds) {
      metrics.count('given-up')
      return { ...answer, againInSeconds: null }
    }
    metrics.count('retried')
    return { ...answer, againInSeconds: pauseSecondsAfter(attempts, pauseSecondsMax) }
  }

  async function send(
    url: string,
    headers: Record<string, string>,
    body: string,
    ending: AbortSignal,
  ): Promise<Omit<AttemptResult, 'againInSeconds'>> {
    const timeout = AbortSignal.timeout(sendMs)
    const signal = AbortSignal.any([ending, timeout])
    try {
      const target = await targets.resolve(url, signal)
      const status = await sendWebhook({ target, headers, body, signal })
      return { status, failure: status >= 200 && status < 300 ? null : 'status' }
    } catch (error) {
      return { status: null, failure: timeout.aborted ? 'timeout' : reasonOf(error) }
    }
  }

  return {
    wake: worker.wake,
    async close() {
      await Promise.all([worker.close(), pruning.close()])
    },
  }
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
