import { randomUUID } from 'node:crypto'
import t from 'tap'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { createRouter } from '../../src/catalogue/router.ts'
import type { Call } from '../../src/gateway/edge/call.ts'
import { createGateway } from '../../src/gateway/edge/listener.ts'
import { upstreamPath } from '../../src/gateway/edge/forward/forward.ts'
import { createPipeline } from '../../src/gateway/edge/checks.ts'
import { createUploads } from '../../src/gateway/edge/checks/receive.ts'
import { createRefuse } from '../../src/gateway/edge/answer/refuse.ts'
import { callerOf, configDir, testKey } from '../support/edge.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'

const catalogue = await loadCatalogue(configDir)
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
  authenticate: { request: rawRequest(get), status: 401 },
  entitle: { request: rawRequest(get, ['X-API-Key: suspended']), status: 403 },
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
  ...{ uploadBufferMax: 16_777_216, uploadBytesPerSecondMin: 0 },
  monotonic: () => performance.now(),
  isListening: () => true,
})

function pipeline(state: NonNullable<Probe['state']> = {}) {
  const { isExhausted = false, isFull = false, isBusy = false } = state
  const checks = createPipeline({
    registry: {
      authenticate: (key, done) => done(callerOf('app-1', { isSuspended: key === 'suspended' })),
    },
    failures: { count: (_address, done) => done(0) },
    counter: {
      grant: (limits, _onOutage, done) =>
        done({
          admitted: !isExhausted,
          decision: isExhausted ? 'refused' : 'admitted',
          standings: limits.map(() => ({ remaining: 0, resetMs: 1000, granted: !isExhausted })),
          retryAfterMs: isExhausted ? 1000 : 0,
        }),
      peek: async (buckets) =>
        buckets.map(({ bucket }) => ({ bucket, count: isExhausted ? 100 : 0, resetMs: 1000 })),
      reset: async () => {},
      forget: () => {},
      isUp: () => true,
      close: async () => {},
    },
    concurrency: { callsPerApplication: 1, callsPerAddress: 0 },
    uploads,
    hasRoom: () => !isFull,
    now: Date.now,
  })
  // A call of the application that never ends.
  if (isBusy) checks.find(({ name }) => name === 'concurrency')?.check(endless, () => undefined)
  return checks
}

// As much of a call as the check looks at.
const endless = { caller: callerOf('app-1'), address: '', holds() {} } as unknown as Call

/** The status of a request at a gateway whose table lacks a check. */
async function statusWithout(omitted: string | undefined, probe: Probe): Promise<number> {
  const app = await createGateway({
    published: () => ({ generation: 1, catalogue, router: createRouter(catalogue) }),
    checks: pipeline(probe.state).filter(({ name }) => name !== omitted),
    forwarder: {
      forward(call: Call) {
        // What forwarding reads of a call.
        const facts = [upstreamPath(call), call.body, call.caller]
        call.response.end(facts.length === 3 ? 'forwarded' : '')
      },
      hasRoom: () => true,
      close: async () => {},
    },
    refuse: createRefuse({ portalUrl: () => 'https://portal.example' }),
    observer: { ended() {}, refusedUnparsed() {}, backendFailed() {}, failed() {} },
    clientAddress: () => '127.0.0.1',
    clientScheme: () => 'http',
    connectionLimits: { connectionsPerAddress: 100, connectionsMax: 100 },
    isProxy: () => false,
    backendUrl: 'http://127.0.0.1:9',
    portalUrl: () => 'https://portal.example',
    monotonic: () => performance.now(),
    randomUUID,
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  try {
    return (await sendRaw(url, probe.request, 50)).status
  } finally {
    await app.close()
  }
}

t.test(
  'every check of the table is needed: without it, what it is there for is not refused',
  async (t) => {
    t.same(
      Object.keys(probes),
      pipeline().map(({ name }) => name),
      'a new check brings its probe',
    )
    for (const [name, probe] of Object.entries(probes)) {
      t.equal(await statusWithout(undefined, probe), probe.status, name)
      t.not(await statusWithout(name, probe), probe.status, `without ${name}`)
    }
  },
)

t.test(
  'a check left out that others build on ends every call with 500; it never opens a door',
  async (t) => {
    const ordinary: Probe = { request: rawRequest(get, [known]), status: 200 }
    t.equal(await statusWithout(undefined, ordinary), 200)
    for (const name of ['target', 'route', 'body', 'authenticate', 'entitle', 'limit']) {
      t.equal(await statusWithout(name, ordinary), 500, name)
    }
  },
)
