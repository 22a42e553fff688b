import t from 'tap'
import type { ApiVersion } from '../../src/catalogue/catalogue.ts'
import { checkBackends } from '../../src/compose/check-backends.ts'
import { checkDeployment, deploymentWarnings } from '../../src/platform/settings/deployment.ts'
import { type Role, readSettings } from '../../src/platform/settings/settings.ts'
import { SettingsError } from '../../src/platform/settings/settings-reader.ts'

function warnings(env: Readonly<Record<string, string>>, ...roles: Role[]): string[] {
  return deploymentWarnings(readSettings(env), new Set(roles)).map(
    (text) => text.split(':')[0] ?? '',
  )
}

const split = {
  DATABASE_URL: 'postgres://user:password@db.internal:5432/tollgate?sslmode=verify-full',
  TRUSTED_PROXIES: '10.0.0.7',
}

t.test(
  'a split deployment warns of public addresses that other machines cannot reach',
  async (t) => {
    t.same(warnings(split, 'gateway'), ['PORTAL_PUBLIC_URL is not set'])
    t.same(warnings({ ...split, GATEWAY_PUBLIC_URL: 'http://127.0.0.1:8080' }, 'portal'), [
      'PORTAL_PUBLIC_URL is not set',
      'GATEWAY_PUBLIC_URL leads only to this machine',
    ])
    t.same(warnings({ ...split, SCA_PUBLIC_URL: 'http://[::1]:8083' }, 'backend'), [
      'SCA_PUBLIC_URL leads only to this machine',
    ])
    const reachable = { ...split, PORTAL_PUBLIC_URL: 'https://developer.bank.example' }
    t.same(warnings(reachable, 'gateway'), [])
    t.same(
      warnings({}, 'gateway', 'portal', 'backend'),
      [],
      'an embedded start is for this machine',
    )
  },
)

t.test(
  'a portal with a public address warns that it sends no email without SMTP_URL',
  async (t) => {
    const published = {
      PORTAL_PUBLIC_URL: 'https://developer.bank.example',
      TRUSTED_PROXIES: '10.0.0.7',
    }
    t.same(warnings(published, 'gateway', 'portal', 'backend'), ['SMTP_URL is not set'])
    t.same(warnings(published, 'gateway'), [], 'a gateway sends no email')
    t.same(warnings({ ...published, SMTP_URL: 'smtps://mail.bank.example:465' }, 'portal'), [])
    t.same(warnings({ PORTAL_PUBLIC_URL: 'http://127.0.0.1:8088' }, 'portal'), [])
  },
)

t.test(
  'a public address over plain HTTP is refused, unless it is loopback or a proxy is named',
  async (t) => {
    const refused = (env: Readonly<Record<string, string>>, ...roles: Role[]) => {
      try {
        checkDeployment(readSettings(env), new Set(roles))
        return []
      } catch (error) {
        return [...String(error).matchAll(/^ {2}(\w+): /gm)].map(([, name]) => name)
      }
    }
    const all = ['gateway', 'portal', 'backend'] as const
    t.same(refused({ PORTAL_PUBLIC_URL: 'http://developer.bank.example' }, ...all), [
      'PORTAL_PUBLIC_URL',
    ])
    t.same(refused({ GATEWAY_PUBLIC_URL: 'http://10.0.0.5:8080' }, ...all), ['GATEWAY_PUBLIC_URL'])
    t.same(refused({ SCA_PUBLIC_URL: 'http://approve.bank.example' }, ...all), ['SCA_PUBLIC_URL'])
    t.same(refused({ SCA_HOST: '0.0.0.0' }, ...all), ['SCA_HOST'], 'customers type passwords there')
    const elsewhere = { SCA_HOST: '0.0.0.0', BACKEND_URL: 'http://127.0.0.1:8082' }
    t.same(refused(elsewhere, 'gateway', 'portal'), [], 'not served here')
    t.same(refused({ GATEWAY_HOST: '0.0.0.0', PORTAL_HOST: '192.168.1.5' }, ...all), [
      'GATEWAY_HOST',
      'PORTAL_HOST',
    ])
    const files = { GATEWAY_TLS_CERT_FILE: '/tls.crt', GATEWAY_TLS_KEY_FILE: '/tls.key' }
    for (const env of [
      {},
      { PORTAL_PUBLIC_URL: 'http://localhost:8081', PORTAL_HOST: '0.0.0.0' },
      { PORTAL_PUBLIC_URL: 'http://developer.bank.example', TRUSTED_PROXIES: '10.0.0.7' },
      { GATEWAY_HOST: '::', ...files },
      { GATEWAY_PUBLIC_URL: 'https://api.bank.example', GATEWAY_HOST: '0.0.0.0' },
    ]) {
      t.same(refused(env, ...all), [], JSON.stringify(env))
    }
    t.same(
      refused({ BACKEND_TLS_CERT_FILE: '/tls.crt', BACKEND_TLS_KEY_FILE: '/tls.key' }, ...all),
      ['UPSTREAM_TLS_CA_FILE'],
    )
  },
)

t.test(
  'connections between machines without encryption are warnings, those of one machine are not',
  async (t) => {
    const near = {
      DATABASE_URL: 'postgres://a:secret@127.0.0.1/tollgate',
      REDIS_URL: 'redis://localhost:6379/0',
      PORTAL_PUBLIC_URL: 'https://developer.bank.example',
      TRUSTED_PROXIES: '10.0.0.7',
      BACKEND_URL: 'http://127.0.0.1:8082',
    }
    t.same(warnings(near, 'gateway'), [])
    const far = {
      DATABASE_URL: 'postgres://a:secret@db.internal/tollgate?sslmode=disable',
      REDIS_URL: 'redis+sentinel://one,two/main',
      BACKEND_URL: 'http://bank.internal:8082',
      MANAGEMENT_HOST: '0.0.0.0',
    }
    t.same(warnings({ ...near, ...far }, 'gateway'), [
      'DATABASE_URL',
      'REDIS_URL',
      'BACKEND_URL',
      'MANAGEMENT_HOST',
    ])
    const jwks = { IDENTITY_JWKS_URL: 'http://gateway.internal:9090/.well-known/jwks.json' }
    const sca = { SCA_PUBLIC_URL: 'https://sca.bank.example' }
    t.same(warnings({ ...near, ...sca, ...jwks }, 'backend'), ['IDENTITY_JWKS_URL'])
    t.same(
      warnings({ ...near, TRUSTED_PROXIES: '' }, 'portal').filter((text) => /PROXIES/.test(text)),
      ['TRUSTED_PROXIES is not set, but PORTAL_PUBLIC_URL is https'],
    )
  },
)

t.test(
  'with REQUIRE_TLS=true each plain connection to or from another machine is refused',
  async (t) => {
    const refused = (env: Readonly<Record<string, string>>, ...roles: Role[]) => {
      try {
        checkDeployment(readSettings({ ...base, REQUIRE_TLS: 'true', ...env }), new Set(roles))
        return []
      } catch (error) {
        return [...String(error).matchAll(/^ {2}(\w+): /gm)].map(([, name]) => name)
      }
    }
    const base = {
      KEY_PEPPER: 'p'.repeat(32),
      SESSION_SECRET: 's'.repeat(32),
      IDENTITY_PRIVATE_KEY: 'key',
      DATABASE_URL: 'postgres://a:secret@db.internal/tollgate?sslmode=verify-full',
      REDIS_URL: 'rediss://redis.internal:6379/0',
      BACKEND_URL: 'https://bank.internal:8082',
      GATEWAY_PUBLIC_URL: 'https://api.bank.example',
      PORTAL_PUBLIC_URL: 'https://developer.bank.example',
      TRUSTED_PROXIES: '10.0.0.7',
    }
    t.same(refused({}, 'gateway', 'portal'), [])
    const open = { GATEWAY_HOST: '0.0.0.0', MANAGEMENT_HOST: '0.0.0.0', PORTAL_HOST: '10.0.0.5' }
    t.same(
      refused({ ...open, MANAGEMENT_TOKEN: 't'.repeat(32) }, 'gateway', 'portal'),
      ['GATEWAY_HOST', 'PORTAL_HOST', 'MANAGEMENT_HOST'],
      'also behind a proxy, and with a token',
    )
    const files = (name: string) => ({
      [`${name}_TLS_CERT_FILE`]: '/tls.crt',
      [`${name}_TLS_KEY_FILE`]: '/tls.key',
    })
    const served = { ...open, ...files('GATEWAY'), ...files('PORTAL'), ...files('MANAGEMENT') }
    t.same(refused(served, 'gateway', 'portal'), [])
    const far = {
      DATABASE_URL: 'postgres://a:secret@db.internal/tollgate',
      REDIS_URL: 'redis://redis.internal:6379/0',
      BACKEND_URL: 'http://bank.internal:8082',
    }
    t.same(refused(far, 'gateway'), ['DATABASE_URL', 'REDIS_URL', 'BACKEND_URL'])
    const gateway = { GATEWAY_URL: 'http://gateway.internal:8080' }
    t.same(refused(gateway, 'portal'), ['GATEWAY_URL'])
    t.same(warnings({ ...base, ...gateway, SMTP_URL: 'smtps://mail' }, 'portal'), ['GATEWAY_URL'])
    const bank = { IDENTITY_JWKS_URL: 'http://gateway.internal:9090/.well-known/jwks.json' }
    t.same(refused({ ...bank, BACKEND_HOST: '0.0.0.0', SCA_HOST: '0.0.0.0' }, 'backend'), [
      'BACKEND_HOST',
      'SCA_HOST',
      'IDENTITY_JWKS_URL',
    ])
    t.same(
      refused({ ...open, ...far, ...gateway, REQUIRE_TLS: 'false' }, 'gateway', 'portal'),
      [],
      'without it, they are warnings or a matter of the proxy',
    )
  },
)
t.test('a bank or gateway that does not check revocation is a warning', async (t) => {
  const of = (role: Role, env: Readonly<Record<string, string>> = {}) =>
    deploymentWarnings(
      readSettings({ CLIENT_CERTIFICATE_CA_FILE: '/etc/tollgate/authorities.pem', ...env }),
      new Set([role]),
    )
  const unchecked = [
    'CLIENT_CERTIFICATE_CRL_FILE is not set: a revoked client certificate still works',
  ]
  t.same(of('backend'), unchecked, 'the bank judges signing certificates')
  t.same(of('gateway', { GATEWAY_CLIENT_CERTIFICATES: 'optional' }), unchecked)
  t.same(of('gateway'), [])
})

t.test('a gateway that takes another backend for the sandbox bank warns of it', async (t) => {
  const elsewhere = { BACKEND_URL: 'https://bank.internal:8082', SANDBOX: 'on' }
  t.same(warnings(elsewhere, 'gateway'), ['SANDBOX=on with BACKEND_URL'])
  t.same(warnings({ ...elsewhere, SANDBOX: 'off' }, 'gateway'), [])
  t.same(warnings({ SANDBOX: 'on' }, 'gateway', 'portal', 'backend'), [], 'the bank beside it')
  t.same(warnings(elsewhere, 'backend'), [], 'it forwards no call')
})

t.test('proxies of whole networks, and operators of one factor, are warnings', async (t) => {
  const near = {
    GATEWAY_PUBLIC_URL: 'https://api.bank.example',
    PORTAL_PUBLIC_URL: 'https://developer.bank.example',
    SMTP_URL: 'smtps://mail.bank.example',
  }
  const of = (env: Readonly<Record<string, string>>) =>
    deploymentWarnings(
      readSettings({ ...near, ...env }),
      new Set<Role>(['gateway', 'portal']),
    ).filter((text) => /PROXIES|OIDC/.test(text))
  t.match(of({ TRUSTED_PROXIES: '10.0.7.11,10.0.0.0/8,2001:db8::/32' }), [
    /^TRUSTED_PROXIES: every machine in 10\.0\.0\.0\/8, 2001:db8::\/32 can claim any client address/,
  ])
  const certificates = {
    TRUSTED_PROXIES: '10.0.7.11',
    CLIENT_CERTIFICATE_PROXIES: '10.0.0.0/8',
    CLIENT_CERTIFICATE_CA_FILE: '/etc/tollgate/authorities.pem',
  }
  t.same(of(certificates), [], 'no certificate is asked for')
  const asks = { ...certificates, GATEWAY_CLIENT_CERTIFICATES: 'optional' }
  const claimed =
    /^CLIENT_CERTIFICATE_PROXIES .*: every machine in 10\.0\.0\.0\/8 can claim any client certificate/
  t.match(of(asks), [claimed])
  const { CLIENT_CERTIFICATE_PROXIES: _, ...fallen } = asks
  t.match(of({ ...fallen, TRUSTED_PROXIES: '10.0.0.0/8' }), [/^TRUSTED_PROXIES/, claimed])
  t.same(of({ TRUSTED_PROXIES: '10.0.7.0/24,10.0.7.11,2001:db8::/64,2001:db8::7' }), [])
  const provider = {
    TRUSTED_PROXIES: '10.0.7.11',
    OIDC_ISSUER: 'https://login.bank.example',
    OIDC_CLIENT_ID: 'tollgate-portal',
    OIDC_CLIENT_SECRET: 'secret of the client',
  }
  t.same(of(provider), [])
  t.match(of({ ...provider, OIDC_OPERATOR_GROUP: 'gateway-operators' }), [
    /^OIDC_OPERATOR_GROUP without OIDC_ACR_VALUES/,
  ])
  t.same(of({ ...provider, OIDC_OPERATOR_GROUP: 'gateway-operators', OIDC_ACR_VALUES: 'mfa' }), [])
})

t.test(
  'the settings of an OpenID Connect provider are whole, and its issuer is https',
  async (t) => {
    const start = (env: Readonly<Record<string, string>>) => () =>
      checkDeployment(readSettings(env), new Set<Role>(['gateway', 'portal', 'backend']))
    const whole = {
      OIDC_ISSUER: 'https://login.bank.example/realms/bank',
      OIDC_CLIENT_ID: 'tollgate-portal',
      OIDC_CLIENT_SECRET: 'secret of the client',
    }
    t.doesNotThrow(start(whole))
    t.doesNotThrow(start({ ...whole, OIDC_ISSUER: 'http://localhost:3000' }))
    t.equal(readSettings(whole).oidcIssuer, whole.OIDC_ISSUER, 'as it was given')
    for (const [change, message] of [
      [{ OIDC_ISSUER: 'http://login.bank.example' }, /OIDC_ISSUER: .*must begin with https/],
      [{ OIDC_ISSUER: 'login.bank.example' }, /OIDC_ISSUER: .*is not a URL/],
      [{ OIDC_ISSUER: '' }, /OIDC_ISSUER: is required with OIDC_CLIENT_ID, OIDC_CLIENT_SECRET/],
      [{ OIDC_CLIENT_ID: '' }, /OIDC_CLIENT_ID: is required/],
      [{ OIDC_CLIENT_SECRET: '' }, /OIDC_CLIENT_SECRET or OIDC_CLIENT_SECRET_FILE: is required/],
      [{ OIDC_LABEL: 'x'.repeat(41) }, /OIDC_LABEL: .*1 to 40/],
    ] as const) {
      t.throws(start({ ...whole, ...change }), { message })
    }
  },
)

t.test('certificates that no client could present are not required', async (t) => {
  const required = { GATEWAY_CLIENT_CERTIFICATES: 'required' }
  const start = (env: Readonly<Record<string, string>>) => () =>
    checkDeployment(readSettings(env), new Set<Role>(['gateway', 'portal', 'backend']))
  t.throws(start(required), { message: /GATEWAY_TLS_CERT_FILE or TRUSTED_PROXIES: is required/ })
  t.doesNotThrow(start({ ...required, TRUSTED_PROXIES: '127.0.0.1' }))
  t.doesNotThrow(start({ ...required, CLIENT_CERTIFICATE_PROXIES: '127.0.0.1' }))
  t.doesNotThrow(
    start({
      ...required,
      GATEWAY_TLS_CERT_FILE: '/etc/tollgate/gateway.pem',
      GATEWAY_TLS_KEY_FILE: '/etc/tollgate/gateway.key',
    }),
  )
})

t.test('with TLS at the gateway, Client-Cert counts only from proxies named for it', async (t) => {
  const proxies = (env: Readonly<Record<string, string>>) =>
    readSettings({ TRUSTED_PROXIES: '10.0.0.7', ...env }).clientCertificateProxies
  const named = { CLIENT_CERTIFICATE_PROXIES: '10.0.0.8' }
  const tls = { GATEWAY_TLS_CERT_FILE: '/tls.crt', GATEWAY_TLS_KEY_FILE: '/tls.key' }
  t.same(proxies({}), ['10.0.0.7'])
  t.same(proxies(named), ['10.0.0.8'])
  t.same(proxies(tls), [])
  t.same(proxies({ ...tls, ...named }), ['10.0.0.8'])
})

t.test(
  'the collector of spans: TLS if required, readable header fields, no variable that has no effect unnoticed',
  async (t) => {
    const gateway = new Set<Role>(['gateway'])
    const env = { BACKEND_URL: 'http://127.0.0.1:8082' }
    const plain = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.internal:4318' }
    t.match(deploymentWarnings(readSettings(plain), gateway).join(), 'OTEL_EXPORTER_OTLP_ENDPOINT:')
    t.throws(() => checkDeployment(readSettings({ ...plain, REQUIRE_TLS: 'true' }), gateway), {
      message: /OTEL_EXPORTER_OTLP_ENDPOINT: the connection to the collector is not encrypted/,
    })
    for (const fields of ['a=100%', 'a=b,c', 'a=%0A', 'a b=c']) {
      t.throws(() => readSettings({ ...env, OTEL_EXPORTER_OTLP_HEADERS: fields }), {
        message: /OTEL_EXPORTER_OTLP_HEADERS: is not name=value/,
      })
    }
    const read = { OTEL_EXPORTER_OTLP_HEADERS: 'a=Bearer%20b,c=d', OTEL_SDK_DISABLED: 'true' }
    t.same(
      deploymentWarnings(readSettings({ ...env, ...read }), gateway).filter((text) =>
        /OTEL/.test(text),
      ),
      ['OTEL_SDK_DISABLED has no effect: Tollgate does not read it'],
    )
  },
)

t.test(
  'backends of single APIs are origins of published APIs; a near miss gets a suggestion',
  async (t) => {
    const problems = (env: Readonly<Record<string, string>>): string[] => {
      try {
        const settings = readSettings({ BACKEND_URL: 'http://127.0.0.1:8082', ...env })
        checkDeployment(settings, new Set<Role>(['gateway']))
        const versions = new Map([
          ['1.0.0', { api: 'mandate', version: '1.0.0' } as ApiVersion],
          ['1.7.0', { api: 'xs2a', version: '1.7.0' } as ApiVersion],
        ])
        checkBackends(settings, { versions }, new Set<Role>(['gateway']))
        return []
      } catch (error) {
        return error instanceof SettingsError ? [...error.problems] : [String(error)]
      }
    }
    t.same(problems({ BACKEND_URLS: 'mandate=http://10.0.0.8:8082, xs2a=https://bank' }), [])
    const { backendUrls } = readSettings({ BACKEND_URLS: ' mandate = http://10.0.0.8/ ,' })
    t.same([...backendUrls], [['mandate', 'http://10.0.0.8']])
    t.match(problems({ BACKEND_URLS: 'mandate=http://10.0.0.8/base' }), [], 'one version')
    t.match(problems({ BACKEND_URL: 'http://10.0.0.8/base' }), [
      /^BACKEND_URL: its path would take the place .*\(mandate@1\.0\.0, xs2a@1\.7\.0\)/,
    ])
    t.match(problems({ UPSTREAM_TLS_CA_FILE: '/ca.pem' }), [/begin with https:\/\//])
    t.match(problems({ BACKEND_URL: '', BACKEND_URLS: 'xs2a=http://10.0.0.8' }), [
      /^BACKEND_URL: is required .* no document names a backend of mandate@1\.0\.0 /,
    ])
    t.match(problems({ BACKEND_URLS: 'mandates=http://10.0.0.8' }), [
      /no API "mandates".*do you mean mandate\?/,
    ])
    t.match(problems({ BACKEND_URLS: 'loans=http://10.0.0.8' }), [/APIs are mandate, xs2a$/])
    t.match(problems({ BACKEND_URLS: 'xs2a=http://a,xs2a=http://b' }), [/names "xs2a" twice/])
    for (const entry of ['xs2a', 'http://a', 'xs2a=ftp://a', 'xs2a=http://u:secret@a', '=', 'a=']) {
      const [problem = '', ...others] = problems({ BACKEND_URLS: entry })
      t.match(problem, /^BACKEND_URLS: .* is not an API and an address/, entry)
      t.notMatch(problem, /secret/)
      t.same(others, [])
    }
    t.match(
      warnings({ BACKEND_URL: 'https://bank', BACKEND_URLS: 'xs2a=http://10.0.0.8' }, 'gateway'),
      ['BACKEND_URLS'],
    )

    // Times and sizes that contradict each other.
    t.match(problems({ BACKEND_CALL_MS: '5000' }), [
      /^BACKEND_FIRST_BYTE_MS: 10000 is longer than BACKEND_CALL_MS=5000/,
      /^BACKEND_IDLE_MS: 10000 is longer/,
    ])
    t.match(problems({ BODY_BYTES_MAX: '8388608' }), [/^UPLOAD_BUFFER_MAX: .*e\.g\. 134217728/])
    t.same(problems({ BODY_BYTES_MAX: '8388608', UPLOAD_BUFFER_MAX: '134217728' }), [])
  },
)
