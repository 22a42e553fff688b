import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect as connectTcp } from 'node:net'
import { mock } from 'node:test'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import t, { type Test } from 'tap'
import { codeOf } from '../../src/platform/log/error-code.ts'
import { createTestAuthority, createTestTls, type TestTls } from '../support/certificates.ts'
import { startEdge, type TestEdgeOptions, testKey } from '../support/edge.ts'
import { answerOk, startRawBackend } from '../support/raw-backend.ts'
import { rawRequest } from '../support/raw-client.ts'
import { until } from '../support/until.ts'

const authority = createTestAuthority(t)
const first = authority.issue()
const second = authority.issue()
const get = rawRequest('GET /v1.7.0/accounts HTTP/1.1', [`X-API-Key: ${testKey}`])

async function start(t: Test, options: Partial<TestEdgeOptions> & { tls?: TestTls } = {}) {
  const backend = await startRawBackend(t)
  const tls = options.tls ?? createTestTls(first)
  const edge = await startEdge(t, { backendUrl: backend.url, ...options, tls })
  return { backend, tls, edge, port: Number(new URL(edge.url).port) }
}

/** Opens a connection as a client that trusts the authority. */
async function open(t: Test, port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', ca: authority.ca, ...options })
  t.teardown(() => socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  return socket
}

/** Reads until the text is there, or the connection ends. */
async function readUntil(socket: TLSSocket, end: RegExp): Promise<string> {
  let text = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    if (end.test(text)) break
  }
  return text
}

/** What openssl says about a handshake; it ends with the handshake. */
function openssl(port: number, ...args: string[]): Promise<string> {
  return new Promise((resolve) => {
    const all = ['s_client', '-connect', `127.0.0.1:${port}`, '-CAfile', authority.caFile, ...args]
    const child = execFile('openssl', all, (_error, stdout, stderr) => resolve(stdout + stderr))
    child.stdin?.end()
  })
}

const serialOf = (socket: TLSSocket): string => socket.getPeerCertificate().serialNumber

t.test('openssl sees TLS 1.2 and 1.3 with AEAD suites, http/1.1 and the whole chain', async (t) => {
  for (const kind of ['ec', 'rsa'] as const) {
    const { port } = await start(t, { tls: createTestTls(authority.issue({ kind })) })
    for (const version of ['1.2', '1.3']) {
      const flag = `-tls${version.replace('.', '_')}`
      const said = await openssl(
        port,
        flag,
        '-alpn',
        'h2,http/1.1',
        '-verify_hostname',
        'localhost',
      )
      t.match(said, 'Verify return code: 0 (ok)', `${kind} ${version}`)
      t.match(said, 'ALPN protocol: http/1.1')
      t.match(said, new RegExp(`(?:New, |Protocol *: )TLSv${version}`))
      t.match(said, /Cipher is (?:TLS_AES|ECDHE-\w+-AES)\S*GCM/)
      t.match(said, /0 s:.*CN = localhost[\s\S]*1 s:.*CN = Test Root Intermediate/)
    }
  }
})

t.test('older versions, other suites and other protocols get no connection', async (t) => {
  const { port, tls } = await start(t)
  const refused = [
    ['-tls1_1', '-cipher', 'DEFAULT@SECLEVEL=0'],
    ['-tls1', '-cipher', 'DEFAULT@SECLEVEL=0'],
    ['-tls1_2', '-cipher', 'ECDHE-ECDSA-AES128-SHA256'],
    ['-tls1_2', '-cipher', 'ECDHE-ECDSA-AES256-SHA'],
    ['-tls1_2', '-cipher', 'AES128-GCM-SHA256'],
    ['-tls1_3', '-ciphersuites', 'TLS_AES_128_CCM_SHA256'],
    ['-alpn', 'h2'],
  ]
  for (const args of refused) t.match(await openssl(port, ...args), /Cipher is \(NONE\)/, `${args}`)
  await until('all are counted', () => tls.failures.length === refused.length)
})

t.test(
  'calls with and without a body pass over TLS, one after the other and in a pipeline',
  async (t) => {
    const { port, backend } = await start(t)
    const socket = await open(t, port)
    const body = JSON.stringify({ access: { allPsd2: 'allAccounts' } })
    const post = rawRequest(
      'POST /v1.7.0/consents HTTP/1.1',
      [`X-API-Key: ${testKey}`, 'Content-Type: application/json', `Content-Length: ${body.length}`],
      body,
    )
    socket.write(get + post + get)
    const text = await readUntil(socket, /(?:200 OK[\s\S]*?"ok":true\}[\s\S]*?){3}/)
    t.equal(text.match(/HTTP\/1\.1 200 /g)?.length, 3)
    t.equal(backend.requests.length, 3)
    t.equal(backend.requests.find(({ method }) => method === 'POST')?.body, body)
    t.same(backend.requests[0]?.headers.get('x-forwarded-proto'), ['https'])
  },
)

t.test('a large answer and a slow reader lose nothing over TLS', async (t) => {
  const { port, backend, edge } = await start(t)
  // More than the buffers of a connection hold.
  const body = JSON.stringify('x'.repeat(10_000_000))
  backend.answer = (_request, socket) =>
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  const socket = await open(t, port)
  const called = once(edge.server, 'request')
  socket.write(get)
  const [, response]: ServerResponse[] = await called
  await until(
    'the gateway waits for the client',
    () => response?.socket?.writableNeedDrain === true,
  )
  let text = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    if (String(chunk).endsWith('"')) break
  }
  t.equal(text.length - text.indexOf('\r\n\r\n') - 4, body.length)
})

t.test('a client that half-closes after its requests gets all answers over TLS', async (t) => {
  const { port, backend, edge } = await start(t)
  const held: (() => void)[] = []
  backend.answer = (...told) => void held.push(() => answerOk(...told))
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const accepted = once(edge.server, 'secureConnection')
    const socket = await open(t, port, { maxVersion: version })
    const [atGateway] = await accepted
    socket.end(get.repeat(2))
    await until('the backend has both calls', () => held.length === 2)
    await until('the gateway has seen the end', () => atGateway.readableEnded)
    for (const answer of held.splice(0)) answer()
    const text = await readUntil(socket, /never/)
    t.equal(text.match(/HTTP\/1\.1 200 /g)?.length, 2, version)
  }
})

t.test('an answer that breaks off over TLS never looks complete', async (t) => {
  const { port, backend } = await start(t)
  let breakOff = () => {}
  backend.answer = (_request, socket) => {
    breakOff = () => void socket.destroy()
    socket.write(
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8000\r\n${'x'.repeat(0x8000)}`,
    )
  }
  const old = get.replace('HTTP/1.1', 'HTTP/1.0')
  // openssl says whether the end was announced: "closed" by close_notify, or an unexpected end.
  const said = await new Promise<string>((resolve) => {
    const args = [
      's_client',
      '-connect',
      `127.0.0.1:${port}`,
      '-CAfile',
      authority.caFile,
      '-quiet',
      '-no_ign_eof',
    ]
    const child = execFile('openssl', args, (_error, stdout, stderr) => resolve(stdout + stderr))
    child.stdout?.once('data', () => breakOff())
    child.stdin?.write(old)
  })
  t.match(said, 'xxxx')
  t.match(said, /unexpected eof/, 'RFC 9112, 9.8')
  const socket = await open(t, port)
  socket.write(get)
  t.match(await readUntil(socket, /x/), 'HTTP/1.1 200 ')
  breakOff()
  t.notMatch(await readUntil(socket, /never/), /\r\n0\r\n\r\n$/)
})

t.test(
  'new connections get the new certificate, and a connection that is open keeps its own',
  async (t) => {
    const { port, tls } = await start(t)
    const before = await open(t, port)
    const { session } = await new Promise<{ session: Buffer }>((resolve) => {
      before.once('session', (session: Buffer) => resolve({ session }))
    })
    tls.use(second)
    before.write(get)
    t.match(await readUntil(before, /"ok":true/), 'HTTP/1.1 200 ')
    const after = await open(t, port)
    t.not(serialOf(after), serialOf(before))
    t.notOk(after.isSessionReused())
    after.write(get)
    t.match(await readUntil(after, /"ok":true/), 'HTTP/1.1 200 ')
    const resumed = await open(t, port, { session })
    t.notOk(resumed.isSessionReused(), 'a session does not outlive the certificate')
    t.equal(serialOf(resumed), serialOf(after))
  },
)

t.test('a handshake under way when the certificate changes succeeds', async (t) => {
  const { port, tls } = await start(t)
  const tcp = connectTcp(port, '127.0.0.1')
  await once(tcp, 'connect')
  tls.use(second)
  const socket = connect({ socket: tcp, host: '127.0.0.1', ca: authority.ca })
  t.teardown(() => socket.destroy())
  await once(socket, 'secureConnect')
  socket.write(get)
  t.match(await readUntil(socket, /"ok":true/), 'HTTP/1.1 200 ')
})

t.test('a client that speaks no TLS is closed without an answer, and harms no other', async (t) => {
  const { port, tls, edge } = await start(t)
  for (const bytes of [get, '\x16\x03\x01', '\0'.repeat(100)]) {
    const socket = connectTcp(port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString('latin1'))).on('error', () => undefined)
    socket.end(bytes, 'latin1')
    await once(socket, 'close')
    t.notMatch(text, 'HTTP/')
  }
  t.ok(tls.failures.length >= 2)
  const socket = await open(t, port)
  socket.write(get)
  t.match(await readUntil(socket, /"ok":true/), 'HTTP/1.1 200 ')
  t.match(await edge.metrics(), /outcome="forwarded"\} 1/)
  t.notMatch(await edge.metrics(), /FRAMING_INVALID/)
})

t.test(
  'connections in a handshake count towards the limit of an address until the client leaves',
  async (t) => {
    const { port } = await start(t, { connectionsPerAddress: 2 })
    const silent = [1, 2].map(() => connectTcp(port, '127.0.0.1'))
    t.teardown(() => {
      for (const socket of silent) socket.destroy()
    })
    await Promise.all(silent.map((socket) => once(socket, 'connect')))
    const refused = connect({ port, host: '127.0.0.1', ca: authority.ca })
    refused.on('error', () => undefined)
    await new Promise((resolve) => refused.once('close', resolve))
    for (const socket of silent) {
      socket.destroy()
      await once(socket, 'close')
    }
    await until('there is room', async () => {
      const socket = connect({ port, host: '127.0.0.1', ca: authority.ca })
      const isOpen = await Promise.race([
        once(socket, 'secureConnect').then(() => true),
        once(socket, 'close').then(() => false),
      ]).catch(() => false)
      socket.destroy()
      return isOpen
    })
  },
)

t.test(
  'a stop waits for calls, gives a new connection a second, and does not wait for a handshake',
  async (t) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    t.teardown(() => mock.timers.reset())
    const { port, backend, edge, tls } = await start(t)
    const held: (() => void)[] = []
    backend.answer = (...told) => void held.push(() => answerOk(...told))
    const silent = connectTcp(port, '127.0.0.1').on('error', () => undefined)
    await once(silent, 'connect')
    const fresh = await open(t, port)
    const busy = await open(t, port)
    busy.write(get)
    await until('it is called', () => held.length === 1)
    const stopped = edge.stop()
    await until('the port has closed', () => !edge.isListening())
    mock.timers.tick(999)
    fresh.write(get)
    await until('both are called', () => held.length === 2)
    mock.timers.tick(1)
    await once(silent, 'close')
    for (const answer of held) answer()
    const answers = [busy, fresh].map((socket) => readUntil(socket, /never/))
    for (const text of await Promise.all(answers)) t.match(text, /^HTTP\/1\.1 200 [\s\S]*"ok":true/)
    await stopped
    t.same(tls.failures.map(codeOf), ['ECONNRESET'], 'not by the time limit of a handshake')
  },
)

t.test(
  'a target that is too long is refused with 414 also when it takes two records',
  async (t) => {
    const { port } = await start(t)
    const socket = await open(t, port)
    socket.write(get.replace('/accounts', `/accounts?${'x'.repeat(17_000)}`))
    t.match(await readUntil(socket, /TARGET_TOO_LONG/), /^HTTP\/1\.1 414 /)
  },
)
