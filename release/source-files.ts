import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { git } from './git.ts'

/**
 * The files that a release may take, of files and folders of a repository: no
 * file that git ignores, such as a secret or a measurement. In the build of an
 * image, git is missing: all files are taken, because .dockerignore has excluded
 * such files.
 *
 * @param repository absolute
 * @returns paths below `repository`
 */
export function sourceFiles(repository: string, names: readonly string[]): readonly string[] {
  if (!existsSync(join(repository, '.git'))) return filesOf(repository, names)
  const listed = git(
    repository,
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
    '--',
    ...names,
  )
  // A tracked file may have been deleted.
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(repository, path)))
}

function filesOf(repository: string, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const path = join(repository, name)
    if (statSync(path).isFile()) return [name]
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(repository, join(entry.parentPath, entry.name)))
  })
}
