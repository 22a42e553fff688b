import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import t from 'tap'
import { createTestAuthority, createTestTls } from '../../test/support/certificates.ts'
import { startEdge, testKey } from '../../test/support/edge.ts'
import { startRawBackend } from '../../test/support/raw-backend.ts'
import { rawRequest, sendRaw } from '../../test/support/raw-client.ts'
import { runTollgate } from '../../test/support/tollgate.ts'

// They wait for time limits of their own servers.
t.jobs = 5

/** What a client that sends one piece a second gets, and after how many milliseconds its connection ends. */
async function sendSlowly(url: string, begin: string, piece: string) {
  // Before any limit of the server begins.
  const from = performance.now()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  let received = ''
  let isOpen = true
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  let endedAt = Infinity
  socket.on('close', () => {
    isOpen = false
    endedAt = performance.now()
  })
  socket.write(begin)
  while (isOpen && performance.now() - from < 60_000) {
    await delay(1000)
    if (isOpen) socket.write(piece)
  }
  socket.destroy()
  return { received, isOpen, tookMs: endedAt - from }
}

/** Whether a connection was cut at that time, in seconds: never before, but a slow machine may be late. */
function isCutBetween(least: number, most: number, tookMs: number): boolean {
  // Timers count whole milliseconds.
  return tookMs > least * 1000 - 10 && tookMs < (most + 15) * 1000
}

t.test(
  'headers and bodies that trickle in are cut off after 10 seconds, a refused request after 30, and others are served meanwhile',
  { timeout: 300_000 },
  async (t) => {
    const backend = await startRawBackend(t)
    const edge = await startEdge(t, { backendUrl: backend.url })
    const key = `X-API-Key: ${testKey}`
    const post = 'POST /v1.7.0/consents HTTP/1.1'
    const body = rawRequest(post, [key, 'Content-Type: application/json', 'Content-Length: 1000'])
    const headers = sendSlowly(
      edge.url,
      'GET /v1.7.0/accounts HTTP/1.1\r\nHost: a\r\n',
      'X-A: b\r\n',
    )
    const slowBody = sendSlowly(edge.url, body, ' ')
    // Its refusal goes out at once; the rest of its body must not hold the connection.
    const refusedBody = sendSlowly(edge.url, body.replace(testKey, 'unknown'), ' ')
    const other = await sendRaw(edge.url, rawRequest('GET /v1.7.0/accounts HTTP/1.1', [key]))
    t.equal(other.status, 200)

    const cutHeaders = await headers
    t.notOk(cutHeaders.isOpen)
    t.ok(isCutBetween(10, 10, cutHeaders.tookMs), `after ${cutHeaders.tookMs} ms`)
    t.match(cutHeaders.received, /^HTTP\/1\.1 408 /)
    t.match(cutHeaders.received, '"code":"REQUEST_TIMEOUT"')
    const cases = [
      { client: await slowBody, seconds: 10, status: 408, code: 'REQUEST_TIMEOUT' },
      { client: await refusedBody, seconds: 30, status: 401, code: 'KEY_INVALID' },
    ]
    for (const { client, seconds, status, code } of cases) {
      t.notOk(client.isOpen, `${code}: the connection ended`)
      t.ok(isCutBetween(seconds, seconds, client.tookMs), `after ${client.tookMs} ms`)
      t.match(client.received, new RegExp(`^HTTP/1\\.1 ${status} `))
      t.match(client.received, `"code":"${code}"`)
      t.equal(client.received.split('HTTP/1.1 ').length - 1, 1, 'one answer')
    }
    t.equal(backend.requests.length, 1, 'the backend saw the other one alone')
  },
)

t.test(
  'a client that asks and never reads its answers is cut when nothing has moved for 30 to 60 seconds',
  { timeout: 300_000 },
  async (t) => {
    const backend = await startRawBackend(t)
    const answer = 'x'.repeat(100_000)
    backend.answer = (_, to) => {
      to.write(`HTTP/1.1 200 OK\r\nContent-Length: ${answer.length}\r\n\r\n${answer}`)
    }
    // With one place for its address, another client is served once its connection is gone.
    const edge = await startEdge(t, { backendUrl: backend.url, connectionsPerAddress: 1 })
    const from = performance.now()
    const socket = connect(Number(new URL(edge.url).port), '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.on('error', () => undefined)
    socket.pause()
    await once(socket, 'connect')
    // 50 MB of answers are more than both kernels' buffers take, and 500 requests fewer than a connection may carry.
    socket.write(rawRequest('GET /v1.7.0/accounts HTTP/1.1', [`X-API-Key: ${testKey}`]).repeat(500))
    const isServed = () =>
      fetch(`${edge.url}/nope`).then(
        () => true,
        () => false,
      )
    t.notOk(await isServed(), 'it holds the place')
    while (!(await isServed()) && performance.now() - from < 120_000) await delay(500)
    const tookMs = performance.now() - from
    // Node looks every 30 seconds and gives one more look to a connection that moved since the last.
    t.ok(isCutBetween(30, 60, tookMs), `after ${tookMs} ms`)
  },
)

t.test(
  'nor does one hold a connection to the portal, and the file it asked for',
  { timeout: 300_000 },
  async (t) => {
    // With one place for its address, another client is served once its connection is gone.
    const { urls } = await runTollgate(t, {
      isEmbedded: true,
      env: { CONNECTIONS_PER_ADDRESS: '1' },
    })
    const apis = `${urls.portal}/api/apis`
    const isServed = () =>
      fetch(apis, { headers: { connection: 'close' } }).then(
        (answer) => answer.text().then(() => true),
        () => false,
      )
    t.ok(await isServed())
    const from = performance.now()
    const socket = connect(Number(new URL(urls.portal).port), '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.on('error', () => undefined)
    socket.pause()
    await once(socket, 'connect')
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1000)
    for (let sent = 0; sent < 100; sent += 1) {
      if (!socket.write(request) && !(await movesOn(socket))) break
    }
    t.notOk(await isServed(), 'it holds the place')
    while (!(await isServed()) && performance.now() - from < 120_000) await delay(500)
    const tookMs = performance.now() - from
    t.ok(isCutBetween(30, 60, tookMs), `after ${tookMs} ms`)
  },
)

const listeners = ['gateway', 'portal', 'sca', 'management', 'backend'] as const

t.test(
  'on every listener a client has 10 seconds for its header and 30 for its request',
  { timeout: 300_000 },
  async (t) => {
    const { urls } = await runTollgate(t, { isEmbedded: true })
    const host = 'Host: a\r\n'
    const form = `${host}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n`
    const json = form.replace('x-www-form-urlencoded', 'json')
    const bodies = {
      portal: `POST /api/session HTTP/1.1\r\nOrigin: ${urls.portal}\r\n${json}`,
      sca: `POST /authorise/00000000-0000-4000-8000-000000000000 HTTP/1.1\r\n${form}`,
      backend: `POST /v1.7.0/consents HTTP/1.1\r\n${json}`,
    }
    const begun = [
      ...listeners.map((name) => ({ name, begin: '', piece: '', seconds: 10 })),
      ...listeners.map((name) => {
        return { name, begin: `GET / HTTP/1.1\r\n${host}`, piece: 'X-A: b\r\n', seconds: 10 }
      }),
      ...(['portal', 'sca', 'backend'] as const).map((name) => {
        return { name, begin: bodies[name], piece: ' ', seconds: 30 }
      }),
    ]
    await Promise.all(
      begun.map(async ({ name, begin, piece, seconds }) => {
        const { isOpen, received, tookMs } = await sendSlowly(urls[name], begin, piece)
        const what = `${name}, ${begin.split(' HTTP')[0] || 'silent'}: after ${tookMs} ms`
        t.notOk(isOpen, what)
        t.ok(isCutBetween(seconds, seconds, tookMs), what)
        t.match(received, /^HTTP\/1\.1 408 /, what)
      }),
    )
  },
)

t.test(
  'on every listener a client has 10 seconds for its TLS handshake',
  { timeout: 300_000 },
  async (t) => {
    const authority = createTestAuthority(t)
    const { certFile, keyFile } = authority.issue()
    const env = listeners.flatMap((name) => [
      [`${name.toUpperCase()}_TLS_CERT_FILE`, certFile],
      [`${name.toUpperCase()}_TLS_KEY_FILE`, keyFile],
    ])
    const trust = { UPSTREAM_TLS_CA_FILE: authority.caFile }
    const { urls } = await runTollgate(t, {
      isEmbedded: true,
      env: { ...Object.fromEntries(env), ...trust },
    })
    await Promise.all(
      listeners.map(async (name) => {
        const { isOpen, tookMs } = await sendSlowly(urls[name], '', '')
        t.notOk(isOpen, name)
        t.ok(isCutBetween(10, 10, tookMs), `${name}: after ${tookMs} ms`)
      }),
    )
  },
)

t.test('slow headers are answered 408 over TLS, too', { timeout: 300_000 }, async (t) => {
  const authority = createTestAuthority(t)
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, {
    backendUrl: backend.url,
    tls: createTestTls(authority.issue()),
  })
  const socket = connectTls({ port: Number(new URL(edge.url).port), ca: authority.ca })
  t.teardown(() => socket.destroy())
  socket.write('GET /v1.7.0/accounts HTTP/1.1\r\nHost: a\r\n')
  t.match(await text(socket), /^HTTP\/1\.1 408 /)
})

async function movesOn(socket: Socket): Promise<boolean> {
  return Promise.race([once(socket, 'drain').then(() => true), delay(3000).then(() => false)])
}
