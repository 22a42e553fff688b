import { decodeJwt } from 'jose'
import t, { type Test } from 'tap'
import { readRevocationLists } from '../../src/certificates/revocation-list.ts'
import type { Trust } from '../../src/certificates/trust.ts'
import { createClientCertificates } from '../../src/gateway/edge/client-certificates.ts'
import { createNetworks } from '../../src/platform/http/networks.ts'
import { createAuthority, qsealExtensions, qwacExtensions } from '../support/authority.ts'
import { callerOf, startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { twinOf } from '../support/twin.ts'

const day = 86_400_000
const authority = createAuthority(t)
const stranger = createAuthority(t)
const middle = authority.authority()
const own = authority.issue()
const second = authority.issue()
const others = authority.issue()

/** A gateway behind a proxy on loopback. The application of `testKey` has `own` and `second`. */
async function start(t: Test, options: { isRequired?: boolean; proxies?: string[] } = {}) {
  const { isRequired = true, proxies = ['127.0.0.1'] } = options
  const backend = await startRawBackend(t)
  const state = { ahead: 0, judgements: 0, trusts: [] as readonly Trust[] }
  const now = () => Date.now() + state.ahead
  const blocked = new Set<string>()
  const uses: string[] = []

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
  const { url, metrics } = await startEdge(t, {
    backendUrl: backend.url,
    now,
    trustedProxies: proxies,
    forwardHeaders: ['Client-Cert', 'Client-Cert-Chain'],
    callers: new Map([
      [
        testKey,
        callerOf('app-1', {
          certificates: new Map([
            [own.thumbprint, 'certificate-1'],
            [second.thumbprint, 'certificate-2'],
          ]),
        }),
      ],
      ['plain', callerOf('app-3')],
      ['other', callerOf('app-2', { certificates: new Map([[others.thumbprint, 'other-1']]) })],
    ]),
    certificates: createClientCertificates({
      isRequired,
      trusts: () => state.trusts,
      register: {
        isBlocked: ({ signedDigest }) => blocked.has(signedDigest),
        noteUse: (id) => uses.push(id),
      },
      isProxy: createNetworks(proxies),
      now,
    }),
  })

  async function call(
    fields: Readonly<Record<string, string>>,
    { key = testKey, path = '/v1.7.0/accounts' } = {},
  ) {
    const response = await fetch(url + path, { headers: { 'x-api-key': key, ...fields } })
    // biome-ignore lint/suspicious/noExplicitAny: whatever the gateway answers
    const body: any = await response.json()
    return { status: response.status, code: body.code, body, headers: response.headers }
  }

  /** With a certificate; its answer as `status code`. */
  async function answer(
    { field }: { readonly field: string },
    where?: Parameters<typeof call>[1],
  ): Promise<string> {
    const { status, code } = await call({ 'client-cert': field }, where)
    return code === undefined ? String(status) : `${status} ${code}`
  }

  return { backend, state, blocked, uses, trust, call, answer, metrics }
}

t.test(
  'a call over the certificate of its application passes and says so to the bank',
  async (t) => {
    const { backend, uses, call } = await start(t)
    const { status } = await call({ 'client-cert': own.field })
    t.equal(status, 200)
    const [request] = backend.requests
    t.match(decodeJwt(request?.headers.get('gateway-identity')?.[0] ?? ''), {
      sub: 'app-1',
      cnf: { 'x5t#S256': own.thumbprint },
      tpp: { roles: ['PSP_AI'], number: 'PSDPL-PFSA-1234567890' },
    })
    t.equal(request?.headers.get('client-cert'), undefined, 'not even by FORWARD_HEADERS')
    t.same(uses, ['certificate-1'])
  },
)

t.test('each fault of a certificate has its code, uncounted and before the key', async (t) => {
  const { backend, state, blocked, trust, answer, call } = await start(t)
  const revoked = authority.issue()
  const briefly = authority.issue({ days: 5 })
  trust([authority.revocationList([revoked])])
  blocked.add(second.certificate.signedDigest)
  const cases = [
    [{ field: stranger.issue().field }, '401 CLIENT_CERTIFICATE_INVALID'],
    [{ field: ':AAAA:' }, '401 CLIENT_CERTIFICATE_INVALID'],
    [authority.issue({ extensions: qsealExtensions('AI') }), '401 CLIENT_CERTIFICATE_INVALID'],
    [revoked, '401 CLIENT_CERTIFICATE_REVOKED'],
    [second, '401 CLIENT_CERTIFICATE_BLOCKED'],
    [authority.issue({ extensions: qwacExtensions('PI') }), '403 CLIENT_ROLE_INVALID'],
    [authority.issue({ extensions: [] }), '403 CLIENT_ROLE_INVALID'],
  ] as const
  for (const [certificate, expected] of cases) {
    t.equal(await answer(certificate), expected)
    t.equal(await answer(certificate, { key: 'tg_unknown' }), expected, 'whatever the key')
  }
  state.ahead = 6 * day
  trust([authority.revocationList([], { hours: 200 })])
  t.equal(await answer(briefly), '401 CLIENT_CERTIFICATE_EXPIRED')
  state.ahead = 0

  const missing = await call({})
  t.match(missing, { status: 401, code: 'CLIENT_CERTIFICATE_MISSING' })
  t.match(missing.headers.get('www-authenticate'), /realm="tollgate"/)
  t.equal(missing.headers.get('ratelimit'), null, 'nothing was counted')
  const role = await call({ 'client-cert': own.field }, { path: '/v1.7.0/payments/sct/p1' })
  t.match(role.body, {
    code: 'CLIENT_ROLE_INVALID',
    role: 'PSP_PI',
    detail: /needs the role PSP_PI.*has the PSD2 roles PSP_AI/,
  })
  t.equal(backend.requests.length, 0)
})

t.test("a key over another application's certificate is refused", async (t) => {
  const { answer, uses, backend, call } = await start(t)
  t.equal(await answer(others), '401 CLIENT_CERTIFICATE_INVALID')
  t.match((await call({ 'client-cert': others.field })).body, {
    detail: /does not have this client certificate/,
  })
  t.equal(await answer(own, { key: 'other' }), '401 CLIENT_CERTIFICATE_INVALID')
  t.equal(await answer(others, { key: 'other' }), '200')
  t.equal(await answer(own, { key: 'tg_unknown' }), '401 KEY_INVALID')
  t.same([uses, backend.requests.length], [['other-1'], 1])
})

t.test('only a trusted proxy may say what certificate a client has', async (t) => {
  const { call, backend } = await start(t, { isRequired: false, proxies: ['192.0.2.1'] })
  for (const name of ['client-cert', 'client-cert-chain', 'Client-Cert']) {
    const { status, code } = await call({ [name]: own.field })
    t.same([status, code], [400, 'HEADERS_INVALID'], name)
  }
  t.equal(backend.requests.length, 0)
  t.equal((await call({}, { key: 'plain' })).status, 200)
})

t.test('what a proxy sends must be as RFC 9440 has it', async (t) => {
  const { call } = await start(t)
  const base64 = own.field.slice(1, -1)
  for (const fields of [
    { 'client-cert': base64 },
    { 'client-cert': '' },
    { 'client-cert': '::' },
    { 'client-cert': `${own.field};a=1` },
    { 'client-cert': `${own.field}, ${own.field}` },
    { 'client-cert': encodeURIComponent(own.pem) },
    { 'client-cert': own.field, 'client-cert-chain': 'x' },
    { 'client-cert': own.field, 'client-cert-chain': `${own.field},` },
    { 'client-cert-chain': own.field },
  ]) {
    const { status, code } = await call(fields)
    t.same([status, code], [400, 'HEADERS_INVALID'], JSON.stringify(fields).slice(0, 60))
  }
})

t.test('authorities between come in Client-Cert-Chain', async (t) => {
  const { call } = await start(t)
  const { field, thumbprint } = middle.issue()
  t.match(await call({ 'client-cert': field }), { code: 'CLIENT_CERTIFICATE_INVALID' })
  const whole = await call({
    'client-cert': field,
    'client-cert-chain': `${middle.field}, ${authority.field}`,
  })
  t.match(whole.body, { detail: /application of this key does not have/ }, thumbprint)
})

t.test('optional lets applications without a certificate pass and judges the others', async (t) => {
  const { call, answer, backend } = await start(t, { isRequired: false })
  t.equal((await call({}, { key: 'plain' })).status, 200)
  const claims = decodeJwt(backend.requests[0]?.headers.get('gateway-identity')?.[0] ?? '')
  t.notOk('cnf' in claims || 'tpp' in claims)
  t.equal(await answer(others), '401 CLIENT_CERTIFICATE_INVALID')
  t.equal(await answer(own), '200')
})

t.test(
  'optional: the stolen key of an application with a certificate is worth nothing',
  async (t) => {
    const { call, backend } = await start(t, { isRequired: false })
    const { status, code, body, headers } = await call({})
    t.same([status, code], [401, 'CLIENT_CERTIFICATE_MISSING'])
    t.match(body.detail, /application has added/)
    t.match(headers.get('www-authenticate'), /realm="tollgate"/)
    t.equal(backend.requests.length, 0)
  },
)

t.test('an identity belongs to one certificate, and is used again', async (t) => {
  const { backend, call } = await start(t, { isRequired: false })
  async function tokenOf(fields: Readonly<Record<string, string>>): Promise<string> {
    t.equal((await call(fields)).status, 200)
    return backend.requests.at(-1)?.headers.get('gateway-identity')?.[0] ?? ''
  }
  const first = await tokenOf({ 'client-cert': own.field })
  const other = await tokenOf({ 'client-cert': second.field })
  t.not(first, other)
  t.equal(await tokenOf({ 'client-cert': own.field }), first)
  t.equal(await tokenOf({ 'client-cert': second.field }), other)
})

t.test('a certificate is judged once, until the authorities change or a date passes', async (t) => {
  const { state, trust, answer } = await start(t)
  for (let count = 0; count < 5; count += 1) t.equal(await answer(own), '200')
  t.equal(state.judgements, 1)
  trust([authority.revocationList([own])])
  t.equal(await answer(own), '401 CLIENT_CERTIFICATE_REVOKED')
  t.equal(state.judgements, 2)
  trust([authority.revocationList([], { hours: 2 })])
  t.equal(await answer(own), '200')
  t.equal(await answer(own), '200')
  t.equal(state.judgements, 3)
  state.ahead = 3 * 3_600_000
  t.equal(await answer(own), '503 REVOCATION_UNAVAILABLE', 'the fault is ours: no 401')
  state.ahead = 0
  t.equal(await answer(own), '200', 'a clock that was wrong')
})

t.test('a blocked certificate is refused with the next call', async (t) => {
  const { blocked, answer } = await start(t)
  t.equal(await answer(own), '200')
  blocked.add(own.certificate.signedDigest)
  t.equal(await answer(own), '401 CLIENT_CERTIFICATE_BLOCKED')
  const twin = twinOf(own)
  t.not(twin.thumbprint, own.thumbprint)
  t.equal(await answer(twin), '401 CLIENT_CERTIFICATE_BLOCKED', 'its holder rewrote the signature')
  blocked.delete(own.certificate.signedDigest)
  t.equal(await answer(own), '200')
})

t.test('certificates off: what a client sends under these names means nothing', async (t) => {
  const backend = await startRawBackend(t)
  const { url } = await startEdge(t, {
    backendUrl: backend.url,
    forwardHeaders: ['Client-Cert', 'Client-Cert-Chain'],
  })
  const headers = { 'x-api-key': testKey, 'client-cert': 'x', 'client-cert-chain': 'y' }
  t.equal((await fetch(`${url}/v1.7.0/accounts`, { headers })).status, 200)
  const names = [...(backend.requests[0]?.headers.keys() ?? [])]
  t.notOk(
    names.some((name) => name.startsWith('client-cert')),
    names.join(' '),
  )
})
