import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { childEnvironment } from '../support/child-environment.ts'
import { tollgate } from '../support/cli.ts'
import { testDataDir } from '../support/database.ts'

const anyPort = {
  LOG_LEVEL: 'silent',
  GATEWAY_PORT: '0',
  MANAGEMENT_PORT: '0',
  PORTAL_PORT: '0',
  BACKEND_PORT: '0',
  SCA_PORT: '0',
}

t.test('--version prints the version with the revision and nothing else', async (t) => {
  const { code, stdout, stderr } = await tollgate({}, '--version')
  t.equal(code, 0)
  t.match(stdout, /^\d+\.\d+\.\d+ \(([0-9a-f]{40}|unknown)\)\n$/)
  t.equal(stderr, '')
})

t.test('help for a command that does not exist says so', async (t) => {
  const { code, stdout, stderr } = await tollgate({}, 'help', 'foo')
  t.equal(code, 2)
  t.equal(stdout, '')
  t.match(stderr, /^tollgate: there is no command foo; /)
  t.match(await tollgate({}, 'help', 'key'), { code: 0, stdout: /tollgate key/ })
  t.match(await tollgate({}, 'help'), { code: 0, stdout: /Usage: tollgate/ })
})

t.test('a pipe whose reader has ended is no error', async (t) => {
  const launcher = fileURLToPath(new URL('../../bin/tollgate.js', import.meta.url))
  const child = spawn(process.execPath, [launcher, '--help'], {
    env: childEnvironment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  t.equal(stderr, '')
  t.equal(code, 0)
})

t.test('a broken rule of the registry is reported in our words, not those of SQL', async (t) => {
  const env = { LOG_LEVEL: 'silent', DATA_DIR: await testDataDir(t) }
  const words = ['--email', 'a@example.com', '--application', 'A', '--api', 'xs2a@1.7.0', '--json']
  const { applicationId } = JSON.parse((await tollgate(env, 'onboard', ...words)).stdout)
  const again = ['--application', applicationId, '--api', 'xs2a@1.7.0']
  const { code, stderr } = await tollgate(env, 'subscription', 'add', ...again)
  t.equal(code, 1)
  t.match(stderr, /^tollgate: the application has an active subscription to xs2a@1\.7\.0\n$/)
})

t.test('what keeps a start from starting is named, without passwords', async (t) => {
  const dataDir = await testDataDir(t)
  const file = join(dataDir, 'a-file')
  writeFileSync(file, '')
  const nobody = { DATABASE_URL: 'postgres://user:hidden@127.0.0.1:1/x' }
  const secrets = { KEY_PEPPER: 'x'.repeat(32), SESSION_SECRET: 's'.repeat(32) }
  const key = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })
  for (const [env, expected] of [
    [{ DATA_DIR: file }, /^tollgate: DATA_DIR .*a-file cannot be used; .* may write: EEXIST/],
    [
      { DATA_DIR: dataDir, IDENTITY_PRIVATE_KEY: 'no key' },
      /^tollgate: IDENTITY_PRIVATE_KEY: must be an Ed25519 private key .*\)\n$/,
    ],
    [
      { DATA_DIR: dataDir, IDENTITY_PRIVATE_KEY: String(key), ...secrets, ...nobody },
      /^tollgate: DATABASE_URL: the database cannot be reached: connect ECONNREFUSED/,
    ],
  ] as const) {
    const { code, stdout, stderr } = await tollgate({ ...anyPort, ...env }, 'start')
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, expected)
    t.notMatch(stderr, /hidden/)
  }
})
