import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createAuthority, qwacExtensions } from '../support/authority.ts'
import { tollgate } from '../support/cli.ts'
import { testDatabase } from '../support/database.ts'
import { testStores } from '../support/registry.ts'

const { database, url } = await testDatabase(t)
await testStores(database)
const env = { DATABASE_URL: url, KEY_PEPPER: 'a-pepper-for-tests-and-nothing-else' }
const authority = createAuthority(t)

/** Runs a command with --json that must succeed, and reads its result. */
async function json(...args: string[]) {
  const outcome = await tollgate(env, ...args, '--json')
  if (outcome.code !== 0) throw new Error(`${args.join(' ')}: ${outcome.stderr}`)
  return JSON.parse(outcome.stdout)
}

t.test('certificates are added, shown, blocked and removed', async (t) => {
  const application = ['--application', 'Budget']
  await json('onboard', '--email', 'ada@example.com', ...application, '--api', 'xs2a@1.7.0')
  const { pem, thumbprint, certificate } = authority.issue({ extensions: qwacExtensions('PI') })
  const file = join(t.testdir(), 'qwac.pem')
  const der = join(t.testdirName, 'qwac.der')
  writeFileSync(file, `${pem}\n`)
  writeFileSync(der, certificate.x509.raw)

  const use = ['--use', 'tls', '--name', 'winter']
  const added = await json('certificate', 'add', file, ...application, ...use)
  t.match(added, { use: 'tls', name: 'winter', state: 'active', thumbprint, roles: ['PSP_PI'] })
  const twice = await tollgate(env, 'certificate', 'add', der, ...application, ...use)
  t.equal(twice.code, 1)
  t.match(twice.stderr, /has this certificate already/)

  const listed = await tollgate(env, 'certificate', 'list', ...application)
  t.match(listed.stdout, /winter.*active.*PSP_PI.*PSDPL-PFSA-1234567890/)
  const shown = await tollgate(env, 'certificate', 'show', added.id.slice(0, 8))
  t.match(shown.stdout, new RegExp(thumbprint))

  for (const reference of [added.id.slice(0, 8), file, der, thumbprint]) {
    t.same(await json('certificate', 'block', reference, '--reason', 'Stolen'), {
      thumbprint,
      blocked: true,
    })
    t.equal((await json('certificate', 'show', added.id)).state, 'blocked')
    t.match(await json('certificate', 'blocked'), { items: [{ thumbprint, reason: 'Stolen' }] })
    t.same(await json('certificate', 'unblock', reference), { thumbprint, blocked: false })
  }
  t.same(await json('certificate', 'blocked'), { items: [] })

  const likeAnOption = `-${thumbprint.slice(0, -1)}`
  const unknown = await tollgate(env, 'certificate', 'block', likeAnOption, '--reason', 'Stolen')
  t.match(unknown.stderr, /thumbprint must be that of/, 'it is taken for a thumbprint')
  t.same(await json('certificate', 'remove', added.id), { id: added.id })
  t.same(await json('certificate', 'list', ...application), { items: [] })
})

t.test('what cannot be read is named', async (t) => {
  const missing = await tollgate(env, 'certificate', 'block', './nowhere.pem', '--reason', 'x')
  t.match(missing, { code: 1, stderr: /cannot read \.\/nowhere\.pem: ENOENT/ })
  const file = join(t.testdir({ 'x.pem': 'no certificate' }), 'x.pem')
  const wrong = await tollgate(env, 'certificate', 'block', file, '--reason', 'x')
  t.match(wrong, { code: 1, stderr: /x\.pem is not a certificate that OpenSSL can read/ })
  const unknown = await tollgate(env, 'certificate', 'show', 'ffffffff')
  t.match(unknown, { code: 1, stderr: /no certificate "ffffffff"/ })
})
