import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'

const key = `X-API-Key: ${testKey}`
const json = ['Content-Type: application/json', 'Content-Length: 2']
const get = 'GET /v1.7.0/accounts HTTP/1.1'
const post = 'POST /v1.7.0/consents HTTP/1.1'

/** What Fastify and its plugins did in a gateway. */
interface Witness {
  readonly routes: string[]
  /** Targets that Fastify saw. */
  readonly targets: string[]
  /** What plugins add to replies. */
  readonly added: string[]
  /** Uses of what they add. */
  readonly used: string[]
  /** How many take over connections that change their protocol. */
  readonly upgraders: () => number | undefined
}

/** Starts a gateway whose Fastify reports what it does. */
async function startWatched(t: Test) {
  let app: FastifyInstance | undefined
  const seen: Witness = {
    routes: [],
    targets: [],
    added: [],
    used: [],
    upgraders: () => app?.server.listenerCount('upgrade'),
  }
  function watch(message: unknown): void {
    // Parse boundary: what Fastify publishes there.
    const { fastify } = message as { fastify: FastifyInstance }
    app = fastify
    fastify.addHook('onRoute', ({ url }) => void seen.routes.push(url))
    fastify.addHook('onRequest', async ({ url }) => void seen.targets.push(url))
    const { decorateReply } = fastify
    // The scopes of plugins inherit it.
    fastify.decorateReply = function watched(this: FastifyInstance, name: string) {
      seen.added.push(name)
      return Reflect.apply(decorateReply, this, [
        name,
        { getter: () => void seen.used.push(name) },
        [],
      ])
    } as typeof decorateReply
  }
  subscribe('fastify.initialization', watch)
  t.teardown(() => unsubscribe('fastify.initialization', watch))
  const backend = await startRawBackend(t)
  const { url } = await startEdge(t, { backendUrl: backend.url })
  return { backend, url, seen }
}

t.test(
  'no call reaches @fastify/reply-from or the WebSockets of @fastify/http-proxy',
  async (t) => {
    const { backend, url, seen } = await startWatched(t)
    const ok = [
      rawRequest(get, [key]),
      rawRequest('GET /v1.7.0/accounts/..a?next=//evil.example/%2e%2e HTTP/1.1', [key]),
      rawRequest(post, [key, ...json], '{}'),
      rawRequest(post, [key, json[0] ?? '', 'Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'),
      rawRequest(post, [key, ...json, 'Connection: close, content-type, x-api-key'], '{}'),
      rawRequest('DELETE /v1.7.0/consents/c1 HTTP/1.1', [key]),
    ]
    for (const bytes of ok) t.equal((await sendRaw(url, bytes)).status, 200, bytes)
    t.equal(backend.requests.length, ok.length)
    for (const upgrade of ['websocket', 'h2c']) {
      const fields = [
        key,
        `Upgrade: ${upgrade}`,
        'Connection: Upgrade',
        'Sec-WebSocket-Version: 13',
      ]
      const { status } = await sendRaw(url, rawRequest(get, [...fields, 'Sec-WebSocket-Key: AAAA']))
      t.equal(status, 400, upgrade)
    }
    // What reply-from would answer by itself, or retry.
    for (const head of ['503 Service Unavailable', '302 Found\r\nlocation: //evil.example']) {
      backend.answer = (_request, socket) =>
        socket.write(`HTTP/1.1 ${head}\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n`)
      await sendRaw(url, rawRequest(get, [key]))
      await sendRaw(url, rawRequest(post, [key, ...json], '{}'))
    }
    backend.answer = (_request, socket) => socket.destroy()
    t.equal((await sendRaw(url, rawRequest(post, [key, ...json], '{}'))).status, 502)
    t.equal(backend.requests.length, ok.length + 5, 'each once')
    t.same(seen.added.sort(), ['from', 'fromParameters', 'wsProxy'])
    t.same(seen.used, [])
    t.equal(seen.upgraders(), 0)
  },
)

t.test('Fastify has one route without parameters and sees no target of a client', async (t) => {
  const { url, seen } = await startWatched(t)
  for (const target of [
    '/v1.7.0/consents',
    '/v1.7.0/consents?a=/../b',
    '/v1.7.0%2fconsents',
    '/v1.7.0/..%2f..%2fconsents',
    '/v1.7.0\\consents',
    '//evil.example/v1.7.0/consents',
    'http://evil.example/v1.7.0/consents',
  ]) {
    await sendRaw(url, rawRequest(`POST ${target} HTTP/1.1`, [key, ...json], '{}'))
  }
  t.same([...new Set(seen.routes)], ['/'])
  t.same([...new Set(seen.targets)], ['/'])
})
