import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeArtefacts } from './artefacts.ts'
import { currentCommit, git } from './git.ts'

// A program: `npm run package` makes the files of a release from the commit that is checked out. With a release's tag
// checked out they are that release's, to the byte.

const repository = fileURLToPath(new URL('..', import.meta.url))
const changes = git(repository, 'status', '--porcelain')
if (changes !== '') {
  process.stderr.write(`package: the tree differs from its commit:\n${changes}\n`)
  process.exit(1)
}
// Parse boundary: our own package.json.
const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  version: string
}
const folder = await makeArtefacts({ repository, version, ...currentCommit(repository) })
process.stdout.write(`${relative(process.cwd(), folder)}\n`)
