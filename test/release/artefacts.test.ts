import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { makeArtefacts } from '../../release/artefacts.ts'

t.test('a release that fails leaves no files of its version', async (t) => {
  // Nothing to make a release from.
  const repository = t.testdir({ dist: { release: { '1.0.0': { 'of-an-earlier-run': '' } } } })
  const revision = '0'.repeat(40)
  await t.rejects(
    makeArtefacts({ repository, version: '1.0.0', revision, committedAt: new Date(0) }),
  )
  t.notOk(existsSync(join(repository, 'dist', 'release', '1.0.0')))
})
