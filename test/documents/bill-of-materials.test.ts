import { readFileSync } from 'node:fs'
import t from 'tap'
import { billOfMaterials } from '../../release/bill-of-materials.ts'
import { lockedPackages, nameOf, referenceOf, shippedPackages } from '../../release/lock-file.ts'

const bill = await billOfMaterials()
const packages = JSON.parse(readFileSync('package.json', 'utf8'))
const components = new Map(bill.components.map((it) => [it['bom-ref'], it]))

const locked = [...lockedPackages('.')]
const shipped = shippedPackages('.')

t.test('the bill lists exactly the packages that a release ships, each once', async (t) => {
  t.same(
    [...components.keys()].sort(),
    [...new Set([...shipped].map(([path, it]) => referenceOf(path, it)))].sort(),
  )
  t.equal(components.size, bill.components.length, 'each once')
})

t.test(
  'a release ships runtime packages and those built into the page, but no build tools',
  async (t) => {
    for (const [path, { dev }] of locked) t.ok(dev === true || shipped.has(path), path)
    const names = new Set([...shipped.keys()].map(nameOf))
    const inPage = ['@mantine/core', '@tanstack/react-query', 'react', 'react-dom', 'wouter', 'uqr']
    for (const name of [...inPage, '@fontsource-variable/jetbrains-mono', 'react-remove-scroll']) {
      t.ok(names.has(name), `${name} is in the page`)
    }
    for (const name of [
      'vite',
      'rolldown',
      'typescript',
      'tap',
      '@biomejs/biome',
      '@types/react',
    ]) {
      t.notOk(names.has(name), `${name} is a tool`)
    }
  },
)

t.test(
  'every dependency in package.json is listed with its exact version, including Node',
  async (t) => {
    for (const [name, version] of Object.entries({
      ...packages.dependencies,
      ...packages.optionalDependencies,
    })) {
      t.ok(components.has(`${name}@${version}`), `${name}@${version}`)
    }
  },
)

t.test('every package has a licence, a purl and the hash from the lock file', async (t) => {
  const hashes = new Map<string, string>()
  for (const [path, entry] of locked) {
    const [, digest = ''] = /^sha512-(.+)$/.exec(entry.integrity ?? '') ?? []
    hashes.set(referenceOf(path, entry), Buffer.from(digest, 'base64').toString('hex'))
  }
  for (const [reference, component] of components) {
    t.ok((component.licenses ?? []).length > 0, `${reference} has a licence`)
    const name = component.name.replace('@', '%40')
    t.equal(component.purl, `pkg:npm/${name}@${component.version}`)
    t.same(component.hashes, [{ alg: 'SHA-512', content: hashes.get(reference) }], reference)
  }
})

t.test(
  'the dependency graph starts at Tollgate and contains only packages in the bill',
  async (t) => {
    t.match(bill, { bomFormat: 'CycloneDX', specVersion: '1.5' })
    t.match(bill.metadata.component, { name: 'tollgate', version: packages.version })
    const listed = new Set([bill.metadata.component['bom-ref'], ...components.keys()])
    t.same(
      bill.dependencies.flatMap(({ ref, dependsOn }) =>
        [ref, ...dependsOn].filter((it) => !listed.has(it)),
      ),
      [],
    )
    const reached = new Set([bill.metadata.component['bom-ref']])
    for (const reference of reached) {
      const found = bill.dependencies.find(({ ref }) => ref === reference)
      for (const next of found?.dependsOn ?? []) reached.add(next)
    }
    t.same(
      [...listed].filter((it) => !reached.has(it)),
      [],
      'every package is reachable from Tollgate',
    )
  },
)
