import t from 'tap'
import { startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'

const id = '3b0b3b6a-6f3c-4b0e-9a2f-0f7f1c2f4a55'

/** Targets by the answer they must get; none of them may reach the backend. */
const refused: ReadonlyArray<readonly [target: string, status: number]> = [
  ['//v1.7.0/accounts', 400],
  ['/v1.7.0//accounts', 400],
  ['/v1.7.0/./accounts', 400],
  ['/v1.6.0/../v1.7.0/accounts', 400],
  ['/v1.6.0/%2e%2e/v1.7.0/accounts', 400],
  ['/v1.7.0%2faccounts', 400],
  ['/v1.7.0/accounts/a%2Fbalances', 400],
  ['/v1.7.0/payments/..%2f..%2fv1.6.0%2fpayments/x', 400],
  ['/v1.7.0/payments/masav/p1%2Fauthorisations%2Fa1', 400],
  ['/v1.7.0%5caccounts', 400],
  ['/v1.7.0\\accounts', 400],
  ['/v1.6.0/..\\v1.7.0\\accounts', 400],
  ['/v1.7.0/%252e%252e/accounts', 400],
  ['/v1.7.0/accounts/%252F', 400],
  ['/V1.7.0/accounts', 404],
  ['/v1.7.0/Accounts', 404],
  ['/v1.7.0/accounts/', 404],
  ['/v1.7.0/accounts/x/', 404],
  ['/v1.7.0/payments//p1', 400],
  ['/v1.7.0/accounts;a=b', 400],
  ['/v1.6.0/..;/v1.7.0/accounts', 400],
  ['/v1%2e7%2e0/accounts', 400],
  ['/v1.7.0/%61ccounts', 400],
  ['/v1.7.0/accounts/%c0%af', 400],
  ['/v1.7.0/accounts/%ff', 400],
  ['/v1.7.0/accounts/%zz', 400],
  ['/v1.7.0/accounts/%ed%a0%80', 400],
  ['/v1.7.0/accounts/%f4%90%80%80', 400],
  ['/v1.7.0/accounts/%3b', 400],
  ['/v1.7.0/accounts/a;b', 400],
  ['/v1.7.0/accounts/a%5Cb', 400],
  ['/v1.7.0/accounts/%E2%80%8B', 400],
  ['/v1.7.0/accounts/%E2%80%AEx', 400],
  ['/v1.7.0/accounts/%C2%85', 400],
  ['/v1.7.0/accounts/%EF%B8%8F', 400],
  ['/v1.7.0/accounts/a%20', 400],
  ['/v1.7.0/accounts/%C2%A0a', 400],
  ['/v1.7.0/accounts/a%E2%88%95balances', 400],
  ['/v1.7.0/accounts/%2E', 400],
  ['/v1.7.0/accounts/.%2e', 400],
  ['/v1.7.0/accounts/%2e%2e/x', 400],
  ['/v1.7.0/accounts/a/%74ransactions', 400],
  ['/v1.7.0/accounts/a/%62alances', 400],
  ['/v1.7.0/accounts/a%EF%BC%8Fbalances', 400],
  ['/v1.7.0/accounts/%E2%80%A4%E2%80%A4/x', 400],
  ['/v1.7.0/accounts/a"b', 400],
  ['/v1.7.0/accounts/a|b', 400],
  ['/v1.7.0/accounts/a%', 400],
  ['/v1.7.0/accounts/a%00', 400],
  ['/v1.7.0/accounts/a\0', 400],
  ['/v1.7.0/accounts/a%0d%0ab', 400],
  ['/v1.7.0/accounts%3fx=1', 400],
  ['/v1.7.0/accounts%23frag', 400],
  ['/v1.7.0/accounts#frag', 400],
  ['/v1.7.0/accounts/a#x', 400],
  ['/v1.7.0/accounts/..', 400],
  ['/v1.7.0/accounts/.', 400],
  ['http://evil.example/v1.7.0/accounts', 400],
  ['http://user@127.0.0.1/v1.7.0/accounts', 400],
  ['ftp://127.0.0.1/v1.7.0/accounts', 400],
  ['*', 400],
  ['v1.7.0/accounts', 400],
  ['/', 404],
  ['/v1.7/accounts', 404],
  ['/v1.7.00/accounts', 404],
  ['/v01.7.0/accounts', 404],
  ['/v1.7.0-x/accounts', 404],
  ['/v9.9.9/accounts', 404],
  ['/v1.7.0/mandates', 404],
  ['/v1.0.0/accounts', 404],
  ['/v1.7.0', 404],
  ['/v1.7.0/accounts/a/b/c/d', 404],
  ['/v1.7.0/accounts?x=%zz', 400],
  ['/v1.7.0/accounts?x=a"b', 400],
  [`/v1.7.0/accounts/${'a'.repeat(513)}`, 414],
  [`/v1.7.0/accounts?x=${'a'.repeat(8200)}`, 414],
  [`/v1.7.0/accounts/${'a'.repeat(3000)}`, 414],
]

t.test('no target but the published path reaches the backend or a counter', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  for (const [target, status] of refused) {
    const answer = await sendRaw(
      edge.url,
      rawRequest(`GET ${target} HTTP/1.1`, [`X-API-Key: ${testKey}`, 'Connection: close']),
    )
    t.equal(answer.status, status, JSON.stringify(target.slice(0, 80)))
    t.match(
      answer.headers.get('content-type') ?? '',
      'application/problem+json',
      target.slice(0, 40),
    )
    if (target.length > 12) t.notOk(answer.text.includes(target), 'the target is not echoed')
  }
  t.equal(backend.requests.length, 0)
  t.notMatch(await edge.metrics(), /gateway_limit_decisions_total\{/)
})

t.test(
  'the backend gets the path in one spelling, whichever the client chose, and the query byte for byte',
  async (t) => {
    const backend = await startRawBackend(t)
    const edge = await startEdge(t, { backendUrl: backend.url })
    const targets = [
      ['/v1.7.0/accounts', '/v1.7.0/accounts'],
      [`/v1.7.0/accounts/${id}?withBalance=true`, `/v1.7.0/accounts/${id}?withBalance=true`],
      [`/v1.7.0/accounts/${'a'.repeat(512)}`, `/v1.7.0/accounts/${'a'.repeat(512)}`],
      ['/v1.7.0/accounts/a/transactions/b', '/v1.7.0/accounts/a/transactions/b'],
      [
        "/v1.7.0/accounts/urn:bancoex:C1=_=_p$&'()*+,@!~",
        "/v1.7.0/accounts/urn:bancoex:C1=_=_p$&'()*+,@!~",
      ],
      ['/v1.7.0/accounts/urn%3abancoex%3AC1%3d%3D', '/v1.7.0/accounts/urn:bancoex:C1=='],
      ['/v1.7.0/accounts/%61%7eb', '/v1.7.0/accounts/a~b'],
      ['/v1.7.0/accounts/a%20b%c3%a9%22', '/v1.7.0/accounts/a%20b%C3%A9%22'],
      ['/v1.7.0/accounts/a%C2%A0%F0%9F%92%B6', '/v1.7.0/accounts/a%C2%A0%F0%9F%92%B6'],
      ['/v1.6.0/accounts?a=%2F..%2F&b=x+y&c', '/v1.6.0/accounts?a=%2F..%2F&b=x+y&c'],
      ['/v1.7.0/accounts?', '/v1.7.0/accounts?'],
      [
        '/v1.7.0/accounts?version=1.6.0&_method=DELETE',
        '/v1.7.0/accounts?version=1.6.0&_method=DELETE',
      ],
      ['http://127.0.0.1/v1.7.0/accounts', '/v1.7.0/accounts'],
    ] as const
    for (const [target, expected] of targets) {
      const answer = await sendRaw(
        edge.url,
        rawRequest(`GET ${target} HTTP/1.1`, [`X-API-Key: ${testKey}`, 'Connection: close']),
      )
      t.equal(answer.status, 200, target.slice(0, 60))
      t.equal(backend.requests.at(-1)?.target, expected)
      t.equal(backend.requests.at(-1)?.method, 'GET')
    }
  },
)
