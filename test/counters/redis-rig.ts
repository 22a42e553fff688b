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
import { parseRedisAddress } from '../../src/platform/redis/redis-address.ts'
import type { RedisServer } from '../support/redis-server.ts'
import { until } from '../support/until.ts'
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

/**
 * Two counters of processes that know of each other, so that neither counts after a loss before the other one has brought
 * what it knows.
 */
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
  await until('both processes see each other', () => seen.every((now) => now === 2))
  return pair
}
