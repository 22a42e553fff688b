import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { pino } from 'pino'
import t from 'tap'
import { createSpans, type Spans, type SpansOptions } from '../../src/gateway/operate/spans.ts'
import { createLog } from '../../src/platform/log/log.ts'
import type { Test } from '../support/database.ts'
import { startEdge, testKey } from '../support/edge.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { until } from '../support/until.ts'

const id = '0af7651916cd43dd8448eb211c80319c'
const parent = 'b7ad6b7169203331'
const accounts = '/v1.7.0/accounts'
const field = /^00-([0-9a-f]{32})-([0-9a-f]{16})-0([01])$/

t.test(
  'a trace is continued with a new parent and its state; what is no valid traceparent begins a new one without state',
  async (t) => {
    const backend = await startRawBackend(t)
    const lines: Record<string, unknown>[] = []
    const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
    const edge = await startEdge(t, { backendUrl: backend.url, log, followsSampledFlag: true })
    async function forwarded(headers: readonly (readonly [string, string])[]) {
      const response = await fetch(edge.url + accounts, {
        headers: [['x-api-key', testKey], ...headers.map((pair) => [...pair] as [string, string])],
      })
      await response.arrayBuffer()
      const { headers: seen } = backend.requests.at(-1) ?? { headers: new Map() }
      const traceparents = seen.get('traceparent') ?? []
      t.equal(traceparents.length, 1)
      const [, traceId = '', spanId = '', flag = ''] = field.exec(traceparents[0] ?? '') ?? []
      await until('the line is written', () => lines.at(-1)?.['traceId'] === traceId)
      return { traceId, spanId, flag, state: seen.get('tracestate') }
    }

    const state: readonly [string, string] = ['tracestate', 'a=b,c=d']
    for (const [text, flag] of [
      [`00-${id}-${parent}-01`, '1'],
      [`00-${id}-${parent}-00`, '0'],
      [`00-${id}-${parent}-ff`, '1'],
      [`cc-${id}-${parent}-01-what-comes-later`, '1'],
    ] as const) {
      const seen = await forwarded([['TraceParent', text], state])
      t.equal(seen.traceId, id)
      t.not(seen.spanId, parent)
      t.equal(seen.flag, flag)
      t.same(seen.state, ['a=b,c=d'])
    }

    const ids = new Set<string>()
    for (const text of [
      undefined,
      '',
      `00-${id}-${parent}`,
      `00-${id}-${parent}-01-more`,
      `ff-${id}-${parent}-01`,
      `00-${id.toUpperCase()}-${parent}-01`,
      `00-${'0'.repeat(32)}-${parent}-01`,
      `00-${id}-${'0'.repeat(16)}-01`,
      `00-${id}-${parent}-01, 00-${id}-${parent}-01`,
    ]) {
      const seen = await forwarded([
        ...(text === undefined ? [] : [['traceparent', text] as const]),
        state,
      ])
      t.match(seen.traceId, /^[0-9a-f]{32}$/)
      t.not(seen.traceId, id)
      t.equal(seen.flag, '0', 'nothing records it')
      t.equal(seen.state, undefined)
      ids.add(seen.traceId)
    }
    t.equal(ids.size, 9, 'each has an id of its own')
  },
)

t.test(
  'a call that fails inside the gateway or cannot be recorded is in the log with its trace',
  async (t) => {
    const backend = await startRawBackend(t)
    const lines: Record<string, unknown>[] = []
    const broken = new Map([
      [testKey, { applicationId: 'a', keyId: 'k', isSuspended: false, plans: undefined }],
    ])
    const edge = await startEdge(t, {
      backendUrl: backend.url,
      log: pino({}, { write: (line: string) => lines.push(JSON.parse(line)) }),
      // Deliberately not a Caller: what a mistake of ours would hand on.
      callers: broken as unknown as ReadonlyMap<string, 'invalid'>,
      recorder: {
        ended() {
          throw new Error('a mistake of ours')
        },
        rehearsed() {},
      },
    })
    const headers = { 'x-api-key': testKey, traceparent: `00-${id}-${parent}-00` }
    t.equal((await fetch(edge.url + accounts, { headers })).status, 500)
    for (const msg of ['a call failed inside the gateway', 'a call could not be recorded']) {
      await until('the line is written', () => lines.some((line) => line['msg'] === msg))
      t.match(
        lines.find((line) => line['msg'] === msg),
        { traceId: id, requestId: /^[0-9a-f-]{36}$/ },
      )
    }
  },
)

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status?: { readonly code?: number }
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
}

/** A collector that takes OTLP over HTTP in JSON. */
async function startCollector(t: Test) {
  const spans: SentSpan[] = []
  const seen: { path: string | undefined; authorization: string | undefined }[] = []
  const server = createServer((request, response) => void take(request, response))
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Parse boundary: OTLP fixes the shape.
    const sent = (await json(request)) as {
      readonly resourceSpans: readonly {
        readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
      }[]
    }
    seen.push({ path: request.url, authorization: request.headers.authorization })
    spans.push(
      ...sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((s) => s.spans)),
    )
    response.setHeader('content-type', 'application/json').end('{}')
  }
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`
  t.teardown(() => server.close())
  return { url, spans, seen }
}

function spansTo(endpoint: string, told: Partial<SpansOptions> = {}): Spans {
  return createSpans({
    endpoint,
    headers: 'authorization=Bearer%20abc',
    serviceName: 'tollgate',
    version: '1',
    log: createLog('silent'),
    onLost() {},
    monotonic: () => performance.now(),
    now: Date.now,
    ...told,
  })
}

t.test(
  'a collector gets the spans of sampled calls over OTLP: the call under its caller, its checks and the backend under the call',
  async (t) => {
    const backend = await startRawBackend(t)
    const collector = await startCollector(t)
    const spans = spansTo(collector.url)
    let isSampled = true
    const edge = await startEdge(t, {
      backendUrl: backend.url,
      spans,
      isTraceSampled: () => isSampled,
    })
    const account = '3dc3d5b3-7023-4848-9853-f5400a64e80f'
    const call = async (path: string, headers: Record<string, string>) => {
      const response = await fetch(edge.url + path, { headers })
      await response.arrayBuffer()
    }
    const key = { 'x-api-key': testKey }
    await call(`${accounts}/${account}?withBalance=true`, {
      ...key,
      traceparent: `00-${id}-${parent}-01`,
    })
    isSampled = false
    await call(accounts, { ...key, traceparent: `00-${id}-${parent}-01` })
    t.match(backend.requests[1]?.headers.get('traceparent')?.[0], new RegExp(`^00-${id}-.*-00$`))
    isSampled = true
    await call(`/nothing/${account}`, { 'x-api-key': 'tg_secret_key' })
    await until('the last call is over', async () =>
      /outcome="NOT_FOUND"\} 1/.test(await edge.metrics()),
    )
    await spans.close()

    t.same(collector.seen[0], { path: '/v1/traces', authorization: 'Bearer abc' })
    const ofCall = collector.spans.filter(({ traceId }) => traceId === id)
    const named = new Map(ofCall.map((span) => [span.name, span]))
    const whole = named.get('GET /v1.7.0/accounts/{account-id}')
    const toBackend = named.get('GET /accounts/{account-id}')
    t.same(
      [...named.keys()].sort(),
      ['GET /accounts/{account-id}', 'GET /v1.7.0/accounts/{account-id}', 'authenticate', 'limit'],
      'the call that only its caller samples has none',
    )
    t.match(whole, { parentSpanId: parent, kind: 2 })
    for (const child of [toBackend, named.get('authenticate'), named.get('limit')]) {
      t.equal(child?.parentSpanId, whole?.spanId)
      t.ok(BigInt(child?.startTimeUnixNano ?? 0) >= BigInt(whole?.startTimeUnixNano ?? 1))
      t.ok(BigInt(child?.endTimeUnixNano ?? 1) <= BigInt(whole?.endTimeUnixNano ?? 0))
    }
    const [, , continued] =
      field.exec(backend.requests[0]?.headers.get('traceparent')?.[0] ?? '') ?? []
    t.equal(toBackend?.spanId, continued, 'the backend has the span to it as its parent')
    t.match(attributesOf(whole), {
      'http.request.method': 'GET',
      'http.route': '/v1.7.0/accounts/{account-id}',
      'http.response.status_code': 200,
      'tollgate.application_id': 'app-1',
      'tollgate.outcome': 'forwarded',
    })

    const refused = collector.spans.filter(({ traceId }) => traceId !== id)
    t.same(
      refused.map(({ name, parentSpanId }) => [name, parentSpanId]),
      [['GET', undefined]],
      'a refused call begins a trace',
    )
    t.equal(attributesOf(refused[0])['error.type'], 'NOT_FOUND')
    const text = JSON.stringify(collector.spans)
    for (const secret of [testKey, 'tg_secret', account, 'withBalance', '127.0.0.1']) {
      t.notMatch(text, secret)
    }
  },
)

t.test(
  'where callers are followed, their sampled calls have spans, but not their refusals without a key',
  async (t) => {
    const backend = await startRawBackend(t)
    const collector = await startCollector(t)
    const spans = spansTo(collector.url)
    const edge = await startEdge(t, {
      backendUrl: backend.url,
      spans,
      followsSampledFlag: true,
      isTraceSampled: () => false,
    })
    const traceparent = `00-${id}-${parent}-01`
    for (const headers of [{ traceparent }, { traceparent, 'x-api-key': testKey }]) {
      await (await fetch(edge.url + accounts, { headers })).arrayBuffer()
    }
    await until('the last call is over', async () =>
      /outcome="forwarded"\} 1/.test(await edge.metrics()),
    )
    await spans.close()
    const whole = collector.spans.filter(({ kind }) => kind === 2)
    t.equal(whole.length, 1)
    t.equal(attributesOf(whole[0])['tollgate.outcome'], 'forwarded')
  },
)

t.test(
  'lost spans are counted by reason; the log says so once, and when they are sent again',
  async (t) => {
    const backend = await startRawBackend(t)
    let isWell = false
    const held: (() => void)[] = []
    const collector = createServer((request, response) => {
      request.resume()
      const answer = () => void response.writeHead(isWell ? 200 : 400).end('{}')
      if (isWell) answer()
      else held.push(answer)
    })
    const port = await listenOnLoopback(collector)
    t.teardown(() => collector.close())
    const lost = { queue_full: 0, export_failed: 0 }
    const lines: { readonly msg: string }[] = []
    const spans = spansTo(`http://127.0.0.1:${port}`, {
      log: pino({}, { write: (line: string) => lines.push(JSON.parse(line)) }),
      onLost: (count, reason) => {
        lost[reason] += count
      },
    })
    const ended: Parameters<Spans['ended']>[] = []
    const edge = await startEdge(t, {
      backendUrl: backend.url,
      isTraceSampled: () => true,
      spans: { ended: (...call) => void ended.push(call) },
    })
    await (await fetch(edge.url + accounts, { headers: { 'x-api-key': testKey } })).arrayBuffer()
    await until('the call is over', () => ended.length === 1)
    const [call] = ended
    if (call === undefined) throw new Error('no call')
    for (let count = 0; count < 700; count += 1) spans.ended(...call)
    t.ok(lost.queue_full > 0)
    t.equal(lines.length, 1)
    await until('the collector is asked', () => held.length > 0)
    for (const answer of held.splice(0)) answer()
    await until('the refusal is counted', () => lost.export_failed > 0)
    isWell = true
    for (const answer of held.splice(0)) answer()
    await spans.close()
    t.same(
      lines.map(({ msg }) => msg),
      ['spans are lost', 'spans are sent again'],
    )
  },
)

t.test('a collector that is gone or refuses harms no call', async (t) => {
  const backend = await startRawBackend(t)
  const gone = createServer()
  const port = await listenOnLoopback(gone)
  gone.close()
  await once(gone, 'close')
  const spans = spansTo(`http://127.0.0.1:${port}`)
  const edge = await startEdge(t, {
    backendUrl: backend.url,
    spans,
    isTraceSampled: () => true,
  })
  for (let call = 0; call < 20; call += 1) {
    const response = await fetch(edge.url + accounts, { headers: { 'x-api-key': testKey } })
    t.equal(response.status, 200)
    await response.arrayBuffer()
  }
  await spans.close()
  const response = await fetch(edge.url + accounts, { headers: { 'x-api-key': testKey } })
  t.equal(response.status, 200, 'also after the spans have ended')
  await response.arrayBuffer()
})

function attributesOf(span: SentSpan | undefined): Record<string, unknown> {
  return Object.fromEntries(
    (span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]),
  )
}
