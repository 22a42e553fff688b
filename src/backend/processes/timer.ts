import type { FastifyInstance } from 'fastify'
import type { Logger } from '../../platform/log/log.ts'
import type { BankStores } from '../stores/bank-stores.ts'
import type { Clockwork } from './clockwork.ts'

/** Longest sleep in milliseconds. It limits how late the timer finds a change that a stopped process had planned. */
export const timerMsMost = 10_000

export interface TimerOptions {
  readonly clockwork: Clockwork
  readonly stores: Pick<BankStores, 'idempotency'>
  readonly log: Logger
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called after each pass. @param failures number of changes that failed */
  readonly onPass?: (failures: number) => void
}

/** Makes planned changes when they are due. */
export interface Timer {
  /** Makes due changes before each call to the listener, and finds the changes that a call has planned. */
  follow(listener: FastifyInstance): void
}

/**
 * Makes planned changes from the moment the listener listens until it closes: one
 * timer sleeps until the next planned change.
 *
 * A call after that moment waits until the change is made, so it never sees an
 * earlier state, however late the timer is. Other calls do not wait: the moment is
 * in memory, and the timer reads it again after each call that can have planned a
 * change.
 */
export function startTimer(
  lead: FastifyInstance,
  { clockwork, stores, log, now, onPass }: TimerOptions,
): Timer {
  /** The time of the next planned change; 0 until the first look-up. */
  let nextAt = 0
  let latest: Promise<void> = Promise.resolve()
  /** A pass that has not begun: it also includes the changes that are planned until then. */
  let waiting: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isRunning = false

  function look(): Promise<void> {
    waiting ??= latest.catch(() => undefined).then(pass)
    latest = waiting
    return waiting
  }

  async function pass(): Promise<void> {
    waiting = undefined
    const { failures, nextAt: plannedAt } = await clockwork.catchUp(now())
    warn(failures)
    onPass?.(failures.length)
    // A waiting pass reads the changes that were planned meanwhile.
    if (waiting === undefined) nextAt = Math.min(plannedAt, now() + timerMsMost)
    sleep(plannedAt - now())
  }

  function sleep(ms: number): void {
    clearTimeout(timer)
    if (isRunning) timer = setTimeout(wake, Math.min(Math.max(ms, 0), timerMsMost)).unref()
  }

  function wake(): void {
    look()
      .then(() => stores.idempotency.deleteOld(new Date(now())))
      .catch((error: unknown) => {
        warn([error])
        sleep(timerMsMost)
      })
  }

  function warn(failures: readonly unknown[]): void {
    for (const err of failures) log.warn({ err }, 'the clockwork of the bank failed')
  }

  function follow(listener: FastifyInstance): void {
    listener.addHook('onRequest', async () => {
      if (nextAt <= now()) await look()
    })
    listener.addHook('onSend', async ({ method }, { statusCode }) => {
      if (method === 'GET' || statusCode >= 400) return
      nextAt = 0
      look().catch(() => undefined)
    })
  }
  lead.addHook('onListen', (done) => {
    isRunning = true
    wake()
    done()
  })
  lead.addHook('onClose', async () => {
    isRunning = false
    clearTimeout(timer)
    await latest.catch(() => undefined)
  })
  return { follow }
}
