import type { FastifyInstance } from 'fastify'
import type { Logger } from '../../platform/log/log.ts'
import type { BankStores } from '../stores/bank-stores.ts'
import type { Clockwork } from './clockwork.ts'

/** Longest sleep, in milliseconds: then the timer also finds what another process planned before it stopped. */
export const timerMsMost = 10_000

export interface TimerOptions {
  readonly clockwork: Clockwork
  readonly stores: Pick<BankStores, 'idempotency'>
  readonly log: Logger
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called after each look at what is planned. @param failures changes that failed */
  readonly onPass?: (failures: number) => void
}

/** The bank's time as it passes. */
export interface Timer {
  /** Lets the calls that a listener answers see every change that is due, and plan new ones. */
  follow(listener: FastifyInstance): void
}

/**
 * Lets the bank's time pass from the moment the listener listens until it
 * closes: one timer sleeps until the next planned change.
 *
 * A call that comes after that moment waits until the change is made, so it
 * never sees an earlier state, however late the timer is. Otherwise calls wait
 * for nothing: the moment is kept in memory, and looked up again after each
 * call that can have planned something.
 */
export function startTimer(
  lead: FastifyInstance,
  { clockwork, stores, log, now, onPass }: TimerOptions,
): Timer {
  /** The next planned change; 0 until it is looked up. */
  let nextAt = 0
  let latest: Promise<void> = Promise.resolve()
  /** A pass that has not begun: it also sees what is planned until then. */
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
    // The pass that waits finds out what has been planned meanwhile.
    if (waiting === undefined) nextAt = Math.min(plannedAt, now() + timerMsMost)
    sleep(plannedAt - now())
  }

  function sleep(ms: number): void {
    clearTimeout(timer)
    if (isRunning) timer = setTimeout(wake, Math.min(Math.max(ms, 0), timerMsMost)).unref()
  }

  function wake(): void {
    look()
      .then(() => stores.idempotency.forget(new Date(now())))
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
