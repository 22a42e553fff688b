import t from 'tap'
import { bodyBytesMax } from '../../src/gateway/edge/request/body-limit.ts'
import { createUploadMemory } from '../../src/gateway/edge/request/upload-memory.ts'
import { checkDeployment } from '../../src/platform/deployment.ts'
import { readSettings } from '../../src/platform/settings.ts'

t.test('an origin with a path is refused by name, not by a library later', async (t) => {
  for (const name of ['BACKEND_URL', 'GATEWAY_PUBLIC_URL', 'PORTAL_PUBLIC_URL', 'SCA_PUBLIC_URL']) {
    t.throws(() => readSettings({ [name]: 'http://bank:1/base' }), {
      name: 'SettingsError',
      message: new RegExp(`^ {2}${name}: must have no user, path, query or fragment`, 'm'),
    })
    t.doesNotThrow(() => readSettings({ [name]: 'http://bank:1/' }), 'a slash is no path')
  }
  const jwks = 'http://bank:1/.well-known/jwks.json'
  t.equal(readSettings({ IDENTITY_JWKS_URL: jwks }).identityJwksUrl, jwks)
})

t.test('with Redis there are several gateways unless it is said how many', async (t) => {
  const redis = { REDIS_URL: 'redis://127.0.0.1:6379/0' }
  t.equal(readSettings({}).gatewayProcesses, 1)
  t.equal(readSettings(redis).gatewayProcesses, 4)
  t.equal(readSettings({ ...redis, GATEWAY_PROCESSES: '1' }).gatewayProcesses, 1)
  t.equal(readSettings({ ...redis, GATEWAY_WORKERS: '6' }).gatewayProcesses, 6, 'workers count')
  t.throws(() => readSettings({ GATEWAY_WORKERS: '0' }), { message: /GATEWAY_WORKERS: "0" is not/ })
})

t.test(
  'a mail server is a host, perhaps with user and password, and nothing that would not be heeded',
  async (t) => {
    for (const url of [
      'smtp://host',
      'smtps://user:p%40ss@host:465',
      'smtp://[::1]:25',
      'smtp://host/',
    ]) {
      t.equal(readSettings({ SMTP_URL: url }).smtpUrl, url)
    }
    for (const url of [
      'http://host',
      'smtp://',
      'smtps://host?tls.rejectUnauthorized=false',
      'smtp://user:secret@host/path',
      'smtp://user:100%@host',
    ]) {
      const refused = { name: 'SettingsError', message: /^ {2}SMTP_URL: /m }
      t.throws(() => readSettings({ SMTP_URL: url }), refused, url)
      t.throws(() => readSettings({ SMTP_URL: url }), { message: /^(?!.*(?:secret|100%))/s })
    }
  },
)

t.test(
  'an origin is one however it is written: what is compared and set with it depends on that',
  (t) => {
    const spellings = {
      'HTTPS://Developer.Bank.example/': 'https://developer.bank.example',
      'https://developer.bank.example:443': 'https://developer.bank.example',
      ' http://127.0.0.1:8081 ': 'http://127.0.0.1:8081',
    }
    for (const [written, origin] of Object.entries(spellings)) {
      const settings = readSettings({ PORTAL_PUBLIC_URL: written, GATEWAY_PUBLIC_URL: written })
      t.equal(settings.portalPublicUrl, origin)
      t.equal(settings.gatewayPublicUrl, origin)
    }
    t.end()
  },
)

t.test('a portal without a gateway in its process is told where developers find it', async (t) => {
  const env = { REDIS_URL: 'redis://127.0.0.1:6379/0' }
  const start = (given: Record<string, string>) => () =>
    checkDeployment(readSettings({ ...env, ...given }), new Set(['portal']))
  t.throws(start({}), { message: /^ {2}GATEWAY_PUBLIC_URL: is required for a portal/m })
  t.doesNotThrow(start({ GATEWAY_PUBLIC_URL: 'https://api.bank.example' }))
})

t.test(
  'with the least memory for bodies, the longest body fits beside those of another developer',
  async (t) => {
    const least = 16_777_216
    t.throws(() => readSettings({ UPLOAD_BUFFER_MAX: String(least - 1) }), {
      message: /UPLOAD_BUFFER_MAX/,
    })
    const { uploadBufferMax } = readSettings({ UPLOAD_BUFFER_MAX: String(least) })
    const memory = createUploadMemory(uploadBufferMax)
    for (const applicationId of ['one', 'two', 'three', 'four']) {
      while (memory.take({ applicationId, developerId: 'other' }, 65_536) === undefined);
    }
    t.equal(memory.take({ applicationId: 'a', developerId: 'a' }, bodyBytesMax), undefined)
  },
)
