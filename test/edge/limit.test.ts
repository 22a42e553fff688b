import t from 'tap'
import { callerOf, startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'

const hundred = [{ name: 'default', calls: 100, windowSeconds: 3600, scope: 'operation' as const }]
// Twenty minutes and three seconds into an hour.
const now = () => Date.parse('2026-11-20T14:20:03Z')
const headers = { 'x-api-key': testKey }

t.test(
  'of 500 concurrent calls to one operation exactly 100 are admitted, each with its own remainder',
  async (t) => {
    const backend = await startRawBackend(t)
    const edge = await startEdge(t, { backendUrl: backend.url, plan: { limits: hundred } })
    const answers = await Promise.all(
      Array.from({ length: 500 }, () => fetch(`${edge.url}/v1.7.0/accounts`, { headers })),
    )
    const admitted = answers.filter((answer) => answer.status === 200)
    t.equal(admitted.length, 100)
    t.equal(answers.filter((answer) => answer.status === 429).length, 400)
    t.equal(backend.requests.length, 100)
    const remainders = admitted.map((answer) => Number(answer.headers.get('x-ratelimit-remaining')))
    t.same(
      remainders.sort((a, b) => a - b),
      Array.from({ length: 100 }, (_, at) => at),
    )
  },
)

t.test(
  'the 101st call is refused with true headers; other operations, versions and applications keep their own 100',
  async (t) => {
    const backend = await startRawBackend(t)
    const callers = new Map([
      [testKey, callerOf('app-1')],
      ['second key', callerOf('app-1', { keyId: 'testkey00002' })],
      ['other', callerOf('app-2')],
    ])
    const edge = await startEdge(t, {
      backendUrl: backend.url,
      plan: { limits: hundred },
      callers,
      now,
    })
    const call = (path: string, key = testKey) =>
      fetch(edge.url + path, { headers: { 'x-api-key': key } })
    for (let count = 1; count <= 60; count += 1)
      t.equal((await call('/v1.7.0/accounts')).status, 200)
    for (let count = 61; count < 100; count += 1) {
      t.equal((await call('/v1.7.0/accounts', 'second key')).status, 200)
    }
    const last = await call('/v1.7.0/accounts')
    t.equal(last.headers.get('ratelimit-policy'), '"default";q=100;w=3600')
    t.equal(last.headers.get('ratelimit'), '"default";r=0;t=2397')
    t.equal(last.headers.get('x-ratelimit-limit'), '100')
    t.equal(last.headers.get('x-ratelimit-remaining'), '0')
    t.equal(last.headers.get('x-ratelimit-reset'), '2397')
    t.equal(last.headers.get('retry-after'), null)

    const refused = await call('/v1.7.0/accounts')
    t.equal(refused.status, 429)
    t.equal(refused.headers.get('retry-after'), '2397')
    t.equal(refused.headers.get('ratelimit'), '"default";r=0;t=2397')
    const id = refused.headers.get('x-request-id')
    t.same(await refused.json(), {
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'No calls left until the limit resets',
      status: 429,
      detail: 'You have used all 100 calls. Try again when the limit resets.',
      instance: `urn:uuid:${id}`,
      code: 'QUOTA_EXCEEDED',
      help: 'https://portal.example/problems/QUOTA_EXCEEDED',
      log: `https://portal.example/r/${id}`,
      'violated-policies': ['default'],
      operation: 'listAccounts',
      limit: 100,
      windowSeconds: 3600,
      resetsAt: '2026-11-20T15:00:00.000Z',
    })
    for (const [path, key] of [
      ['/v1.7.0/accounts/a1', testKey],
      ['/v1.6.0/accounts', testKey],
      ['/v1.7.0/accounts', 'other'],
    ] as const) {
      t.equal((await call(path, key)).headers.get('x-ratelimit-remaining'), '99', path)
    }
  },
)

t.test('a call refused for another reason is not counted', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url, plan: { limits: hundred }, now })
  const refusals = [
    fetch(`${edge.url}/v1.7.0/consents/%2e`, { headers }),
    fetch(`${edge.url}/v1.7.0/consents`, { headers }),
    fetch(`${edge.url}/v1.7.0/consents`, {
      method: 'POST',
      headers: { 'x-api-key': 'wrong' },
      body: '{}',
    }),
    fetch(`${edge.url}/v1.7.0/consents`, { method: 'POST', headers, body: 'x'.repeat(1_048_577) }),
  ]
  for (const refusal of await Promise.all(refusals)) t.ok(refusal.status >= 400)
  const counted = await fetch(`${edge.url}/v1.7.0/consents`, {
    method: 'POST',
    headers,
    body: '{}',
  })
  t.equal(counted.headers.get('x-ratelimit-remaining'), '99')
})

t.test('a plan that observes counts and reports but refuses nothing', async (t) => {
  const backend = await startRawBackend(t)
  const limits = [{ name: 'default', calls: 1, windowSeconds: 3600, scope: 'operation' as const }]
  const edge = await startEdge(t, { backendUrl: backend.url, plan: { limits, mode: 'observe' } })
  for (const _call of [1, 2, 3]) {
    t.equal((await fetch(`${edge.url}/v1.7.0/accounts`, { headers })).status, 200)
  }
  t.match(await edge.metrics(), /gateway_limit_decisions_total\{.*decision="observed"\} 2/)
})

t.test(
  'two limits are both announced, the tighter one decides, and an exhausted one spends nothing of the other',
  async (t) => {
    const backend = await startRawBackend(t)
    const limits = [
      { name: 'each', calls: 2, windowSeconds: 3600, scope: 'operation' as const },
      { name: 'all', calls: 3, windowSeconds: 86_400, scope: 'plan' as const },
    ]
    const edge = await startEdge(t, { backendUrl: backend.url, plan: { limits }, now })
    const call = (path: string) => fetch(edge.url + path, { headers })
    t.equal((await call('/v1.7.0/accounts')).status, 200)
    const second = await call('/v1.7.0/accounts')
    t.equal(second.headers.get('ratelimit-policy'), '"each";q=2;w=3600, "all";q=3;w=86400')
    t.equal(second.headers.get('ratelimit'), '"each";r=0;t=2397, "all";r=1;t=34797')
    t.equal(second.headers.get('x-ratelimit-limit'), '2')
    const refused = await call('/v1.7.0/accounts')
    t.equal(refused.status, 429)
    t.match(await refused.json(), { 'violated-policies': ['each'], limit: 2 })
    t.equal(
      (await call('/v1.7.0/card-accounts')).status,
      200,
      'the third call of the plan was left',
    )
    const exhausted = await call('/v1.7.0/card-accounts')
    t.match(await exhausted.json(), {
      'violated-policies': ['all'],
      limit: 3,
      windowSeconds: 86_400,
    })
  },
)

t.test(
  'while the counters do not answer, a plan that denies says 503 and when to try again',
  async (t) => {
    const backend = await startRawBackend(t)
    const edge = await startEdge(t, {
      backendUrl: backend.url,
      plan: { onStoreOutage: 'deny' },
      counter: {
        grant: (limits, _onOutage, done) =>
          done({
            admitted: false,
            decision: 'degraded_refused',
            standings: limits.map(() => ({ remaining: 0, resetMs: undefined, granted: false })),
            retryAfterMs: 900,
          }),
        peek: async () => [],
        reset: async () => {},
        forget: () => {},
        isUp: () => false,
        close: async () => {},
      },
    })
    const answer = await fetch(`${edge.url}/v1.7.0/accounts`, { headers })
    t.equal(answer.status, 503)
    t.equal(answer.headers.get('retry-after'), '1')
    t.equal(answer.headers.get('ratelimit'), null)
    t.match(await answer.json(), { code: 'COUNTERS_UNAVAILABLE' })
  },
)
