import { randomUUID } from 'node:crypto'
import { connect, Socket } from 'node:net'
import t from 'tap'
import { createRouter } from '../../src/catalogue/router.ts'
import { createRefuse } from '../../src/gateway/edge/answer/refuse.ts'
import { Call, CallResponse, type GrantedCall } from '../../src/gateway/edge/call.ts'
import { type ChecksOptions, createChecks } from '../../src/gateway/edge/check-table.ts'
import { authenticate } from '../../src/gateway/edge/checks/authenticate.ts'
import { body } from '../../src/gateway/edge/checks/body.ts'
import { certificate } from '../../src/gateway/edge/checks/certificate.ts'
import { entitle } from '../../src/gateway/edge/checks/entitle.ts'
import { holder } from '../../src/gateway/edge/checks/holder.ts'
import { limit } from '../../src/gateway/edge/checks/limit.ts'
import { route } from '../../src/gateway/edge/checks/route.ts'
import { target } from '../../src/gateway/edge/checks/target.ts'
import { upstreamPath } from '../../src/gateway/edge/forward/request-head.ts'
import { createListener } from '../../src/gateway/edge/listener.ts'
import { CallRequest } from '../../src/gateway/edge/request/call-request.ts'
import { createReceiveCall } from '../../src/gateway/edge/request/receive-call.ts'
import { readFields } from '../../src/gateway/edge/request/request-fields.ts'
import { createUploads } from '../../src/gateway/edge/request/uploads.ts'
import { createRunCall } from '../../src/gateway/edge/run-call.ts'
import { type Check, Checks, type Row } from '../../src/gateway/edge/run-checks.ts'
import { callerOf, testKey } from '../support/edge.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'
import { rawRequest } from '../support/raw-client.ts'

const catalogue = await publishedCatalogue()
const get = 'GET /v1.7.0/accounts HTTP/1.1'
const post = 'POST /v1.7.0/consents HTTP/1.1'
const tooLong = `100001\r\n${'x'.repeat(0x100001)}\r\n0\r\n\r\n`
const known = `X-API-Key: ${testKey}`

/** What a check is there for: a request it alone refuses or answers, and with what. */
interface Probe {
  readonly request: string
  readonly status: number
  /** The state of stores and backend under which it is refused. */
  readonly state?: {
    readonly isExhausted?: boolean
    readonly isFull?: boolean
    readonly isBusy?: boolean
  }
}

const probes: Readonly<Record<string, Probe>> = {
  target: { request: rawRequest('GET /v1.7.0//accounts HTTP/1.1', [known]), status: 400 },
  headers: { request: rawRequest(get, [known, 'Gateway_Identity: x']), status: 400 },
  preflight: {
    request: rawRequest('OPTIONS /v1.7.0/accounts HTTP/1.1', [
      'Origin: https://portal.example',
      'Access-Control-Request-Method: GET',
    ]),
    status: 204,
  },
  route: { request: rawRequest('GET /v1.7.0/nothing HTTP/1.1', [known]), status: 404 },
  body: { request: rawRequest(get, [known, 'Content-Length: 1'], 'x'), status: 400 },
  certificate: { request: rawRequest(get, [known, 'Client-Cert: expired']), status: 401 },
  authenticate: { request: rawRequest(get), status: 401 },
  holder: { request: rawRequest(get, [known, 'Client-Cert: foreign']), status: 401 },
  address: { request: rawRequest(get, ['X-API-Key: elsewhere']), status: 403 },
  entitle: { request: rawRequest(get, ['X-API-Key: suspended']), status: 403 },
  drill: { request: rawRequest(get, [known, 'Sandbox-Drill: slow']), status: 400 },
  concurrency: { request: rawRequest(get, [known]), status: 429, state: { isBusy: true } },
  expect: {
    request: rawRequest(post, [known, 'Content-Length: 2', 'Expect: 100-continue']),
    status: 429,
    state: { isExhausted: true },
  },
  receive: {
    request: rawRequest(post, [known, 'Transfer-Encoding: chunked'], tooLong),
    status: 413,
  },
  room: { request: rawRequest(get, [known]), status: 503, state: { isFull: true } },
  limit: { request: rawRequest(get, [known]), status: 429, state: { isExhausted: true } },
}

const uploads = createUploads({
  bodyBytesMax: 1_048_576,
  uploadBufferMax: 16_777_216,
  uploadBytesPerSecondMin: 0,
  monotonic: () => performance.now(),
  isListening: () => true,
})

function parts({ isExhausted = false }: NonNullable<Probe['state']> = {}) {
  return {
    registry: {
      authenticate: (key, done) =>
        done(
          callerOf('app-1', {
            isSuspended: key === 'suspended',
            allowedAddresses: key === 'elsewhere' ? ['192.0.2.0/24'] : [],
          }),
        ),
    },
    failures: { count: () => 0 },
    rehearse: () => undefined,
    drills: undefined,
    certificates: {
      isRequired: false,
      judge(_request, { clientCert }) {
        if (clientCert === undefined) return undefined
        if (clientCert === 'expired') return { code: 'CLIENT_CERTIFICATE_EXPIRED' }
        return { thumbprint: clientCert, roles: ['PSP_AI'], number: undefined }
      },
      noteUse() {},
    },
    counter: {
      grant: (limits, _onOutage, done) =>
        done({
          admitted: !isExhausted,
          decision: isExhausted ? 'refused' : 'admitted',
          standings: limits.map(() => ({
            remaining: 0,
            resetMs: 1000,
            window: 1,
            granted: !isExhausted,
          })),
          retryAfterMs: isExhausted ? 1000 : 0,
        }),
      peek: async (buckets) =>
        buckets.map(({ bucket }) => ({
          bucket,
          window: 1,
          resetMs: 1000,
          count: isExhausted ? 100 : 0,
        })),
    },
  } satisfies Partial<ChecksOptions>
}

function table(state: NonNullable<Probe['state']> = {}) {
  const { isFull = false, isBusy = false } = state
  const checks = createChecks({
    bodyBytesMax: 1_048_576,
    ...parts(state),
    concurrency: { callsPerApplication: 1, callsPerDeveloper: 0, callsPerAddress: 0 },
    uploads,
    hasRoom: () => !isFull,
    isAddressKnown: true,
    now: Date.now,
    monotonic: () => performance.now(),
  })
  // A call of the application that never ends.
  if (isBusy)
    checks.rows.find(({ name }) => name === 'concurrency')?.check(endless, () => undefined)
  return checks
}

// As much of a call as the check looks at.
const endless = { caller: callerOf('app-1'), address: '', atEnd() {} } as unknown as Call

/**
 * Status of the first response, which may be interim: a gateway without the check sends 100 Continue to a client that
 * expects it.
 */
async function firstStatus(url: string, request: string): Promise<number> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(request)
  let text = ''
  for await (const octets of socket) {
    text += octets
    if (text.includes('\r\n')) break
  }
  return Number(text.split(' ')[1])
}

/** The status of a request at a gateway whose table lacks a check. */
async function statusWithout(omitted: string | undefined, probe: Probe): Promise<number> {
  const checks = table(probe.state)
  // The only way to leave one out: a shorter table does not compile.
  const shorter = Object.assign(Object.create(Checks.prototype), {
    rows: checks.rows.filter(({ name }) => name !== omitted),
  }) as typeof checks
  const refuse = createRefuse({
    portalUrl: () => 'https://portal.example',
    bodyBytesMax: 1_048_576,
  })
  const observer = {
    ended() {},
    rehearsed() {},
    refusedUnparsed() {},
    clientUnknown() {},
    throttled() {},
    backendFailed() {},
    failed() {},
  }
  const app = await createListener({
    receive: createReceiveCall({
      isTraceSampled: () => false,
      followsSampledFlag: false,
      published: () => ({ generation: 1, catalogue, router: createRouter(catalogue) }),
      clientAddress: () => '127.0.0.1',
      clientScheme: () => 'http',
      portalUrl: () => 'https://portal.example',
      monotonic: () => performance.now(),
      randomUUID,
    }),
    calls: createRunCall({ checks: shorter, refuse, observer }),
    forward(call) {
      // What forwarding reads of a call.
      const facts = [upstreamPath(call, call.version.basePath), call.body, call.caller]
      call.response.writeHead(200, [])
      call.response.end(facts.length === 3 ? 'forwarded' : '')
    },
    refuseSocket: (_code, socket) => socket.destroy(),
    connectionLimits: { connectionsPerAddress: 100, connectionsMax: 100 },
    isProxy: () => false,
    backendUrl: 'http://127.0.0.1:9',
    callMsMax: 25_000,
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  try {
    return await firstStatus(url, probe.request)
  } finally {
    await app.close()
  }
}

t.test(
  'every check of the table is needed: without it, what it is there for is not refused',
  async (t) => {
    t.same(
      Object.keys(probes),
      table().rows.map(({ name }) => name),
      'a new check brings its probe',
    )
    for (const [name, probe] of Object.entries(probes)) {
      t.equal(await statusWithout(undefined, probe), probe.status, name)
      t.not(await statusWithout(name, probe), probe.status, `without ${name}`)
    }
  },
)

t.test('a check left out that others build on ends every call with 500', async (t) => {
  const ordinary: Probe = { request: rawRequest(get, [known]), status: 200 }
  t.equal(await statusWithout(undefined, ordinary), 200)
  for (const name of ['target', 'route', 'authenticate', 'entitle', 'limit']) {
    t.equal(await statusWithout(name, ordinary), 500, name)
  }
})

const nothing = { admitted: false, decision: 'refused', standings: [], retryAfterMs: 0 } as const

t.test('a table that would forward a call without a grant does not compile', async (t) => {
  const { registry, failures, counter } = parts()
  const routed = Checks.first('target', target).row('route', route({ now: Date.now }))
  // @ts-expect-error: the framing is judged before the certificate.
  routed.row('certificate', certificate({ certificates: undefined }))
  const framed = routed.row('body', body({ bodyBytesMax: 1_048_576 }))
  // @ts-expect-error: the certificate is judged before the key.
  framed.row('authenticate', authenticate({ registry, failures }))
  const shortest = framed
    .row('certificate', certificate({ certificates: undefined }))
    .row('authenticate', authenticate({ registry, failures }))
  // @ts-expect-error: whose certificate it is comes before what the application may do.
  shortest.row('entitle', entitle({ now: Date.now }))
  shortest
    .row('holder', holder({ certificates: undefined }))
    .row('entitle', entitle({ now: Date.now }))
  // @ts-expect-error: the limit counts what an entitlement says.
  shortest.row('limit', limit({ counter, now: Date.now }))
  const refuse = createRefuse({ portalUrl: () => '', bodyBytesMax: 1_048_576 })
  const observer = {
    ended() {},
    rehearsed() {},
    refusedUnparsed() {},
    clientUnknown() {},
    throttled() {},
    backendFailed() {},
    failed() {},
  }
  // @ts-expect-error: no row of this table grants.
  createRunCall({ checks: shortest, refuse, observer })
  // @ts-expect-error: a check cannot grant a call that has not come so far.
  const door: Check<Call, GrantedCall> = (call, next) => next(call.granted(nothing))
  t.same([shortest.rows.length, typeof door], [5, 'function'])
})

t.test('a check that goes on twice forwards no call without a grant', async (t) => {
  const errors: unknown[] = []
  const forwarded: Call[] = []
  const seen: string[] = []
  const twice: Row = {
    name: 'twice',
    check(call, next) {
      next(call)
      next(call)
    },
  }
  const slow: Row = { name: 'slow', check: () => undefined }
  const rows = [twice, slow]
  const checks = Object.assign(Object.create(Checks.prototype), { rows }) as Checks<GrantedCall>
  const { run } = createRunCall({
    checks,
    refuse: (_call, { code }) => seen.push(code),
    observer: {
      ended() {},
      rehearsed() {},
      refusedUnparsed() {},
      clientUnknown() {},
      throttled() {},
      backendFailed() {},
      failed: (_call, error) => errors.push(error),
    },
  })
  const request = new CallRequest(new Socket())
  const published = { generation: 1, catalogue, router: createRouter(catalogue) }
  const call = new Call({
    request,
    response: new CallResponse(request),
    fields: readFields([]),
    published,
    target: '/',
    requestId: randomUUID(),
    address: '',
    scheme: 'http',
    portalOrigin: undefined,
    startedAt: 0,
    connection: { calls: 0, latest: undefined },
    trace: {
      id: '',
      parentId: undefined,
      spanId: '',
      isSampled: false,
      isSampledByCaller: false,
      state: undefined,
    },
  })
  run(call, (granted) => forwarded.push(granted))
  t.same([forwarded.length, errors.length, seen], [0, 1, ['INTERNAL_ERROR']])
})
