import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { startFaultProxy } from '../../proofs/faults/fault-proxy.ts'
import { ownWindowsMax } from '../../src/platform/fixed-windows.ts'
import { unknownClient } from '../../src/platform/http/client-address.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { createLifetime } from '../../src/platform/process/lifetime.ts'
import { parseRedisAddress } from '../../src/platform/redis/redis-address.ts'
import {
  type Attempts,
  type AttemptsOptions,
  createAttempts,
} from '../../src/portal/accounts/attempts.ts'
import { createFairQueue } from '../../src/portal/accounts/fair-queue.ts'
import { type OpenAttemptsOptions, openAttempts } from '../../src/portal/accounts/open-attempts.ts'
import { PortalError } from '../../src/portal/api/portal-error.ts'
import { testKeyring } from '../support/keyring.ts'
import { redisMissing, testRedis } from '../support/redis-server.ts'
import { until } from '../support/until.ts'

const request = new IncomingMessage(new Socket())

/** Longer than any test: the startup waits for Redis, however slow the machine is. */
const untilThere = 3_600_000

/** What one portal process counts with. */
function portal(
  redisUrl: string,
  options: Partial<OpenAttemptsOptions> = { firstConnectionMs: untilThere },
): Promise<Attempts> {
  const lifetime = createLifetime()
  t.teardown(() => lifetime.close())
  return openAttempts({
    clientAddress: () => '192.0.2.1',
    key: testKeyring(0),
    redis: parseRedisAddress(redisUrl),
    log: createLog('silent'),
    lifetime,
    monotonic: () => performance.now(),
    ...options,
  })
}

/** What a portal process without Redis counts with. */
function inMemory(options: Partial<AttemptsOptions> = {}): Attempts {
  return createAttempts({
    clientAddress: () => '192.0.2.1',
    key: testKeyring(0),
    redis: undefined,
    monotonic: () => performance.now(),
    ...options,
  })
}

/** A command waits for its answer as long as the test says. */
function moveTimers(t: Test): typeof mock.timers {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  return mock.timers
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
  const attempts = inMemory()
  for (let at = 0; at < 10; at++)
    await attempts.countSignIn({ request, email: 'locked@example.com' })
  for (let at = 0; at < 100; at++) {
    t.ok((await waitOf(attempts.countSignIn({ request, email: 'locked@example.com' }))) > 0)
  }
  t.equal(await waitOf(attempts.countSignIn({ request, email: 'colleague@example.com' })), 0)
})

t.test(
  'thirty strangers who try an account from thirty networks do not delay its owner',
  async (t) => {
    let networks = 0
    const attempts = inMemory({
      clientAddress: () => {
        networks += 1
        return `192.0.2.${networks}`
      },
    })
    const queue = createFairQueue({ workers: 1, waitingMax: 64 })
    const begun: string[] = []
    const first = Promise.withResolvers<void>()
    const work = [queue.run({ lanes: [], isPreferred: false }, () => first.promise)]
    for (const name of [...Array<string>(30).fill('stranger'), 'owner']) {
      const device = name === 'owner' ? 'browser' : undefined
      const { turn } = await attempts.countSignIn({ request, email: 'ada@example.com', device })
      work.push(queue.run(turn, async () => void begun.push(name)))
    }
    first.resolve()
    await Promise.all(work)
    t.equal(begun.length, 31)
    t.equal(begun.indexOf('owner'), 0, 'before the strangers of its round')
  },
)

t.test(
  'below 600 failures in 15 minutes, clients whose address no proxy reported do not lock each other out; guessing one account stays bounded',
  async (t) => {
    const attempts = inMemory({
      clientAddress: () => unknownClient,
    })
    const signIn = (email: string) => waitOf(attempts.countSignIn({ request, email }))
    for (let at = 0; at < 30; at += 1) t.equal(await signIn('guessed@example.com'), 0)
    t.ok((await signIn('guessed@example.com')) > 0, 'thirty wrong passwords of one account')
    for (let at = 0; at < 200; at += 1) t.equal(await signIn(`p${at}@example.com`), 0)
    t.equal(await signIn('ada@example.com'), 0)
    for (let at = 0; at < 200; at += 1)
      t.equal(await waitOf(attempts.count('mail', { request, email: `${at}` })), 0)
    for (let at = 200; at < 570; at += 1) await signIn(`p${at}@example.com`)
    t.ok((await signIn('bob@example.com')) > 0, 'all of them together: 600 in fifteen minutes')
  },
)

t.test(
  'without Redis memory is bounded: beyond 100,000 addresses further ones share a limit, and none is reset',
  async (t) => {
    let networks = 0
    const attempts = inMemory({
      clientAddress: () => {
        networks += 1
        return `10.${(networks >> 16) & 255}.${(networks >> 8) & 255}.${networks & 255}`
      },
    })
    const reset = (email: string) => waitOf(attempts.count('reset', { request, email }))
    for (let at = 0; at < 2; at += 1) t.equal(await reset('ada@example.com'), 0)
    for (let at = 1; at < ownWindowsMax; at += 1) await reset(`${at}@example.com`)
    t.ok((await reset('ada@example.com')) > 0, 'two resets of one address')
    const late: number[] = []
    for (let at = 0; at < 21; at += 1) late.push(await reset(`late${at}@example.com`))
    t.same(late.slice(0, 20), new Array(20).fill(0), 'ten times as many as of one address')
    t.ok((late[20] ?? 0) > 0)
  },
)

t.test('a right sign-in counts too, but not as a failure', async (t) => {
  const attempts = inMemory()
  const signIn = async (device?: string) =>
    waitOf(
      attempts
        .countSignIn({ request, email: 'ada@example.com', device })
        .then((made) => made.succeeded()),
    )
  for (let at = 0; at < 30; at++) t.equal(await signIn(), 0)
  const wait = await signIn()
  t.ok(wait > 800 && wait <= 900, 'thirty in fifteen minutes')
  for (let at = 0; at < 30; at++) t.equal(await signIn('laptop'), 0)
  t.ok((await signIn('laptop')) > 800, 'also in browsers that the owner used before')
})

t.test('what strangers try leaves known browsers and sessions alone', async (t) => {
  const attempts = inMemory()
  const signIn = (device?: string) =>
    waitOf(attempts.countSignIn({ request, email: 'ada@example.com', device }))
  for (let at = 0; at < 200; at++) await signIn()
  t.ok((await signIn()) > 0)
  for (let at = 0; at < 10; at++) t.equal(await signIn('laptop'), 0)
  t.ok((await signIn('laptop')) > 0, 'ten failures of one browser')
  t.equal(await signIn('phone'), 0)
})

t.test('a thief of a known browser or a session can guess a hundred times a day', async (t) => {
  let now = 0
  const attempts = inMemory({ monotonic: () => now })
  const signIn = (device: string) =>
    waitOf(attempts.countSignIn({ request, email: 'ada@example.com', device }))
  for (let window = 0; window < 10; window += 1) {
    for (let at = 0; at < 10; at += 1) t.equal(await signIn('laptop'), 0)
    now += 901_000
  }
  t.ok((await signIn('laptop')) > 70_000, 'until a day after the first one')
  t.equal(await signIn('phone'), 0, 'other browsers of the owner are not concerned')
  now += 86_400_000
  t.equal(await signIn('laptop'), 0)
})

t.test('a wall clock that is set ahead or back neither ends nor lengthens a wait', async (t) => {
  let now = 0
  let date = Date.now()
  t.intercept(Date, 'now', { value: () => date })
  const attempts = inMemory({ monotonic: () => now })
  const reset = () => waitOf(attempts.count('reset', { request, email: 'ada@example.com' }))
  await reset()
  await reset()
  const wait = await reset()
  t.ok(wait > 0)
  for (const days of [1, -2]) {
    date += days * 86_400_000
    t.equal(await reset(), wait, `${days} days`)
  }
  now += wait * 1_000
  t.equal(await reset(), 0)
})

t.test(
  'portals count attempts together in Redis, and refuse what cannot be counted',
  { skip: redisMissing() },
  async (t) => {
    const server = await testRedis(t)
    const [one, two] = await Promise.all([portal(server.url), portal(server.url)])

    const waits: number[] = []
    for (let at = 0; at < 12; at++) {
      waits.push(
        await waitOf(
          (at % 2 === 0 ? one : two).countSignIn({
            request,
            email: 'Ada@example.com',
          }),
        ),
      )
    }
    t.same(waits.slice(0, 10), new Array(10).fill(0), 'ten by both together')
    t.ok(
      waits.slice(10).every((wait) => wait > 800 && wait <= 900),
      `${waits}`,
    )

    const kept = await server.cli('KEYS', '*')
    t.match(kept, 'tollgate:attempts:sign-in-of-address:')
    t.notMatch(kept, /ada/i, 'addresses are no names there')
    t.notMatch(await server.cli('ttl', kept.split('\n')[0] ?? ''), '-1', 'all of it expires')

    await server.kill()
    t.ok((await waitOf(one.countSignIn({ request, email: 'grace@example.com' }))) > 0, 'never open')
    await server.restart()
    await until(
      'attempts count again',
      async () => (await waitOf(one.countSignIn({ request, email: 'grace@example.com' }))) === 0,
    )
    server.suspend()
    const timers = moveTimers(t)
    const unanswered = waitOf(one.countSignIn({ request, email: 'grace@example.com' }))
    await turn()
    timers.tick(2_000)
    t.ok((await unanswered) > 0, 'nor while the store does not answer')
    server.resume()
  },
)

t.test(
  'a portal that has opened its throttles counts the first attempt, however slowly Redis accepted it',
  { skip: redisMissing() },
  async (t) => {
    const server = await testRedis(t)
    const proxy = await startFaultProxy(server.port)
    t.teardown(() => proxy.close())
    proxy.trouble({ kind: 'delay', leastMs: 50, mostMs: 50, seed: 1 })
    const attempts = await portal(`redis://127.0.0.1:${proxy.port}`)
    proxy.trouble({ kind: 'none' })
    t.equal(await waitOf(attempts.count('mail', { request, email: 'ada@example.com' })), 0)
  },
)

t.test(
  'a portal whose Redis stays away opens its throttles, says so, and counts once Redis is there',
  { skip: redisMissing() },
  async (t) => {
    const server = await testRedis(t)
    const proxy = await startFaultProxy(server.port)
    t.teardown(() => proxy.close())
    proxy.trouble({ kind: 'stall' })
    const said: unknown[] = []
    const warn = (...parts: unknown[]) => void said.push(...parts)
    const attempts = await portal(`redis://127.0.0.1:${proxy.port}`, {
      log: { warn, info: warn },
      firstConnectionMs: 1,
    })
    t.match(said.at(-1), 'Redis did not answer at startup')
    t.ok((await waitOf(attempts.count('mail', { request, email: 'ada@example.com' }))) > 0)
    proxy.trouble({ kind: 'none' })
    await until(
      'attempts count',
      async () =>
        (await waitOf(attempts.count('mail', { request, email: 'ada@example.com' }))) === 0,
    )
  },
)

t.test(
  'a portal says once that it cannot count attempts, and once that it can again',
  { skip: redisMissing() },
  async (t) => {
    const server = await testRedis(t)
    const said: string[] = []
    const note = (_: unknown, message = '') => void said.push(message)
    const attempts = await portal(server.url, { log: { warn: note, info: note } })
    await server.kill()
    await until('the first connection is refused', () => said.length > 0)
    t.ok((await waitOf(attempts.count('mail', { request, email: 'ada@example.com' }))) > 0)
    await server.restart()
    await until('attempts count again', () => said.at(-1) === 'attempts are counted again')
    t.match(said, [/^cannot count attempts/, 'attempts are counted again'])
    t.equal(said.length, 2)
  },
)

t.test(
  'an attempt that Redis answered during a slow turn of the portal counts',
  { skip: redisMissing() },
  async (t) => {
    const server = await testRedis(t)
    const attempts = await portal(server.url)
    // The answer lies there when the turn is over, but timers run before sockets are read.
    server.suspend()
    const timers = moveTimers(t)
    const attempt = waitOf(attempts.count('mail', { request, email: 'ada@example.com' }))
    await turn()
    timers.tick(1_500)
    server.resume()
    t.equal(await attempt, 0)
  },
)
