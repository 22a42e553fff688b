import { randomBytes } from 'node:crypto'
import t from 'tap'
import { generateKey } from '../../src/registry/keys/key-format.ts'
import { callerOf, hourly, startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'

t.test(
  'a path that is not published is answered with the published one most like it',
  async (t) => {
    const edge = await startEdge(t, { backendUrl: (await startRawBackend(t)).url })
    const hints: Readonly<Record<string, string | undefined>> = {
      '/v1.7.0/acounts': '/v1.7.0/accounts',
      '/v1.7.0/Accounts': '/v1.7.0/accounts',
      '/V1.7.0/accounts': '/v1.7.0/accounts',
      '/accounts': '/v1.7.0/accounts',
      '/v1.7/accounts': '/v1.7.0/accounts',
      '/v9.9.9/accounts': '/v1.7.0/accounts',
      '/v1.7.0/accounts/secret-id/balance': '/v1.7.0/accounts/{account-id}/balances',
      '/v1.7.0/mandates': '/v1.0.0/mandates',
      '/nothing-like-it': undefined,
      '/': undefined,
      [`/v1.7.0/${'a'.repeat(1500)}`]: undefined,
    }
    for (const [path, hint] of Object.entries(hints)) {
      const answer = await fetch(edge.url + path)
      const problem = JSON.parse(await answer.text())
      t.equal(answer.status, 404, path)
      t.equal(problem.didYouMean, hint, path)
      if (hint === undefined) t.match(problem.detail, /begin with \/v1\.0\.0, /, path)
      else t.match(problem.detail, `Did you mean ${hint}?`, path)
      const { instance: _, ...said } = problem
      t.notMatch(JSON.stringify(said), /secret-id|aaaa/, 'nothing of the path comes back')
    }
  },
)

t.test('an answer that is a problem links to its help and to the record of the call', async (t) => {
  const edge = await startEdge(t, {
    backendUrl: (await startRawBackend(t)).url,
    plan: {
      limits: [{ name: 'default', calls: 1, ...hourly }],
    },
    now: () => Date.parse('2026-11-20T14:20:03Z'),
  })
  const call = async (key: string) => {
    const answer = await fetch(`${edge.url}/v1.7.0/accounts`, { headers: { 'x-api-key': key } })
    return { id: answer.headers.get('x-request-id'), problem: JSON.parse(await answer.text()) }
  }
  await call(testKey)
  const unknown = generateKey(randomBytes).text
  for (const [key, code, isRecorded] of [
    [testKey, 'QUOTA_EXCEEDED', true],
    [unknown, 'KEY_INVALID', true],
    ['wrong', 'KEY_INVALID', false],
    ['', 'KEY_MISSING', false],
  ] as const) {
    const { id, problem } = await call(key)
    t.equal(problem.code, code)
    t.type(problem.detail, 'string')
    const page = `https://portal.example/problems/${code}`
    t.equal(problem.help, isRecorded ? `${page}?call=${id}` : page)
    t.equal(problem.log, isRecorded ? `https://portal.example/r/${id}` : undefined, code)
  }
})

t.test('a plan that was withdrawn while in use is named as the reason', async (t) => {
  const plans = new Map([['xs2a@1.7.0', 'gone']])
  const edge = await startEdge(t, {
    backendUrl: (await startRawBackend(t)).url,
    callers: new Map([
      [testKey, callerOf('app-1', { plans })],
      ['tg_without', callerOf('app-2', { plans: new Map() })],
    ]),
  })
  const ask = async (key: string) => {
    const answer = await fetch(`${edge.url}/v1.7.0/accounts`, { headers: { 'x-api-key': key } })
    t.equal(answer.status, 403)
    return await answer.json()
  }
  t.match(await ask(testKey), {
    code: 'NOT_SUBSCRIBED',
    detail: /^The plan "gone" of this subscription is no longer published for xs2a 1\.7\.0\./,
    plan: 'gone',
  })
  t.match(await ask('tg_without'), { detail: /no active subscription/ })
})
