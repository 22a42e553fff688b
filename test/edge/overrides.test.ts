import t, { type Test } from 'tap'
import type { CallsOverride } from '../../src/catalogue/effective-limits.ts'
import { callerOf, hourly, startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { TestClock } from '../support/test-clock.ts'

const begin = Date.parse('2026-11-20T14:20:00Z')
const three = [{ name: 'default', calls: 3, ...hourly }]

function override(calls: number, expiresAt: string, limit = 'default'): CallsOverride {
  return { limit, calls, expiresAt: new Date(expiresAt) }
}

/** Callers by key: without an override, and with one on 1.7.0 only. */
function callersWith(...overrides: CallsOverride[]) {
  return new Map([
    ['plain', callerOf('app-0')],
    [testKey, calling(...overrides)],
  ])
}

function calling(...overrides: CallsOverride[]) {
  return callerOf('app-1', { overrides: new Map([['xs2a@1.7.0', overrides]]) })
}

async function start(test: Test, options: Parameters<typeof startEdge>[1]) {
  const edge = await startEdge(test, options)
  return async (path = '/v1.7.0/accounts', key = testKey) => {
    const answer = await fetch(edge.url + path, { headers: { 'x-api-key': key } })
    const field = (name: string) => Number(answer.headers.get(name))
    return {
      status: answer.status,
      policy: answer.headers.get('ratelimit-policy'),
      limit: field('x-ratelimit-limit'),
      remaining: field('x-ratelimit-remaining'),
      body: JSON.parse(await answer.text()),
    }
  }
}

t.test(
  'an override changes a limit of an application and version until it expires; the count continues',
  async (t) => {
    const clock = new TestClock(begin)
    const backend = await startRawBackend(t)
    const call = await start(t, {
      backendUrl: backend.url,
      plan: { limits: three },
      callers: callersWith(override(5, '2026-11-20T14:30:00.000Z')),
      now: () => clock.now,
    })
    t.match(await call(), { status: 200, limit: 5, remaining: 4, policy: '"default";q=5;w=3600' })
    t.match(await call('/v1.6.0/accounts'), { status: 200, limit: 3, remaining: 2 })
    t.match(await call('/v1.7.0/accounts', 'plain'), { limit: 3, remaining: 2 })
    for (let count = 2; count <= 5; count += 1) t.equal((await call()).status, 200)
    const refused = await call()
    t.equal(refused.status, 429)
    t.match(refused.body, {
      limit: 5,
      detail: 'You have used all 5 calls. Try again when the limit resets.',
    })
    t.equal(refused.limit, 5)

    const other = () => call('/v1.7.0/card-accounts')
    for (let count = 1; count <= 2; count += 1) t.equal((await other()).status, 200)
    clock.now = Date.parse('2026-11-20T14:29:59.999Z')
    t.match(await other(), { status: 200, limit: 5, remaining: 2 })
    clock.now += 1
    t.match(await other(), { status: 429, limit: 3, remaining: 0 }, 'the three calls count')
    t.match((await call()).body, { limit: 3 })
    clock.now -= 1
    t.match(await other(), { status: 200, limit: 5 }, 'a clock set back a little')
  },
)

t.test('an override may allow fewer calls; it does not give back used calls', async (t) => {
  const backend = await startRawBackend(t)
  const callers = callersWith()
  const call = await start(t, {
    backendUrl: backend.url,
    plan: { limits: three },
    callers,
    now: () => begin,
  })
  for (let count = 1; count <= 2; count += 1) t.equal((await call()).status, 200)
  // A change of the registry replaces the caller.
  callers.set(testKey, calling(override(1, '2026-11-21T00:00:00Z')))
  t.match(await call(), { status: 429, limit: 1, remaining: 0 })
  callers.set(testKey, calling(override(4, '2026-11-21T00:00:00Z')))
  t.match(await call(), { status: 200, limit: 4, remaining: 1 })
})

t.test(
  'an override changes only the limit that it names, and has no effect if the plan lacks it',
  async (t) => {
    const backend = await startRawBackend(t)
    const limits = [
      ...three,
      {
        name: 'daily',
        calls: 50,
        windowLength: 86_400,
        isAdvertised: true,
        scope: 'plan' as const,
      },
    ]
    const until = '2026-11-21T00:00:00Z'
    const call = await start(t, {
      backendUrl: backend.url,
      plan: { limits },
      callers: callersWith(override(70, until, 'daily'), override(9, until, 'gone')),
      now: () => begin,
    })
    t.equal((await call()).policy, '"default";q=3;w=3600, "daily";q=70;w=86400')
  },
)
