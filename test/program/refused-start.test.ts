import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { freePort } from '../../src/platform/http/free-port.ts'
import { tollgate, tollgateProcess } from '../support/cli.ts'
import { testDataDir } from '../support/database.ts'
import { productionEnv } from '../support/fleet.ts'
import { runTollgate, testConfigDir } from '../support/tollgate.ts'

const anyPorts = {
  LOG_LEVEL: 'silent',
  GATEWAY_PORT: '0',
  MANAGEMENT_PORT: '0',
  PORTAL_PORT: '0',
  BACKEND_PORT: '0',
  SCA_PORT: '0',
}

/** A port of 127.0.0.1 that is in use until the test ends. */
async function takenPort(t: Test): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const address = server.address()
  return String(address !== null && typeof address !== 'string' ? address.port : 0)
}

/** Starts in this process what must be refused before anything is opened; returns what it said. */
async function refusal(
  t: Test,
  env: Readonly<Record<string, string>>,
  ...roles: string[]
): Promise<string> {
  const { code, stdout, stderr } = await tollgate({ ...anyPorts, ...env }, 'start', ...roles)
  t.equal(code, 1)
  t.equal(stdout, '', 'nothing on standard output')
  return stderr
}

t.test(
  'invalid settings end the start with exit code 1 and all problems at once, secrets unseen',
  async (t) => {
    const { code, stdout, stderr } = await tollgateProcess(
      {
        GATEWAY_PORT: '99999',
        LOG_LEVEL: 'loud',
        TRUSTED_PROXIES: '10.0.0.0/99',
        FORWARD_HEADERS: 'X-Good, X Bad',
        BANK_TIME_ZONE: 'Mars/Olympus',
        BACKEND_URL: 'ftp://bank',
        DATABASE_URL: 'mysql://root:planted-password@host/db',
        REDIS_URL: 'http://:planted-password@host',
        KEY_PEPPER: 'planted-pepper',
        IDENTITY_PRIVATE_KEY: 'planted-one',
        IDENTITY_PRIVATE_KEY_FILE: '/no/such/file',
        REDIS_EVICTION_ALLOWED: 'perhaps',
      },
      'start',
    )
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, /^tollgate: 11 problems with the settings:\n/)
    for (const line of [
      /^ {2}GATEWAY_PORT: "99999" is not a whole number from 0 to 65535 \(e\.g\. 8080\)$/m,
      /^ {2}LOG_LEVEL: "loud" is not one of /m,
      /^ {2}TRUSTED_PROXIES: "10\.0\.0\.0\/99" is neither /m,
      /^ {2}FORWARD_HEADERS: "X Bad" is not the name of a header field /m,
      /^ {2}BANK_TIME_ZONE: "Mars\/Olympus" is not an IANA time zone/m,
      /^ {2}BACKEND_URL: "ftp:\/\/bank" is not a URL beginning with http/m,
      /^ {2}DATABASE_URL: the value \(not shown\) is not a URL beginning with postgres/m,
      /^ {2}REDIS_URL: the value \(not shown\) is not a URL beginning with redis/m,
      /^ {2}KEY_PEPPER: is shorter than 32 characters/m,
      /^ {2}IDENTITY_PRIVATE_KEY: both IDENTITY_PRIVATE_KEY and IDENTITY_PRIVATE_KEY_FILE are set/m,
      /^ {2}REDIS_EVICTION_ALLOWED: "perhaps" is neither true nor false/m,
    ]) {
      t.match(stderr, line)
    }
    t.notMatch(stderr, /planted/)
    t.notMatch(stderr, /\n {4}at /, 'no stack')
  },
)

t.test('an invalid configuration ends the start with file, line and rule', async (t) => {
  const configDir = testConfigDir(t)
  const plan = join(configDir, 'plans', 'default.yaml')
  writeFileSync(
    plan,
    readFileSync(plan, 'utf8')
      .replace('mode: enforce', 'mode: sometimes')
      .replace(/calls: \d+/, 'calls: many'),
  )
  const env = { DATA_DIR: await testDataDir(t), CONFIG_DIR: configDir }
  const stderr = await refusal(t, env)
  const lines = readFileSync(plan, 'utf8').split('\n')
  for (const wrong of ['mode: sometimes', 'calls: many']) {
    const line = lines.findIndex((text) => text.includes(wrong)) + 1
    t.match(stderr, `plans/default.yaml:${line}`)
  }
})

t.test(
  'ports that are taken end the start before any work, with their variables and a free port for each',
  async (t) => {
    const ports = { GATEWAY_PORT: await takenPort(t), PORTAL_PORT: await takenPort(t) }
    const dataDir = join(await testDataDir(t), 'fresh')
    const { code, stdout, stderr } = await tollgate(
      { ...anyPorts, ...ports, DATA_DIR: dataDir },
      'start',
    )
    t.equal(code, 1)
    t.equal(stdout, '')
    for (const [prefix, address] of [
      ['GATEWAY', `127.0.0.1:${ports.GATEWAY_PORT}`],
      ['PORTAL', `localhost:${ports.PORTAL_PORT}`],
    ]) {
      t.match(
        stderr,
        `${prefix}_HOST/${prefix}_PORT: cannot listen on ${address}: another program, or another listener`,
      )
    }
    t.notMatch(stderr, /\n {4}at /, 'no stack')
    t.same(readdirSync(dataDir), [], 'neither a database nor a secret was made')
    const offer =
      /^Free at the moment: GATEWAY_PORT=(\d+) PORTAL_PORT=(\d+) DATA_DIR='(.*)' npx tollgate start$/m
    const [, ...offered] = offer.exec(stderr) ?? []
    t.equal(offered.pop(), dataDir, 'with the folder that was given')
    t.equal(offered.length, 2)
    for (const port of offered) {
      const server = createServer().listen(Number(port), '127.0.0.1')
      await once(server, 'listening')
      server.close()
    }
  },
)

t.test('two listeners of one process cannot have one port', async (t) => {
  const port = String(await freePort({ host: '127.0.0.1', port: 0 }))
  const stderr = await refusal(t, {
    DATA_DIR: await testDataDir(t),
    GATEWAY_PORT: port,
    SCA_PORT: port,
  })
  t.match(stderr, `SCA_HOST/SCA_PORT: cannot listen on 127.0.0.1:${port}`)
  t.match(stderr, 'another listener of Tollgate')
})

t.test('a data folder that another process has open is refused with its pid', async (t) => {
  const running = await runTollgate(t)
  const env = { ...anyPorts, DATA_DIR: running.dataDir }
  const { code, stderr } = await tollgateProcess(env, 'start')
  t.equal(code, 1)
  t.match(stderr, `DATA_DIR ${running.dataDir} is already open by process ${process.pid}. Stop`)
  const answer = await fetch(`${running.urls.gateway}/v1.7.0/accounts`, {
    headers: { 'x-api-key': running.key },
  })
  t.equal(answer.status, 400, 'the one that runs goes on: the bank answers')
})

t.test('a data folder whose path leaves no room for a socket is named', async (t) => {
  const dataDir = join(await testDataDir(t), 'x'.repeat(100))
  const stderr = await refusal(t, { DATA_DIR: dataDir })
  t.match(stderr, /DATA_DIR is too long a path: the socket .* at most \d+ are possible/)
})

t.test('a deployment that would multiply limits or lack its secrets is refused', async (t) => {
  const dataDir = await testDataDir(t)
  t.match(
    await refusal(t, { DATA_DIR: dataDir, GATEWAY_PROCESSES: '2' }),
    'REDIS_URL: is required with GATEWAY_PROCESSES=2',
  )
  t.match(
    await refusal(t, { DATA_DIR: dataDir, GATEWAY_REUSE_PORT: 'on' }),
    'REDIS_URL: is required with GATEWAY_REUSE_PORT=on',
  )
  const redis = { DATA_DIR: dataDir, REDIS_URL: 'redis://127.0.0.1:9' }
  t.match(
    await refusal(t, { ...redis, GATEWAY_REUSE_PORT: 'on', GATEWAY_PORT: '0' }),
    'GATEWAY_PORT: must be a number other than 0 with GATEWAY_REUSE_PORT=on',
  )
  t.match(
    await refusal(t, { DATA_DIR: dataDir }, 'portal'),
    'REDIS_URL: is required for a portal without a gateway in its process',
  )
  const production = await refusal(
    t,
    { DATABASE_URL: 'postgres://bank:planted@127.0.0.1:9/x', REDIS_URL: 'redis://127.0.0.1:9' },
    'gateway',
  )
  for (const name of ['BACKEND_URL', 'KEY_PEPPER', 'IDENTITY_PRIVATE_KEY']) {
    t.match(production, new RegExp(`^ {2}${name}.* is required`, 'm'))
  }
  t.notMatch(production, /planted/)
  t.match(
    await refusal(t, { DATA_DIR: dataDir }, 'backend'),
    'IDENTITY_JWKS_URL: is required for a backend without a gateway in its process',
  )
})

t.test(
  'a portal whose Node cannot hash passwords does not start, and names a Node that can',
  async (t) => {
    const withoutArgon2 = `
    import crypto from 'node:crypto'
    import { syncBuiltinESMExports } from 'node:module'
    crypto.argon2 = () => { throw new Error('Argon2 is not supported') }
    syncBuiltinESMExports()`
    const { code, stdout, stderr } = await tollgateProcess(
      {
        ...anyPorts,
        DATA_DIR: await testDataDir(t),
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(withoutArgon2)}`,
      },
      'start',
    )
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(
      stderr,
      /^tollgate: the portal hashes passwords with crypto\.argon2, which does not work in this Node \(v.*, OpenSSL .*\): run the Node that comes with Tollgate, or one of nodejs\.org, 26\.\d+\.\d+ or newer: Argon2 is not supported\n$/,
    )
  },
)

t.test('an unknown role is a command-line error', async (t) => {
  const { code, stderr } = await tollgate(anyPorts, 'start', 'gateway', 'proxy')
  t.equal(code, 2)
  t.match(stderr, 'there is no role proxy; roles are gateway, portal, backend')
})

t.test('a database that cannot be reached ends the start, without its password', async (t) => {
  const { code, stdout, stderr } = await tollgateProcess(
    {
      ...anyPorts,
      ...productionEnv(),
      DATABASE_URL: 'postgres://bank:planted@127.0.0.1:9/tollgate',
      REDIS_URL: 'redis://127.0.0.1:9',
      BACKEND_URL: 'http://127.0.0.1:9',
    },
    'start',
    'gateway',
  )
  t.equal(code, 1)
  t.equal(stdout, '')
  t.match(stderr, 'DATABASE_URL')
  t.notMatch(stderr, /planted/)
})
