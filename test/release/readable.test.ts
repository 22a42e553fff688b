import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { packTarball } from '../../release/pack.ts'
import { makeReadable } from '../../release/readable.ts'

/** The digest of the tarball of a small release that is made under a umask. */
async function digestUnder(t: Test, umask: number): Promise<string> {
  const made = t.testdir()
  const folder = join(made, 'package')
  const before = process.umask(umask)
  try {
    mkdirSync(join(folder, 'bin'), { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "name": "a", "version": "1.0.0" }')
    writeFileSync(join(folder, 'bin', 'a.js'), '', { mode: 0o777 })
  } finally {
    process.umask(before)
  }
  await makeReadable(folder)
  const tarball = await packTarball(folder, made)
  return createHash('sha256').update(readFileSync(tarball)).digest('hex')
}

t.test('the umask does not change the bytes of a release', async (t) => {
  const digests: string[] = []
  for (const umask of [0o022, 0o077, 0o002]) {
    await t.test(`umask ${umask.toString(8)}`, async (t) => {
      digests.push(await digestUnder(t, umask))
    })
  }
  t.equal(new Set(digests).size, 1, digests.join(', '))
})
