import type { Logger } from '../../../platform/log.ts'
import { repeatedly } from '../../../platform/repeatedly.ts'
import type { ClaimedMail, MailQueue } from '../../registry/mail-queue.ts'
import type { MailMetrics } from './mail-metrics.ts'
import { unsealMail, type WaitingMail } from './sealed-mail.ts'
import { MailRefused, type MailTransport } from './transport.ts'

/** Sends what waits in the outbox. */
export interface Delivery {
  /** There is something to send, or will be when a transaction commits. */
  wake(): void
  /** Waits a few seconds for mails under way; what is not sent by then waits for the next process. */
  close(): Promise<void>
}

export interface DeliveryOptions {
  readonly queue: MailQueue
  /** `mails` of the portal's secrets. */
  readonly key: Buffer
  readonly transport: MailTransport
  /** Whether mails to `.example` and `.invalid` are dropped: they would only come back. */
  readonly dropsReserved: boolean
  readonly metrics: MailMetrics
  readonly log: Pick<Logger, 'warn' | 'error' | 'info'>
  /** Between two looks at the queue. (Default: 2 s) */
  readonly pollMs?: number
}

const underWayMax = 8
const claimSeconds = 120
/** Shorter than the claim, so that no other process takes a mail while this one still sends it. */
const sendMs = 60_000
const closeMs = 5_000
const pauseSecondsMin = 10
const pauseSecondsMax = 3_600
const keptSeconds = 86_400

/**
 * Starts sending mails, up to eight at a time, each at least once: if a process
 * ends after the mail server accepted a mail but before it recorded that,
 * another process sends the mail again with the same Message-ID. A failed
 * attempt is retried after 10 s, 30 s, 90 s … at most an hour, for a day.
 */
export function startDelivery(options: DeliveryOptions): Delivery {
  const { queue, key, transport, dropsReserved, metrics, log } = options
  const underWay = new Set<Promise<void>>()
  const ending = new AbortController()
  const repetition = repeatedly({
    everyMs: options.pollMs ?? 2_000,
    work: look,
    onFailure: (err) => log.warn({ err }, 'failed to read the outbox'),
  })

  async function look(): Promise<void> {
    const room = underWayMax - underWay.size
    if (room === 0 || ending.signal.aborted) return
    const claimed = await queue.claim({ max: room, forSeconds: claimSeconds })
    for (const mail of claimed) {
      const delivery = deliver(mail)
        .catch((err: unknown) => log.warn({ err }, 'failed to record the result of a mail'))
        .finally(() => {
          underWay.delete(delivery)
          if (claimed.length === room) repetition.soon()
        })
      underWay.add(delivery)
    }
  }

  async function deliver(claimed: ClaimedMail): Promise<void> {
    const mail = unsealMail(key, claimed.sealed)
    // Another process may have the secret that sealed it.
    if (mail === undefined) return retry(claimed, { kind: 'unreadable' })
    if (mail.to === null) return queue.remove(claimed.id)
    if (dropsReserved && /\.(?:example|invalid)\.?$/i.test(mail.to)) {
      log.info({ kind: mail.kind }, 'dropped a mail to a reserved domain')
      metrics.count('reserved')
      return queue.remove(claimed.id)
    }
    return send({ ...mail, to: mail.to }, claimed)
  }

  async function send(mail: WaitingMail & { to: string }, claimed: ClaimedMail): Promise<void> {
    const { id, createdAt } = claimed
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(sendMs)])
    try {
      await transport.send({ ...mail, id, createdAt }, signal)
    } catch (error) {
      const facts = { kind: mail.kind, ...failureOf(error) }
      if (ending.signal.aborted) return queue.postpone(id, 0)
      if (!(error instanceof MailRefused)) return retry(claimed, facts)
      log.error({ mail: id, ...facts }, 'the mail server rejected a mail permanently')
      metrics.count('refused')
      return queue.remove(id)
    }
    metrics.count('delivered')
    await queue.remove(id)
  }

  async function retry(claimed: ClaimedMail, facts: FailureFacts): Promise<void> {
    const { id, attempts, ageSeconds } = claimed
    if (ageSeconds >= keptSeconds) {
      log.error({ mail: id, attempts, ...facts }, 'gave up on a mail after a day')
      metrics.count('given-up')
      return queue.remove(id)
    }
    const pause = Math.min(pauseSecondsMin * 3 ** (attempts - 1), pauseSecondsMax)
    log.warn(
      { mail: id, attempts, pauseSeconds: pause, ...facts },
      'failed to send a mail: retrying',
    )
    metrics.count('retried')
    // Spreads the retries when a mail server comes back.
    return queue.postpone(id, pause * (0.9 + Math.random() * 0.2))
  }

  return {
    wake: () => repetition.soon(),
    async close() {
      await repetition.close()
      const timer = setTimeout(() => ending.abort(), closeMs)
      await Promise.all(underWay)
      clearTimeout(timer)
    },
  }
}

interface FailureFacts {
  readonly kind: string
  readonly code?: string
  readonly responseCode?: number
}

/** What may be logged: the words of a mail server repeat addresses. */
function failureOf(error: unknown): { code?: string; responseCode?: number } {
  const reason = error instanceof MailRefused ? (error.cause ?? error) : error
  if (!(reason instanceof Error)) return {}
  const code = 'code' in reason ? reason.code : undefined
  const responseCode = 'responseCode' in reason ? reason.responseCode : undefined
  return {
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof responseCode === 'number' ? { responseCode } : {}),
  }
}
