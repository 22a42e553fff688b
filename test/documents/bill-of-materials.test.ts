import { readFileSync } from 'node:fs'
import t from 'tap'
import { billOfMaterials, lockedPackages, referenceOf } from './bill-of-materials.ts'

const bill = await billOfMaterials()
const packages = JSON.parse(readFileSync('package.json', 'utf8'))
const components = new Map(bill.components.map((it) => [it['bom-ref'], it]))

t.test('the bill names every production package of the lock file and no other', async (t) => {
  const locked = [...lockedPackages()]
  const shipped = locked.filter(([, { dev }]) => dev !== true)
  t.ok(shipped.length > 250 && shipped.length < locked.length, 'some are for development only')
  t.same(
    [...components.keys()].sort(),
    [...new Set(shipped.map(([path, it]) => referenceOf(path, it)))].sort(),
  )
  t.equal(components.size, bill.components.length, 'each once')
})

t.test(
  'every dependency of package.json is there by its exact version, Node included',
  async (t) => {
    for (const [name, version] of Object.entries({
      ...packages.dependencies,
      ...packages.optionalDependencies,
    })) {
      t.ok(components.has(`${name}@${version}`), `${name}@${version}`)
    }
    for (const name of Object.keys(packages.devDependencies)) {
      t.notOk(
        bill.components.some((it) => it.name === name && !isShipped(name)),
        name,
      )
    }
  },
)

/** A development dependency that a production dependency uses as well. */
function isShipped(name: string): boolean {
  return [...lockedPackages()].some(
    ([path, { dev }]) => path.endsWith(`node_modules/${name}`) && dev !== true,
  )
}

t.test('every package has a licence, a purl and the hash of the lock file', async (t) => {
  const hashes = new Map<string, string>()
  for (const [path, locked] of lockedPackages()) {
    const [, digest = ''] = /^sha512-(.+)$/.exec(locked.integrity ?? '') ?? []
    hashes.set(referenceOf(path, locked), Buffer.from(digest, 'base64').toString('hex'))
  }
  for (const [reference, component] of components) {
    t.ok((component.licenses ?? []).length > 0, `${reference} has a licence`)
    const name = component.name.replace('@', '%40')
    t.equal(component.purl, `pkg:npm/${name}@${component.version}`)
    t.same(component.hashes, [{ alg: 'SHA-512', content: hashes.get(reference) }], reference)
  }
})

t.test('the graph begins at Tollgate and leads only to packages of the bill', async (t) => {
  t.match(bill, { bomFormat: 'CycloneDX', specVersion: '1.5' })
  t.match(bill.metadata.component, { name: 'tollgate', version: packages.version })
  const known = new Set([bill.metadata.component['bom-ref'], ...components.keys()])
  t.same(
    bill.dependencies.flatMap(({ ref, dependsOn }) =>
      [ref, ...dependsOn].filter((it) => !known.has(it)),
    ),
    [],
  )
  const reached = new Set([bill.metadata.component['bom-ref']])
  for (const reference of reached) {
    const found = bill.dependencies.find(({ ref }) => ref === reference)
    for (const next of found?.dependsOn ?? []) reached.add(next)
  }
  t.same(
    [...known].filter((it) => !reached.has(it)),
    [],
    'each is needed by another',
  )
})
