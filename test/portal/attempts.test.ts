import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { type Attempts, createAttempts } from '../../src/gateway/portal/accounts/attempts.ts'
import { openAttempts } from '../../src/gateway/portal/accounts/open-attempts.ts'
import { PortalError } from '../../src/gateway/portal/portal-error.ts'
import { createLifetime } from '../../src/platform/lifetime.ts'
import { createLog } from '../../src/platform/log.ts'
import { parseRedisAddress } from '../../src/platform/redis-address.ts'
import { redisMissing, startRedisServer } from '../support/redis-server.ts'

const request = new IncomingMessage(new Socket())

/** What one portal process counts with. */
function portal(redisUrl: string): Attempts {
  const lifetime = createLifetime()
  t.teardown(() => lifetime.close())
  const key = Buffer.alloc(32)
  const log = createLog('silent')
  const redis = parseRedisAddress(redisUrl)
  return openAttempts({ clientAddress: () => '192.0.2.1', key, redis, log, lifetime })
}

/** There were too many; they cannot be counted. */
const refusals: ReadonlySet<string> = new Set(['ATTEMPTS_EXCEEDED', 'STORE_UNAVAILABLE'])

/** The seconds to wait of a refusal; 0: it was counted. */
async function waitOf(attempt: Promise<unknown>): Promise<number> {
  try {
    await attempt
    return 0
  } catch (error) {
    if (!(error instanceof PortalError) || !refusals.has(error.refusal.code)) throw error
    return Number(error.refusal.headers?.['retry-after'])
  }
}

t.test('a locked address does not use up the attempts of its network', async (t) => {
  const attempts = createAttempts({
    clientAddress: () => '192.0.2.1',
    key: Buffer.alloc(32),
    redis: undefined,
  })
  for (let at = 0; at < 10; at++) await attempts.signIn(request, 'locked@example.com')
  for (let at = 0; at < 100; at++) {
    t.ok((await waitOf(attempts.signIn(request, 'locked@example.com'))) > 0)
  }
  t.equal(await waitOf(attempts.signIn(request, 'colleague@example.com')), 0)
})

t.test(
  'portals count attempts together in Redis, and refuse what cannot be counted',
  { skip: redisMissing() },
  async (t) => {
    const server = await startRedisServer()
    t.teardown(() => server.stop())
    const [one, two] = [portal(server.url), portal(server.url)]
    const deadline = Date.now() + 10_000
    while ((await waitOf(one.mail(request, 'ready@example.com'))) > 0) {
      if (Date.now() > deadline) throw new Error('never connected')
      await delay(20)
    }
    await two.mail(request, 'ready@example.com').catch(() => delay(500))

    const waits: number[] = []
    for (let at = 0; at < 12; at++) {
      waits.push(await waitOf((at % 2 === 0 ? one : two).signIn(request, 'Ada@example.com')))
    }
    t.same(waits.slice(0, 10), new Array(10).fill(0), 'ten by both together')
    t.ok(
      waits.slice(10).every((wait) => wait > 800 && wait <= 900),
      `${waits}`,
    )

    const kept = await server.cli('--scan')
    t.match(kept, 'tollgate:attempts:sign-in-of-address:')
    t.notMatch(kept, /ada/i, 'addresses are no names there')
    t.notMatch(await server.cli('ttl', kept.split('\n')[0] ?? ''), '-1', 'all of it expires')

    await server.kill()
    t.ok((await waitOf(one.signIn(request, 'grace@example.com'))) > 0, 'never open')
    await server.restart()
    const back = Date.now() + 10_000
    while ((await waitOf(one.signIn(request, 'grace@example.com'))) > 0) {
      if (Date.now() > back) throw new Error('never back')
      await delay(50)
    }
    server.suspend()
    t.ok((await waitOf(one.signIn(request, 'grace@example.com'))) > 0, 'nor when nobody answers')
    server.resume()
  },
)
