import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createUploadMemory } from '../../src/gateway/edge/request/upload-memory.ts'
import { checkDeployment } from '../../src/platform/settings/deployment.ts'
import { settingWarnings } from '../../src/platform/settings/setting-warnings.ts'
import { readSettings } from '../../src/platform/settings/settings.ts'
import { settingsInForce } from '../../src/platform/settings/settings-in-force.ts'

t.test('an origin with a path is refused by name, not by a library later', async (t) => {
  for (const name of ['GATEWAY_URL', 'GATEWAY_PUBLIC_URL', 'PORTAL_PUBLIC_URL', 'SCA_PUBLIC_URL']) {
    t.throws(() => readSettings({ [name]: 'http://bank:1/base' }), {
      name: 'SettingsError',
      message: new RegExp(`^ {2}${name}: must have no user, path, query or fragment`, 'm'),
    })
    t.doesNotThrow(() => readSettings({ [name]: 'http://bank:1/' }), 'a slash is no path')
  }
  const jwks = 'http://bank:1/.well-known/jwks.json'
  t.same(readSettings({ IDENTITY_JWKS_URL: jwks }).identityJwksUrls, [jwks])
})

t.test(
  'where there is no folder config, a trial gets the samples, and production an error',
  async (t) => {
    const folder = process.cwd()
    t.teardown(() => process.chdir(folder))
    t.equal(readSettings({}).configDir, join(folder, 'config'), 'a folder config comes first')
    const empty = t.testdir()
    process.chdir(empty)
    t.equal(readSettings({}).configDir, join(folder, 'config'))
    const production = { DATABASE_URL: 'postgres://127.0.0.1/tollgate' }
    t.equal(readSettings(production).configDir, join(empty, 'config'))
    t.equal(readSettings({ CONFIG_DIR: 'mine' }).configDir, join(empty, 'mine'))
    mkdirSync('config')
    t.equal(readSettings({}).configDir, join(empty, 'config'), 'even an empty one')
  },
)

t.test('with Redis there are several gateways unless their number is set', async (t) => {
  const redis = { REDIS_URL: 'redis://127.0.0.1:6379/0' }
  t.equal(readSettings({}).gatewayProcesses, 1)
  t.equal(readSettings(redis).gatewayProcesses, 4)
  t.equal(readSettings({ ...redis, GATEWAY_PROCESSES: '1' }).gatewayProcesses, 1)
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

t.test('a portal without a gateway in its process needs the address of the gateway', async (t) => {
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
    const { uploadBufferMax, bodyBytesMax } = readSettings({ UPLOAD_BUFFER_MAX: String(least) })
    const memory = createUploadMemory(uploadBufferMax)
    for (const applicationId of ['one', 'two', 'three', 'four']) {
      while (memory.take({ applicationId, developerId: 'other' }, 65_536) === undefined);
    }
    t.equal(memory.take({ applicationId: 'a', developerId: 'a' }, bodyBytesMax), undefined)
  },
)

t.test(
  'what looks like a setting and has no effect is named, with the setting it may be',
  async (t) => {
    t.same(
      settingWarnings({
        TRUSTED_PROXY: '10.0.0.0/8',
        DATABASE_URI: 'postgres://secret@host/db',
        GATEWAY_PORTS: '1',
        REQUIRE_TSL: 'true',
      }).map((text) => text.replace(/ is not a setting and has no effect; do you mean /, ' → ')),
      [
        'TRUSTED_PROXY → TRUSTED_PROXIES?',
        'DATABASE_URI → DATABASE_URL?',
        'GATEWAY_PORTS → GATEWAY_PORT?',
        'REQUIRE_TSL → REQUIRE_TLS?',
      ],
    )
    t.same(
      settingWarnings({
        PATH: '/bin',
        HOME: '/root',
        HOSTNAME: 'h',
        LANG: 'C',
        LOGNAME: 'me',
        MAIL: '/var/mail/me',
        NODE_ENV: 'production',
        NODE_OPTIONS: '--x',
        NODE_EXTRA_CA_CERTS: '/ca.pem',
        PWD: '/',
        GATEWAY_SERVICE_HOST: '10.0.0.1',
        GATEWAY_PORT_8080_TCP_ADDR: '10.0.0.1',
        TZ: 'UTC',
        DATABASE_URL: 'postgres://host/db',
        KEY_PEPPER_FILE: '/run/pepper',
        DATA_DIR: '',
      }),
      [],
    )
  },
)

t.test('a port that Kubernetes sets for a service is no setting', async (t) => {
  const env = { GATEWAY_PORT: 'tcp://10.0.0.1:8080', PORTAL_PORT: 'tcp://10.0.0.2:8081' }
  t.equal(readSettings(env).gateway.port, 8080)
  t.match(settingWarnings(env), [/^GATEWAY_PORT is ignored: Kubernetes/, /^PORTAL_PORT is ignored/])
  t.throws(() => readSettings({ GATEWAY_PORT: 'tcp://x' }), {
    message: /GATEWAY_PORT: "tcp:\/\/x"/,
  })
})

t.test('the active settings show no secret and no password', async (t) => {
  const secret = 'planted-secret-that-nobody-may-see-in-here'
  const env = {
    KEY_PEPPER: secret,
    SESSION_SECRET: secret,
    GATEWAY_PORT: '8090',
    LOG_LEVEL: 'warn',
    DATABASE_URL: `postgres://tollgate:${secret}@db:5432/tollgate`,
    REDIS_URL: `redis+sentinel://user:${secret}@s1:26379,s2:26379/group`,
    SMTP_URL: `smtps://user:${secret}@mail:465`,
  }
  const found = settingsInForce(readSettings(env), env)
  t.notMatch(JSON.stringify(found), secret)
  for (const url of [
    `postgres://u:p@${secret}@db/x`,
    `postgresql://db/x?user=u&password=${secret}`,
    `POSTGRES://u:${secret}@db/x?sslmode=verify-full`,
  ]) {
    const given = { DATABASE_URL: url }
    t.notMatch(
      JSON.stringify(settingsInForce(readSettings(given), given)),
      secret,
      url.slice(0, 20),
    )
  }
  const of = (name: string) => found.find(({ names }) => names.includes(name))
  t.match(of('KEY_PEPPER'), { value: '(hidden)', setBy: ['KEY_PEPPER'] })
  t.match(of('DATABASE_URL'), { value: 'postgres://tollgate:***@db:5432/tollgate' })
  t.match(of('SMTP_URL'), { value: 'smtps://user:***@mail:465' })
  t.match(of('REDIS_URL'), { value: 'sentinel, s1:26379, s2:26379' })
  t.match(of('GATEWAY_PORT'), { value: 'http://127.0.0.1:8090', setBy: ['GATEWAY_PORT'] })
  t.match(of('PORTAL_PORT'), { value: 'http://localhost:8081', setBy: [] })
  t.match(of('LOG_LEVEL'), { value: 'warn' })
  t.match(of('BANK_TIME_ZONE'), { value: 'Asia/Jerusalem', setBy: [] })
  t.match(of('KEY_MAX_DAYS'), { value: '0' })
})
