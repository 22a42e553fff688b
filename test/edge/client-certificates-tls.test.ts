import { once } from 'node:events'
import { Agent, request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { decodeJwt } from 'jose'
import t, { type Test } from 'tap'
import { readRevocationLists } from '../../src/certificates/revocation-list.ts'
import type { Trust } from '../../src/certificates/trust.ts'
import { createClientCertificates } from '../../src/gateway/edge/client-certificates.ts'
import { createNetworks } from '../../src/platform/http/networks.ts'
import { createAuthority, qwacExtensions, type TestCertificate } from '../support/authority.ts'
import { createTestAuthority, createTestTls } from '../support/certificates.ts'
import { callerOf, startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'

const servers = createTestAuthority(t, 'Servers')
const server = servers.issue()
const authority = createAuthority(t)
const middle = authority.authority()
const own = authority.issue()
const second = authority.issue()
const below = middle.issue()
const others = authority.issue()
const missing = '401 CLIENT_CERTIFICATE_MISSING'
const invalid = '401 CLIENT_CERTIFICATE_INVALID'

type Presents = Pick<TestCertificate, 'pem' | 'key'> | undefined

/** The certificate, and the authority between it and the trusted one. */
const whole = { pem: below.pem + middle.pem, key: below.key }

/** A gateway that ends TLS itself. The application of `testKey` has `own`, `second` and `below`. */
async function start(t: Test, { isRequired = true, proxies = [] as string[] } = {}) {
  const backend = await startRawBackend(t)
  const state = { ahead: 0, judgements: 0, trusts: [] as readonly Trust[] }
  const now = () => Date.now() + state.ahead
  const owned = [own, second, below].map(
    ({ thumbprint }, index) => [thumbprint, `own-${index}`] as const,
  )

  function trust(lists?: readonly string[]): void {
    state.trusts = [
      {
        // Looked at once for each judgement.
        get anchors() {
          state.judgements += 1
          return [authority.certificate]
        },
        lists: lists?.flatMap((list) => readRevocationLists(Buffer.from(list))),
      },
    ]
  }

  trust()
  const { url } = await startEdge(t, {
    backendUrl: backend.url,
    now,
    tls: createTestTls(server, { asksForCertificate: true }),
    trustedProxies: proxies,
    callers: new Map([
      [testKey, callerOf('app-1', { certificates: new Map(owned) })],
      ['plain', callerOf('app-3')],
      ['other', callerOf('app-2', { certificates: new Map([[others.thumbprint, 'other-1']]) })],
    ]),
    certificates: createClientCertificates({
      isRequired,
      trusts: () => state.trusts,
      register: { isBlocked: () => false, noteUse() {} },
      isProxy: createNetworks(proxies),
      now,
    }),
  })

  /** A client with one connection, which it keeps. */
  function client(presents: Presents, options: { maxVersion?: 'TLSv1.2' } = {}) {
    const pair = presents === undefined ? {} : { cert: presents.pem, key: presents.key }
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: servers.ca, ...pair, ...options })
    t.teardown(() => agent.destroy())
    const sockets = new Set<TLSSocket>()
    async function ask(headers: Readonly<Record<string, string>> = {}): Promise<string> {
      const call = request(`${url}/v1.7.0/accounts`, {
        agent,
        headers: { 'x-api-key': testKey, ...headers },
      })
      const [response] = await once(call.end(), 'response')
      sockets.add(response.socket)
      let body = ''
      for await (const piece of response) body += piece
      return `${response.statusCode} ${JSON.parse(body).code ?? ''}`.trim()
    }
    return { ask, sockets, agent }
  }

  /** The answer to a call on a new connection, as `status code`. */
  const answer = (presents: Presents, headers: Readonly<Record<string, string>> = {}) =>
    client(presents).ask(headers)

  return { backend, state, trust, client, answer }
}

t.test('a call over the certificate of its application passes, in both versions', async (t) => {
  const { backend, client, answer } = await start(t)
  t.equal(await client(own).ask(), '200')
  t.equal(await client(own, { maxVersion: 'TLSv1.2' }).ask(), '200')
  t.equal(await answer(second), '200', 'two at a time, so that they rotate')
  const [identity = ''] = backend.requests[0]?.headers.get('gateway-identity') ?? []
  t.match(decodeJwt(identity), {
    sub: 'app-1',
    cnf: { 'x5t#S256': own.thumbprint },
    tpp: { roles: ['PSP_AI'], number: 'PSDPL-PFSA-1234567890' },
  })
})

t.test('a certificate that does not fit gets its code, and no broken connection', async (t) => {
  const { backend, state, trust, answer } = await start(t)
  const revoked = authority.issue()
  const briefly = authority.issue({ days: 5 })
  trust([authority.revocationList([revoked], { hours: 200 })])
  const cases = [
    [undefined, missing],
    [others, invalid],
    [createAuthority(t).issue(), invalid],
    [revoked, '401 CLIENT_CERTIFICATE_REVOKED'],
    [authority.issue({ extensions: qwacExtensions('PI') }), '403 CLIENT_ROLE_INVALID'],
  ] as const
  for (const [presents, expected] of cases) t.equal(await answer(presents), expected)
  t.equal(await answer(own, { 'x-api-key': 'other' }), invalid, "another application's key")
  t.equal(await answer(briefly), invalid, 'valid, but of no application')
  state.ahead = 6 * 86_400_000
  t.equal(await answer(briefly), '401 CLIENT_CERTIFICATE_EXPIRED')
  t.equal(backend.requests.length, 0)
})

t.test('optional: only applications without a certificate pass without one', async (t) => {
  const { client, answer } = await start(t, { isRequired: false })
  t.equal(await client(undefined).ask({ 'x-api-key': 'plain' }), '200')
  t.equal(await answer(undefined), '401 CLIENT_CERTIFICATE_MISSING')
  t.equal(await answer(own), '200')
  t.equal(await answer(others), invalid)
})

t.test('a connection is judged once, and again when the authorities change', async (t) => {
  const { state, trust, client } = await start(t)
  const { ask, sockets } = client(whole)
  for (let count = 0; count < 5; count += 1) t.equal(await ask(), '200')
  t.equal(state.judgements, 1)
  trust([authority.revocationList(), middle.revocationList()])
  for (let count = 0; count < 5; count += 1) t.equal(await ask(), '200', 'with its intermediates')
  t.equal(state.judgements, 2)
  trust([authority.revocationList(), middle.revocationList([below])])
  t.equal(await ask(), '401 CLIENT_CERTIFICATE_REVOKED')
  t.equal(sockets.size, 1, 'all on one connection')
})

t.test('a client that comes back keeps its intermediate certificates', async (t) => {
  const { client } = await start(t)
  for (const options of [{}, { maxVersion: 'TLSv1.2' }] as const) {
    const { ask, sockets } = client(whole, options)
    for (const time of ['first', 'second', 'third']) {
      t.equal(await ask({ connection: 'close' }), '200', time)
    }
    t.equal(sockets.size, 3)
  }
})

t.test('the certificate of the connection counts, whatever Client-Cert says', async (t) => {
  const proxied = await start(t, { proxies: ['127.0.0.1'] })
  const claim = { 'client-cert': own.field }
  t.equal(await proxied.answer(others, claim), invalid)
  t.equal(await proxied.answer(own, { 'client-cert': others.field }), '200')
  t.equal(await proxied.answer(undefined, claim), '200', 'a proxy without a certificate')
  t.equal(await proxied.answer(undefined), missing)
  const direct = await start(t)
  t.equal(await direct.answer(undefined, claim), '400 HEADERS_INVALID', 'a stranger')
  t.equal(await direct.answer(own, claim), '400 HEADERS_INVALID')
})
