import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Counter } from '../../src/gateway/counters/counter.ts'
import {
  type CounterObserver,
  noObserver,
} from '../../src/gateway/counters/redis/counter-observer.ts'
import {
  createRedisCounter,
  type RedisCounterOptions,
} from '../../src/gateway/counters/redis/redis-counter.ts'
import { parseRedisAddress } from '../../src/platform/redis-address.ts'
import type { RedisServer } from '../support/redis-server.ts'
import { silent } from './rig.ts'

/**
 * What a gateway process has of the counter; two of them in one test share
 * nothing but the server, as two processes do. Counters settle at once unless
 * the test is about that.
 */
export async function testCounter(
  t: Test,
  server: Pick<RedisServer, 'url'>,
  options: Partial<RedisCounterOptions> = {},
): Promise<Counter> {
  const counter = await createRedisCounter({
    address: parseRedisAddress(server.url),
    processes: 1,
    settleMs: 0,
    log: silent,
    ...options,
  })
  t.teardown(() => counter.close())
  return counter
}

/** Two counters of processes that know of each other, so that neither counts after a loss before the other one has brought what it knows. */
export async function testPair(
  t: Test,
  server: Pick<RedisServer, 'url'>,
  options: Partial<RedisCounterOptions> = {},
): Promise<[Counter, Counter]> {
  const seen = [0, 0]
  function open(index: number): Promise<Counter> {
    const observer: CounterObserver = {
      ...noObserver,
      processes(now) {
        seen[index] = now
      },
    }
    return testCounter(t, server, { ...options, isAdmitting: true, observer })
  }
  const pair = await Promise.all([open(0), open(1)])
  await until(() => seen.every((now) => now === 2))
  return pair
}

/** Resolves with the milliseconds it took until the condition held; rejects after 20 s, unless told. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  deadlineMs = 20_000,
): Promise<number> {
  const begun = performance.now()
  while (!(await condition())) {
    if (performance.now() - begun > deadlineMs) throw new Error(`waited ${deadlineMs} ms in vain`)
    await delay(2)
  }
  return performance.now() - begun
}

/**
 * Whether the condition holds within a second. Time in which a busy machine
 * lets this process wait does not count.
 */
export async function promptly(condition: () => boolean): Promise<boolean> {
  for (let turn = 0; turn < 500; turn += 1) {
    if (condition()) return true
    await delay(2)
  }
  return condition()
}
