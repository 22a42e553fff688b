import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

t.test(
  'the launcher is committed as executable, so that `npm ci` leaves a clean tree',
  { skip: existsSync(join(root, '.git')) ? false : 'not a git repository' },
  async (t) => {
    const args = ['ls-files', '--stage', 'bin/tollgate.js']
    t.match(execFileSync('git', args, { cwd: root, encoding: 'utf8' }), /^100755 /)
  },
)
