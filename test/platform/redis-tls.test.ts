import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import t from 'tap'
import { openRedis } from '../../src/platform/redis/open-redis.ts'
import { parseRedisAddress } from '../../src/platform/redis/redis-address.ts'
import { createTestAuthority } from '../support/certificates.ts'
import { freePort } from '../support/free-port.ts'
import { redisMissing, startRedisServer } from '../support/redis-server.ts'

t.test('a Redis is believed by its certificate only', { skip: redisMissing() }, async (t) => {
  const authority = createTestAuthority(t)
  const { certFile, keyFile } = authority.issue()
  const port = await freePort()
  const server = await startRedisServer({
    args: [
      '--tls-port',
      String(port),
      '--tls-cert-file',
      certFile,
      '--tls-key-file',
      keyFile,
      '--tls-ca-cert-file',
      authority.caFile,
      '--tls-auth-clients',
      'no',
    ],
  })
  t.teardown(() => server.stop())
  const usual = getCACertificates()
  t.teardown(() => setDefaultCACertificates(usual))

  async function ping(host: string): Promise<string> {
    const address = parseRedisAddress(`rediss://${host}:${port}`)
    if (address.topology !== 'single') throw new Error('one server')
    const { client, close } = openRedis({
      address,
      behaviour: { retryStrategy: () => null, maxRetriesPerRequest: 0 },
    })
    const failure = new Promise<string>((resolve) => {
      client.once('error', (error) => resolve('code' in error ? String(error.code) : error.message))
    })
    try {
      return await Promise.race([client.ping(), failure])
    } catch {
      return await failure
    } finally {
      close()
    }
  }

  t.match(await ping('localhost'), /^(SELF_SIGNED|UNABLE)/)
  setDefaultCACertificates([...usual, createTestAuthority(t, 'Foreign').ca])
  t.match(await ping('localhost'), /^(SELF_SIGNED|UNABLE)/, 'a wrong authority')
  // As NODE_EXTRA_CA_CERTS does at startup.
  setDefaultCACertificates([...usual, authority.ca])
  t.equal(await ping('localhost'), 'PONG')
  t.equal(await ping('[::ffff:127.0.0.1]'), 'ERR_TLS_CERT_ALTNAME_INVALID', 'a wrong name')
})
