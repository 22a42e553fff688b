import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { sourceFiles } from '../../release/source-files.ts'

const tree = {
  '.gitignore': 'secrets/\n*.cpuprofile\n.env\n',
  LICENSE: '',
  config: { '.hidden': '', 'plan.yaml': '', 'k.cpuprofile': '' },
  deploy: { '.env': '', secrets: { 'key-pepper': '' } },
  src: { gateway: { 'öl.ts': '', 'gone.ts': '', secrets: { pepper: '' } } },
  test: { 'a.test.ts': '' },
}
const names = ['LICENSE', 'config', 'deploy', 'src']

t.test(
  'a release takes what git knows and what is new, and nothing that git ignores',
  async (t) => {
    const repository = t.testdir(tree)
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: repository })
    git('init', '--quiet')
    git('add', 'src')
    rmSync(join(repository, 'src', 'gateway', 'gone.ts'))
    t.same(sourceFiles(repository, names).toSorted(), [
      'LICENSE',
      'config/.hidden',
      'config/plan.yaml',
      'src/gateway/öl.ts',
    ])
  },
)

t.test('where there is no repository, the files of the folders are the list', async (t) => {
  // Below our own repository, as a folder in the build of an image is below none.
  t.same(sourceFiles(t.testdir(tree), names).toSorted(), [
    'LICENSE',
    'config/.hidden',
    'config/k.cpuprofile',
    'config/plan.yaml',
    'deploy/.env',
    'deploy/secrets/key-pepper',
    'src/gateway/gone.ts',
    'src/gateway/secrets/pepper',
    'src/gateway/öl.ts',
  ])
})
