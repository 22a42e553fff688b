import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createClientCertificates } from '../../src/gateway/edge/client-certificates.ts'
import { createNetworks } from '../../src/platform/http/networks.ts'
import { createAuthority, type TestCertificate } from '../support/authority.ts'
import { balancerMissing } from '../support/balancer.ts'
import { callerOf, startEdge, testKey } from '../support/edge.ts'
import { freePort } from '../support/free-port.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { until } from '../support/until.ts'

t.test(
  'behind HAProxy with the published sample a client proves its certificate, and cannot claim one',
  { skip: balancerMissing('haproxy') },
  async (t) => {
    const authority = createAuthority(t)
    const own = authority.issue()
    const stranger = createAuthority(t).issue()
    const servers = createAuthority(t)
    const server = servers.issue({
      subject: '/CN=localhost',
      extensions: ['extendedKeyUsage = serverAuth', 'subjectAltName = DNS:localhost'],
    })
    const backend = await startRawBackend(t)
    const proxies = ['127.0.0.1']
    const { url } = await startEdge(t, {
      backendUrl: backend.url,
      trustedProxies: proxies,
      callers: new Map([
        [testKey, callerOf('app-1', { certificates: new Map([[own.thumbprint, 'own']]) })],
      ]),
      certificates: createClientCertificates({
        isRequired: true,
        trusts: () => trusts,
        register: { isBlocked: () => false, noteUse() {} },
        isProxy: createNetworks(proxies),
        now: Date.now,
      }),
    })
    const trusts = [{ anchors: [authority.certificate], lists: undefined }]

    const folder = mkdtempSync(join(tmpdir(), 'tg-haproxy-'))
    const port = await freePort()
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const sample = readFileSync('deploy/haproxy-client-certificates.cfg', 'utf8')
      .replace('bind :443', `bind 127.0.0.1:${port}`)
      .replace('/etc/haproxy/gateway.pem', file('server.pem', server.pem + server.key))
      .replace('/etc/haproxy/client-authorities.pem', file('clients.pem', authority.pem))
      // This gateway has no management listener to ask.
      .replace('option httpchk GET /readyz', '')
      .replace('default-server check inter 500ms fall 1 rise 1', '')
      .replace('gateway-1.internal:8080 port 9090', new URL(url).host)
      .replace(/ *server two .*\n/, '')
    const configuration = file('haproxy.cfg', sample)
    execFileSync('/usr/sbin/haproxy', ['-c', '-q', '-f', configuration])
    const child = spawn(
      'setpriv',
      ['--pdeathsig', 'KILL', '/usr/sbin/haproxy', '-db', '-q', '-f', configuration],
      { stdio: 'ignore' },
    )
    const gone = once(child, 'exit')
    t.teardown(async () => {
      child.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    })
    await until('haproxy listens', async () => {
      const socket = connect(port, '127.0.0.1')
      const outcome = await Promise.race([
        once(socket, 'connect').then(() => true),
        once(socket, 'error').then(() => false),
      ]).catch(() => false)
      socket.destroy()
      return outcome
    })

    async function code(
      certificate: TestCertificate | undefined,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<string> {
      const call = request({
        host: '127.0.0.1',
        port,
        servername: 'localhost',
        ca: servers.pem,
        agent: false,
        path: '/v1.7.0/accounts',
        headers: { 'x-api-key': testKey, ...headers },
        ...(certificate === undefined ? {} : { cert: certificate.pem, key: certificate.key }),
      })
      call.end()
      const [answer] = await once(call, 'response')
      let body = ''
      for await (const piece of answer) body += piece
      return `${answer.statusCode} ${JSON.parse(body).code ?? ''}`.trim()
    }

    t.equal(await code(own), '200')
    t.equal(await code(undefined), '401 CLIENT_CERTIFICATE_MISSING')
    t.equal(await code(stranger), '401 CLIENT_CERTIFICATE_INVALID')
    const claimed = { 'client-cert': own.field, 'client-cert-chain': authority.field }
    t.equal(await code(undefined, claimed), '401 CLIENT_CERTIFICATE_MISSING', 'a claim is removed')
    t.equal(await code(stranger, claimed), '401 CLIENT_CERTIFICATE_INVALID')
    t.equal(await code(own, claimed), '200')
    t.equal(backend.requests.length, 2)
    t.equal(backend.requests[0]?.headers.get('x-forwarded-proto')?.[0], 'https')
  },
)
