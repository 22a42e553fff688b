import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { checkDeployment } from '../../src/platform/deployment.ts'
import { roles as allRoles, readSettings } from '../../src/platform/settings.ts'

interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
}

interface Composed {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
  readonly volumes: Readonly<Record<string, unknown>>
}

const composed = parse(readFileSync('deploy/compose.yaml', 'utf8'), { merge: true }) as Composed
const ownServices = Object.entries(composed.services).filter(
  ([, { image }]) => image === 'tollgate',
)

/** As Compose fills them in for a person who set the password of the database alone. */
function filledIn(value: string): string {
  return value.replaceAll(/\$\{(\w+):([?-])([^}]*)\}/g, (_, _name, kind, fallback) =>
    kind === '?' ? 'password' : fallback,
  )
}

/** What the image sets. */
const imageEnvironment = Object.fromEntries(
  [...readFileSync('Dockerfile', 'utf8').matchAll(/^(?:ENV)? +([A-Z_]+)=(\S+)/gm)].map(
    ([, name = '', value = '']) => [name, value],
  ),
)

t.test('the settings of every service in compose.yaml suit the roles that it starts', async (t) => {
  const folder = t.testdir()
  for (const name of Object.keys(composed.secrets))
    writeFileSync(join(folder, name), 'a-secret-of-its-own-for-this-test')
  for (const [name, { command = [], environment = {} }] of ownServices) {
    const given = Object.entries(environment).map(([variable, value]) => [
      variable,
      filledIn(value).replace('/run/secrets', folder),
    ])
    const settings = readSettings({ ...imageEnvironment, ...Object.fromEntries(given) })
    const roles = new Set(allRoles.filter((role) => command.includes(role)))
    t.equal(roles.size, name === 'tool' ? 0 : 1, name)
    if (roles.size > 0) t.doesNotThrow(() => checkDeployment(settings, roles), name)
  }
})

t.test(
  'compose.yaml defines every secret and volume that a service uses, and docs/operating.md creates each secret',
  (t) => {
    const page = readFileSync('docs/operating.md', 'utf8')
    for (const [name, { environment = {}, secrets = [], volumes = [] }] of Object.entries(
      composed.services,
    )) {
      const read = Object.values(environment).flatMap(
        (value) => /^\/run\/secrets\/(.+)$/.exec(value)?.[1] ?? [],
      )
      t.same(read.toSorted(), secrets.toSorted(), name)
      for (const volume of volumes) t.ok((volume.split(':')[0] ?? '') in composed.volumes, volume)
    }
    for (const { file } of Object.values(composed.secrets)) {
      t.match(page, `> ${file.replace('./', '')}`)
    }
    t.end()
  },
)
