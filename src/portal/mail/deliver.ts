import type { Logger } from '../../platform/log/log.ts'
import {
  pauseSecondsAfter,
  type QueueWorker,
  startQueueWorker,
} from '../../platform/process/queue-worker.ts'
import type { Keyring } from '../sealing/keyring.ts'
import type { ClaimedMail, MailQueue } from '../stores/mail/mail-queue.ts'
import type { MailMetrics } from './mail-metrics.ts'
import { unsealMail, type WaitingMail } from './sealed-mail.ts'
import { MailRefused, type MailTransport } from './transport.ts'

export interface DeliveryOptions {
  readonly queue: MailQueue
  /** `mails` of the portal's secrets. */
  readonly key: Keyring
  readonly transport: MailTransport
  /** Whether mails to `.example` and `.invalid` are dropped: they would only come back. */
  readonly dropsReserved: boolean
  readonly metrics: MailMetrics
  readonly log: Pick<Logger, 'warn' | 'error' | 'info'>
  /** Between two looks at the queue. (Default: 2 s) */
  readonly pollMs?: number | undefined
}

const failures = {
  read: 'failed to read the outbox',
  record: 'failed to record the result of a mail',
} as const
const claimSeconds = 120
/** Shorter than the claim, so that no other process takes a mail while this one still sends it. */
const sendMs = 60_000
const closeMs = 5_000
const pauseSecondsMax = 3_600
const keptSeconds = 86_400

/**
 * Starts sending what waits in the outbox, each mail at least once: if a process
 * ends after the mail server accepted a mail but before it recorded that,
 * another process sends the mail again with the same Message-ID. A failed
 * attempt is retried after 10 s, 30 s, 90 s … at most an hour, for a day.
 */
export function startDelivery(options: DeliveryOptions): QueueWorker {
  const { queue, key, transport, dropsReserved, metrics, log, pollMs } = options

  async function deliver(claimed: ClaimedMail, ending: AbortSignal): Promise<void> {
    const mail = unsealMail(key, claimed.sealed)
    // Another process may have the secret that sealed it.
    if (mail === undefined) return retry(claimed, { kind: 'unreadable' })
    if (mail.to === null) return queue.remove(claimed.id)
    if (dropsReserved && /\.(?:example|invalid)\.?$/i.test(mail.to)) {
      log.info({ kind: mail.kind }, 'dropped a mail to a reserved domain')
      metrics.count('reserved')
      return queue.remove(claimed.id)
    }
    return send({ ...mail, to: mail.to }, claimed, ending)
  }

  async function send(
    mail: WaitingMail & { to: string },
    claimed: ClaimedMail,
    ending: AbortSignal,
  ): Promise<void> {
    const { id, createdAt } = claimed
    const signal = AbortSignal.any([ending, AbortSignal.timeout(sendMs)])
    try {
      await transport.send({ ...mail, id, createdAt }, signal)
    } catch (error) {
      const facts = { kind: mail.kind, ...failureOf(error) }
      if (ending.aborted) return queue.postpone(id, 0)
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
    const pauseSeconds = pauseSecondsAfter(attempts, pauseSecondsMax)
    log.warn({ mail: id, attempts, pauseSeconds, ...facts }, 'failed to send a mail: retrying')
    metrics.count('retried')
    return queue.postpone(id, pauseSeconds)
  }

  return startQueueWorker<ClaimedMail>({
    claim: (max) => queue.claim({ max, forSeconds: claimSeconds }),
    attempt: deliver,
    onFailure: (failure, err) => log.warn({ err }, failures[failure]),
    pollMs,
    closeMs,
  })
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
