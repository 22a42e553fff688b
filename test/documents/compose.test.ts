import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkDeployment } from '../../src/platform/settings/deployment.ts'
import { roles as allRoles, readSettings } from '../../src/platform/settings/settings.ts'
import { composed, composedEnvironment, secretCommands } from '../support/composed.ts'

const ownServices = Object.entries(composed.services).filter(
  ([, { image }]) => image === 'tollgate',
)

const smtpUrl = 'smtps://user:password@mail.bank.example:465'

/** What the secrets that are URLs contain. */
function contentOf(secret: string): string {
  if (secret.startsWith('database-url')) return 'postgres://tollgate:password@postgres/tollgate'
  if (secret === 'smtp-url') return smtpUrl
  if (secret === 'redis-url') return 'redis://:password@redis:6379/0'
  return 'a-secret-of-its-own-for-this-test'
}

/** What the image sets. */
const imageEnvironment = Object.fromEntries(
  [...readFileSync('Dockerfile', 'utf8').matchAll(/^(?:ENV)? +(?!PATH=)([A-Z_]+)=(\S+)/gm)].map(
    ([, name = '', value = '']) => [name, value],
  ),
)

t.test('the settings of every service in compose.yaml suit the roles that it starts', async (t) => {
  const folder = t.testdir()
  for (const name of Object.keys(composed.secrets)) {
    writeFileSync(join(folder, name), contentOf(name))
  }
  for (const [name, { command = [] }] of ownServices) {
    const settings = readSettings({ ...imageEnvironment, ...composedEnvironment(name, folder) })
    const roles = new Set(allRoles.filter((role) => command.includes(role)))
    t.equal(roles.size, ['tool', 'migrate'].includes(name) ? 0 : 1, name)
    if (roles.size > 0) t.doesNotThrow(() => checkDeployment(settings, roles), name)
    t.equal(settings.smtpUrl, undefined, name)
    const set = { MAIL_FROM: 'developers@bank.example' }
    const sending = readSettings({ ...imageEnvironment, ...composedEnvironment(name, folder, set) })
    t.equal(sending.smtpUrl, name === 'portal' ? smtpUrl : undefined, name)
  }
})

t.test(
  'compose.yaml defines every secret and volume that a service uses, and docs/production.md creates each secret',
  (t) => {
    for (const [
      name,
      { command = [], environment = {}, secrets = [], volumes = [] },
    ] of Object.entries(composed.services)) {
      const read = [...Object.values(environment), ...command].flatMap(
        (value) => /^(?:\$\{\w+:\+)?\/run\/secrets\/([\w-]+)\}?$/.exec(value)?.[1] ?? [],
      )
      t.same(read.toSorted(), secrets.toSorted(), name)
      for (const volume of volumes.filter((volume) => !volume.startsWith('./'))) {
        t.ok((volume.split(':')[0] ?? '') in composed.volumes, volume)
      }
    }
    const header = readFileSync('deploy/compose.yaml', 'utf8')
    const commands = secretCommands()
    for (const command of commands) t.ok(header.includes(`#   ${command}`), command)
    const cwd = t.testdir()
    execFileSync('/bin/sh', ['-ec', commands.join('\n')], { cwd, stdio: 'pipe' })
    for (const { file } of Object.values(composed.secrets)) t.ok(existsSync(join(cwd, file)), file)
    t.end()
  },
)

t.test('no password is in the environment or the command line of a service', async (t) => {
  for (const [name, { command = [], environment = {} }] of Object.entries(composed.services)) {
    for (const text of [...Object.values(environment), ...command]) {
      t.notMatch(text, /PASSWORD|:\/\/[^/]*:[^/]*@|requirepass/, name)
    }
  }
  t.match(composed.services['redis']?.command?.join(' '), '/run/secrets/redis-conf')
  t.match(readFileSync('docs/production.md', 'utf8'), /echo "requirepass .*> secrets\/redis-conf/)
})
