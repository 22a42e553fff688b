import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

t.test(
  'the launchers are committed as executable, so that `npm ci` leaves a clean tree',
  { skip: existsSync(join(root, '.git')) ? false : 'not a git repository' },
  async (t) => {
    const args = ['ls-files', '--stage', 'bin/tollgate.js', 'tollgate']
    const modes = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim().split('\n')
    t.same(
      modes.map((line) => line.slice(0, 6)),
      ['100755', '100755'],
    )
  },
)

t.test('`./tollgate` runs the program, whatever the folder', async (t) => {
  const version = execFileSync(join(root, 'tollgate'), ['--version'], {
    cwd: tmpdir(),
    encoding: 'utf8',
  })
  t.match(version, /^\d+\.\d+\.\d+ \((unknown|[0-9a-f]{40})\)\n$/)
})
