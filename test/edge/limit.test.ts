import { pino } from 'pino'
import t from 'tap'
import { callerOf, hourly, startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'

const hundred = [{ name: 'default', calls: 100, ...hourly }]
// Twenty minutes and three seconds into an hour.
const now = () => Date.parse('2026-11-20T14:20:03Z')
const headers = { 'x-api-key': testKey }

t.test(
  'of 500 concurrent calls to one operation exactly 100 are admitted, each with its own remainder',
  async (t) => {
    const backend = await startRawBackend(t)
    const edge = await startEdge(t, { backendUrl: backend.url, plan: { limits: hundred }, now })
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
  'after the clock was set back by hours, calls count in the window of the later time until it ends, and an operator is notified',
  async (t) => {
    const backend = await startRawBackend(t)
    const lines: unknown[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) })
    let aheadMs = 0
    const edge = await startEdge(t, {
      backendUrl: backend.url,
      plan: { limits: [{ name: 'default', calls: 1, ...hourly }] },
      now: () => now() + aheadMs,
      log,
      accessLog: { mode: 'off' },
    })
    const call = (path: string) => fetch(`${edge.url}/v1.7.0/${path}`, { headers })
    const statuses = async (path: string) => [(await call(path)).status, (await call(path)).status]
    const decidedAhead = async () =>
      /^gateway_limit_window_ahead_total (\d+)$/m.exec(await edge.metrics())?.[1]
    t.same(await statuses('card-accounts'), [200, 429])
    t.equal(await decidedAhead(), '0', 'a limit that is used up is none')
    t.same(lines, [])
    aheadMs = 2 * 3_600_000
    t.same(await statuses('accounts'), [200, 429])
    t.equal(await decidedAhead(), '0', 'for that clock, it was the present')
    aheadMs = 0
    const refused = await call('accounts')
    t.equal(refused.status, 429)
    t.equal(refused.headers.get('retry-after'), String(2_397 + 2 * 3_600))
    t.same(await statuses('accounts'), [429, 429])
    t.equal(await decidedAhead(), '3')
    t.match(lines, [{ operation: 'listAccounts', msg: /counter reset/ }])
    t.equal(lines.length, 1, 'once')
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
      help: `https://portal.example/problems/QUOTA_EXCEEDED?call=${id}`,
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

t.test('the refusal of a limit of one call speaks of one call', async (t) => {
  const backend = await startRawBackend(t)
  const limits = [{ name: 'default', calls: 1, ...hourly }]
  const edge = await startEdge(t, { backendUrl: backend.url, plan: { limits }, now })
  await fetch(`${edge.url}/v1.7.0/accounts`, { headers })
  const refused = await fetch(`${edge.url}/v1.7.0/accounts`, { headers })
  t.match(await refused.json(), {
    detail: 'You have used the only call. Try again when the limit resets.',
  })
})

t.test('a plan that observes counts and reports but refuses nothing', async (t) => {
  const backend = await startRawBackend(t)
  const limits = [{ name: 'default', calls: 1, ...hourly }]
  const plan = { limits, mode: 'observe' } as const
  const edge = await startEdge(t, { backendUrl: backend.url, plan, now })
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
      { name: 'each', calls: 2, ...hourly },
      { name: 'all', calls: 3, windowLength: 86_400, isAdvertised: true, scope: 'plan' as const },
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
  'a calendar window is announced with its own length, and a refusal says when it ends',
  async (t) => {
    const backend = await startRawBackend(t)
    const limits = [
      { name: 'daily', calls: 2, ...hourly, windowLength: 'P1D@Europe/Berlin' as const },
      { name: 'monthly', calls: 9, ...hourly, windowLength: 'P1M@Europe/Berlin' as const },
    ]
    const days = [
      ['2026-03-28T22:59:59Z', 86_400, 1, 2_674_800, 255_601],
      ['2026-03-29T12:00:00Z', 82_800, 36_000, 2_674_800, 208_800],
      ['2026-10-25T12:00:00Z', 90_000, 39_600, 2_682_000, 558_000],
      ['2026-02-28T12:00:00Z', 86_400, 39_600, 2_419_200, 39_600],
    ] as const
    for (const [time, dayLength, dayLeft, monthLength, monthLeft] of days) {
      const edge = await startEdge(t, {
        backendUrl: backend.url,
        plan: { limits },
        now: () => Date.parse(time),
      })
      const call = () => fetch(`${edge.url}/v1.7.0/accounts`, { headers })
      const first = await call()
      t.equal(
        first.headers.get('ratelimit-policy'),
        `"daily";q=2;w=${dayLength}, "monthly";q=9;w=${monthLength}`,
      )
      t.equal(
        first.headers.get('ratelimit'),
        `"daily";r=1;t=${dayLeft}, "monthly";r=8;t=${monthLeft}`,
      )
      await call()
      const refused = await call()
      t.equal(refused.headers.get('retry-after'), String(dayLeft))
      t.match(await refused.json(), {
        'violated-policies': ['daily'],
        windowSeconds: dayLength,
        resetsAt: new Date(Date.parse(time) + dayLeft * 1000).toISOString(),
      })
    }
  },
)

t.test(
  'a refusal before the body comes announces a calendar window with its length, too',
  async (t) => {
    const backend = await startRawBackend(t)
    const limits = [
      { name: 'daily', calls: 1, ...hourly, windowLength: 'P1D@Europe/Berlin' as const },
    ]
    const edge = await startEdge(t, {
      backendUrl: backend.url,
      plan: { limits },
      now: () => Date.parse('2026-03-29T12:00:00Z'),
    })
    const fields = [`X-API-Key: ${testKey}`, 'Content-Type: application/json', 'Content-Length: 2']
    const call = () => {
      const all = [...fields, 'Expect: 100-continue']
      return sendRaw(edge.url, rawRequest('POST /v1.7.0/consents HTTP/1.1', all, '{}'))
    }
    t.match((await call()).text, /^HTTP\/1\.1 100 Continue\r\n/)
    const refused = await call()
    t.match(refused.text, /^HTTP\/1\.1 429 /)
    t.match(refused.text, /ratelimit-policy: "daily";q=1;w=82800\r\n/i)
    t.match(JSON.parse(refused.body), { windowSeconds: 82_800 })
  },
)

t.test(
  'a limit that is not advertised is enforced: no header shows it, and its refusal names it',
  async (t) => {
    const backend = await startRawBackend(t)
    const all = { name: 'all', calls: 2, windowLength: 86_400, scope: 'plan' } as const
    const limits = [
      { name: 'each', calls: 5, ...hourly },
      { ...all, isAdvertised: false },
    ]
    const edge = await startEdge(t, { backendUrl: backend.url, plan: { limits }, now })
    const call = () => fetch(`${edge.url}/v1.7.0/accounts`, { headers })
    t.equal((await call()).status, 200)
    const second = await call()
    t.equal(second.headers.get('ratelimit-policy'), '"each";q=5;w=3600')
    t.equal(second.headers.get('ratelimit'), '"each";r=3;t=2397')
    t.equal(second.headers.get('x-ratelimit-limit'), '5')
    t.equal(second.headers.get('x-ratelimit-remaining'), '3')
    const refused = await call()
    t.equal(refused.status, 429)
    t.equal(refused.headers.get('retry-after'), '34797')
    t.equal(refused.headers.get('ratelimit'), '"each";r=3;t=2397')
    t.match(await refused.json(), {
      code: 'QUOTA_EXCEEDED',
      'violated-policies': ['all'],
      limit: 2,
      windowSeconds: 86_400,
      resetsAt: '2026-11-21T00:00:00.000Z',
    })
  },
)

t.test('a plan that advertises no limit has no limit headers, but a Retry-After', async (t) => {
  const backend = await startRawBackend(t)
  const limits = [{ name: 'all', calls: 1, ...hourly, isAdvertised: false }]
  const edge = await startEdge(t, { backendUrl: backend.url, plan: { limits }, now })
  for (const [status, retryAfter] of [
    [200, null],
    [429, '2397'],
  ]) {
    const answer = await fetch(`${edge.url}/v1.7.0/accounts`, { headers })
    t.equal(answer.status, status)
    t.equal(answer.headers.get('retry-after'), retryAfter)
    const names = [...answer.headers.keys()].filter((name) => name.includes('ratelimit'))
    t.same(names, [])
  }
})

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
            standings: limits.map(() => ({
              remaining: 0,
              resetMs: undefined,
              window: undefined,
              granted: false,
            })),
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
