import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { Agent, request } from 'undici'
import { createTestAuthority, type IssuedCertificate } from '../../test/support/certificates.ts'
import { tollgate } from '../../test/support/cli.ts'
import { testDataDir } from '../../test/support/database.ts'
import { withoutRole } from '../../test/support/metrics.ts'
import { quietEnv, runTollgate, spawnTollgate, testConfigDir } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

const authority = createTestAuthority(t)
const token = 'a-token-of-thirty-two-characters'

/** The files of one certificate, in their own folder. */
function place(folder: string, { certFile, keyFile }: IssuedCertificate): void {
  copyFileSync(certFile, join(folder, 'tls.crt'))
  copyFileSync(keyFile, join(folder, 'tls.key'))
}

const listeners = ['GATEWAY', 'PORTAL', 'SCA', 'BACKEND', 'MANAGEMENT']

function tlsEnv(folder: string): Record<string, string> {
  return Object.fromEntries(
    listeners.flatMap((name) => [
      [`${name}_TLS_CERT_FILE`, join(folder, 'tls.crt')],
      [`${name}_TLS_KEY_FILE`, join(folder, 'tls.key')],
    ]),
  )
}

/** Asks as a client that trusts the authority; each request opens its own connection. */
function client(t: Test) {
  const agent = new Agent({ connect: { ca: authority.ca }, pipelining: 0 })
  t.teardown(() => agent.close())
  return async (url: string, headers: Record<string, string> = {}) => {
    const answer = await request(url, { dispatcher: agent, headers, reset: true })
    return {
      status: answer.statusCode,
      text: await answer.body.text(),
      headers: answer.headers,
    }
  }
}

t.test(
  'every listener serves TLS, and its certificate changes with the files, by itself, on SIGHUP and by command',
  async (t) => {
    const folder = t.testdir()
    const [first, second, third] = [10, 20, 30].map((days) => authority.issue({ days }))
    if (!first || !second || !third) throw new Error('three certificates')
    place(folder, first)
    const dataDir = await testDataDir(t)
    const env = {
      ...tlsEnv(folder),
      DATA_DIR: dataDir,
      CONFIG_DIR: testConfigDir(t),
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
      MANAGEMENT_TOKEN: token,
      UPSTREAM_TLS_CA_FILE: authority.caFile,
      NODE_EXTRA_CA_CERTS: authority.caFile,
    }
    const process = await spawnTollgate(t, ['gateway', 'portal', 'backend'], env)
    const ask = client(t)
    for (const url of Object.values(process.urls))
      t.match(url, /^https:\/\/(127\.0\.0\.1|localhost):\d+$/)
    const answers = {
      gateway: (await ask(`${process.urls.gateway}/v1.7.0/accounts`)).status,
      portal: (await ask(process.urls.portal)).status,
      sca: (await ask(`${process.urls.sca}/`)).status,
      backend: (await ask(`${process.urls.backend}/v1.7.0/accounts`)).status,
      management: (await ask(`${process.urls.management}/livez`)).status,
    }
    t.match(answers, { gateway: 401, portal: 200, management: 200 })
    t.ok(answers.sca < 500 && answers.backend < 500, 'they answered')
    const page = await ask(process.urls.portal)
    t.match(page.headers['strict-transport-security'], /includeSubDomains/i)

    const metrics = async () =>
      withoutRole(
        (await ask(`${process.urls.management}/metrics`, { authorization: `Bearer ${token}` }))
          .text,
      )
    async function daysLeft(): Promise<number[]> {
      const seconds = [
        ...(await metrics()).matchAll(
          /^gateway_certificate_expiry_timestamp_seconds\{.*\} (\S+)$/gm,
        ),
      ].map(([, value]) => Number(value))
      return seconds.map((at) => Math.round((at - Date.now() / 1_000) / 86_400))
    }
    t.same(await daysLeft(), [10, 10, 10, 10, 10])
    t.match(process.output.stderr, /"days":9,"msg":"the certificate expires soon"/)

    place(folder, second)
    await until('the files are followed', async () =>
      (await daysLeft()).every((days) => days === 20),
    )

    copyFileSync(third.certFile, join(folder, 'tls.crt'))
    process.signal('SIGHUP')
    await until('half a pair is refused', async () =>
      (await metrics()).includes('gateway_files_refused{files="gateway"} 1'),
    )
    t.match(process.output.stderr, /"files":"gateway","reason":"the private key does not belong/)
    t.match(
      process.output.stderr,
      /"event":"files.refused".*"files":"gateway","reason":"the private/,
    )
    t.same(await daysLeft(), [20, 20, 20, 20, 20])
    t.equal((await ask(`${process.urls.gateway}/v1.7.0/accounts`)).status, 401, 'it serves on')

    copyFileSync(third.keyFile, join(folder, 'tls.key'))
    const { code, stderr } = await tollgate({ ...env, LOG_LEVEL: 'silent' }, 'reload')
    t.equal(code, 0, stderr)
    await until('the command reloads', async () => (await daysLeft()).every((days) => days === 30))
    t.match(await metrics(), 'gateway_files_refused{files="gateway"} 0')

    const late = authority.issue({ days: -1 })
    place(folder, late)
    process.signal('SIGHUP')
    await until('an expired one is refused', () =>
      /"reason":"the certificate expired on /.test(process.output.stderr),
    )
    t.same(await daysLeft(), [30, 30, 30, 30, 30])
    process.signal('SIGTERM')
    t.equal(await process.ended, 0)
  },
)

t.test('a start without usable certificates names the settings', async (t) => {
  const folder = t.testdir()
  place(folder, authority.issue())
  writeFileSync(join(folder, 'tls.key'), 'no key')
  const env = {
    ...quietEnv,
    ...tlsEnv(folder),
    DATA_DIR: await testDataDir(t),
    UPSTREAM_TLS_CA_FILE: authority.caFile,
  }
  t.match(await tollgate(env, 'start'), {
    code: 1,
    stderr:
      /^tollgate: GATEWAY_TLS_CERT_FILE, GATEWAY_TLS_KEY_FILE: the key file contains no PEM private key/,
  })
})

t.test('a start with an expired certificate serves, and says so', async (t) => {
  const folder = t.testdir()
  place(folder, authority.issue({ days: -1 }))
  const lines: string[] = []
  const { urls } = await runTollgate(t, {
    isEmbedded: true,
    env: {
      PORTAL_TLS_CERT_FILE: join(folder, 'tls.crt'),
      PORTAL_TLS_KEY_FILE: join(folder, 'tls.key'),
    },
    log: pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }),
  })
  t.match(urls.portal, /^https:/)
  t.match(urls.gateway, /^http:/)
  t.match(lines.join(''), 'the certificate has expired')
})
