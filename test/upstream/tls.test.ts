import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import t, { type Test } from 'tap'
import type { AnswerHandler } from '../../src/gateway/upstream/connection.ts'
import { createPool, type Pool } from '../../src/gateway/upstream/pool.ts'
import { UpstreamError } from '../../src/gateway/upstream/upstream-error.ts'
import type { OctetWriter } from '../../src/platform/http/octet-writer.ts'
import type { UpstreamCredentials } from '../../src/platform/http/tls.ts'
import { createWatchedCopy } from '../../src/platform/settings/watched-files.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { until } from '../support/until.ts'
import { poolOptions } from './pool-options.ts'

const request = {
  writeHead: (into: OctetWriter) => into.text('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
  body: undefined,
  isSafe: false,
  use: { connections: 0 },
}

/** A self-signed certificate for localhost and 127.0.0.1, made by openssl. */
function createCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'tg-tls-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const path = (name: string) => join(folder, name)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const names = ['-subj', '/CN=bank', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const files = ['-keyout', path('key.pem'), '-out', path('cert.pem')]
  const made = ['req', '-x509', '-days', '1', ...key, ...names, ...files]
  execFileSync('openssl', made, { stdio: 'ignore' })
  return {
    key: readFileSync(path('key.pem'), 'utf8'),
    cert: readFileSync(path('cert.pem'), 'utf8'),
  }
}

const certificate = createCertificate()
const usual = getCACertificates()

function trust(isTrusted: boolean): void {
  setDefaultCACertificates(isTrusted ? [...usual, certificate.cert] : usual)
}

interface Backend {
  readonly port: number
  readonly connections: TLSSocket[]
  /** What came decrypted, of all connections. */
  readonly received: string[]
  /** Whether they went on with a session, each. */
  readonly reused: boolean[]
}

async function startBackend(
  t: Test,
  answer: (socket: TLSSocket) => void,
  maxVersion: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.3',
): Promise<Backend> {
  const connections: TLSSocket[] = []
  const received: string[] = []
  const reused: boolean[] = []
  const server = createServer({ ...certificate, maxVersion }, (socket) => {
    connections.push(socket)
    reused.push(socket.isSessionReused())
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk.toString('latin1'))
      answer(socket)
    })
  })
  const port = await listenOnLoopback(server)
  t.teardown(() => {
    for (const socket of connections) socket.destroy()
    server.close()
  })
  return { port, connections, received, reused }
}

function poolTo(t: Test, url: string, connectMsMax = 2_000): Pool {
  const pool = createPool(poolOptions({ url, connectMsMax }))
  t.teardown(() => pool.close())
  return pool
}

/** Takes everything at once; says how it ended. */
function ask(pool: Pool): Promise<string> {
  return new Promise((resolve) => {
    let body = ''
    pool.dispatch(request, {
      onHead: () => undefined,
      onBody(octets) {
        body += octets.toString('latin1')
        return true
      },
      onEnd: () => resolve(body),
      onError: (error) => resolve(reasonOf(error)),
    })
  })
}

/** Why there was no connection, else what went wrong on it. */
function reasonOf(error: Error): string {
  const isUnreachable = error instanceof UpstreamError && error.code === 'UNREACHABLE'
  const reason = isUnreachable ? error.cause : error
  if (!(reason instanceof Error)) return 'no reason'
  return 'code' in reason ? String(reason.code) : reason.message
}

const short = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

t.test('a backend is believed by its certificate only, under its own name', async (t) => {
  const { port, received } = await startBackend(t, (socket) => socket.write(short))
  trust(false)
  t.equal(await ask(poolTo(t, `https://localhost:${port}`)), 'DEPTH_ZERO_SELF_SIGNED_CERT')
  trust(true)
  // This machine by another name, which the certificate does not have.
  t.equal(
    await ask(poolTo(t, `https://[::ffff:127.0.0.1]:${port}`)),
    'ERR_TLS_CERT_ALTNAME_INVALID',
  )
  t.same(received, [], 'nothing was said to a stranger')
  t.equal(await ask(poolTo(t, `https://localhost:${port}`)), 'ok')
  t.equal(await ask(poolTo(t, `https://127.0.0.1:${port}`)), 'ok')
})

t.test('a backend that accepts and does not shake hands is not waited for', async (t) => {
  const silent = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy())
    t.teardown(() => socket.destroy())
  })
  const port = await listenOnLoopback(silent)
  t.teardown(() => silent.close())
  t.equal(await ask(poolTo(t, `https://localhost:${port}`, 100)), 'no connection within 100 ms')
})

for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
  t.test(`the next connection resumes the session of the last, ${version}`, async (t) => {
    trust(true)
    const answer = short.replace('OK\r\n', 'OK\r\nConnection: close\r\n')
    const backend = await startBackend(t, (socket) => socket.end(answer), version)
    const pool = poolTo(t, `https://localhost:${backend.port}`)
    for (const _time of [1, 2, 3]) t.equal(await ask(pool), 'ok')
    t.same(backend.reused, [false, true, true])
  })
}

t.test('after an answer that was taken slowly the connection reads the next one', async (t) => {
  trust(true)
  const body = 'x'.repeat(48_000)
  const long = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const backend = await startBackend(t, (socket) => socket.write(long))
  const pool = poolTo(t, `https://localhost:${backend.port}`)
  const bytes = await new Promise<number>((resolve, reject) => {
    let taken = 0
    const handler: AnswerHandler = {
      onHead: () => undefined,
      onBody(octets) {
        taken += octets.length
        setImmediate(() => setImmediate(() => exchange.resume()))
        return false
      },
      onEnd: () => resolve(taken),
      onError: reject,
    }
    const exchange = pool.dispatch(request, handler)
  })
  t.equal(bytes, body.length)
  let next = ''
  void ask(pool).then((answer) => (next = answer))
  await until('the next one is read', () => next !== '')
  t.equal(next.length, body.length)
  t.equal(backend.connections.length, 1)
})

t.test('a closed pool takes no more new credentials', async (t) => {
  const tls = createWatchedCopy<UpstreamCredentials>({ ca: certificate.cert, pair: undefined })
  const pool = createPool(poolOptions({ url: 'https://127.0.0.1:1', tls }))
  const unusable = { cert: 'no certificate', key: 'no key', validFrom: 0, expiresAt: 0 }
  const take = () => tls.take({ ca: undefined, pair: unusable })
  t.throws(take, 'an open one takes them')
  await pool.close()
  t.doesNotThrow(take)
})
