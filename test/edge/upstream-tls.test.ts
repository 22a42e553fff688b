import { createServer } from 'node:https'
import type { TLSSocket } from 'node:tls'
import t, { type Test } from 'tap'
import {
  parseAuthorities,
  parseKeyPair,
  type UpstreamCredentials,
} from '../../src/platform/http/tls.ts'
import { createWatchedCopy } from '../../src/platform/settings/watched-files.ts'
import { createTestAuthority, type IssuedCertificate } from '../support/certificates.ts'
import { startEdge, testKey } from '../support/edge.ts'
import { listenOnLoopback } from '../support/loopback.ts'

const ours = createTestAuthority(t, 'Ours')
const foreign = createTestAuthority(t, 'Foreign')
const bank = ours.issue()
const gateway = ours.issue({ commonName: 'gateway' })

/** A bank that notes which client certificates it saw, and a gateway that trusts `ca`. */
async function start(t: Test, ca: string, presented?: IssuedCertificate) {
  const seen: (string | undefined)[] = []
  const options = { cert: bank.cert, key: bank.key, ca: ours.ca }
  const server = createServer(
    { ...options, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      // Parse boundary: node:https types its sockets as plain ones.
      const socket = request.socket as TLSSocket
      seen.push(socket.authorized ? String(socket.getPeerCertificate().subject.CN) : undefined)
      response.setHeader('connection', 'close').setHeader('content-type', 'application/json')
      response.end('{}')
    },
  )
  const port = await listenOnLoopback(server)
  t.teardown(() => server.close())
  const pair = presented && parseKeyPair([presented.cert, presented.key])
  const upstreamTls = createWatchedCopy<UpstreamCredentials>({ ca: parseAuthorities(ca), pair })
  async function call(host = 'localhost'): Promise<string> {
    const { url } = await gatewayTo(host)
    const response = await fetch(`${url}/v1.7.0/accounts`, { headers: { 'x-api-key': testKey } })
    const { code = '' } = (await response.json()) as { code?: string }
    return `${response.status} ${code}`.trim()
  }
  const gateways = new Map<string, ReturnType<typeof startEdge>>()
  function gatewayTo(host: string) {
    const known =
      gateways.get(host) ?? startEdge(t, { backendUrl: `https://${host}:${port}`, upstreamTls })
    gateways.set(host, known)
    return known
  }
  return { seen, call, upstreamTls, pair }
}

t.test('the gateway trusts only the given authorities, and only the right name', async (t) => {
  const { call, seen } = await start(t, ours.ca)
  t.equal(await call(), '200')
  t.equal(await call('[::ffff:127.0.0.1]'), '502 BACKEND_UNREACHABLE')
  t.equal(await (await start(t, foreign.ca)).call(), '502 BACKEND_UNREACHABLE')
  t.same(seen, [undefined], 'nothing was presented, and a stranger was sent nothing')
})

t.test('the gateway presents its certificate to the backend', async (t) => {
  const { call, seen } = await start(t, ours.ca, gateway)
  t.equal(await call(), '200')
  t.same(seen, ['gateway'])
})

t.test('changed authorities and certificates apply to the next connection', async (t) => {
  const { call, seen, upstreamTls, pair } = await start(t, foreign.ca)
  t.equal(await call(), '502 BACKEND_UNREACHABLE')
  upstreamTls.take({ ca: foreign.ca + ours.ca, pair: undefined })
  t.equal(await call(), '200')
  const { cert, key } = gateway
  upstreamTls.take({ ca: ours.ca, pair: parseKeyPair([cert, key]) })
  t.equal(await call(), '200')
  t.same(seen, [undefined, 'gateway'])
  upstreamTls.take({ ca: foreign.ca, pair })
  t.equal(await call(), '502 BACKEND_UNREACHABLE', 'no session outlives its authority')
})
