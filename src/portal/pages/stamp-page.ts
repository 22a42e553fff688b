import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../platform/log/error-code.ts'

/** Inputs of the page other than its own folder: paths below the repository. */
const otherSources = [
  'package-lock.json',
  'tsconfig.json',
  'src/portal/pages/page-paths.ts',
  'src/portal/samples',
  'src/portal/api/schemas',
  'src/messages',
]

/**
 * Names the state of the page's sources: equal if all bytes are equal. File
 * times would not work, as a clone renews them all.
 *
 * @param repository absolute path
 * @returns 20 hexadecimal digits
 */
export async function stampPage(repository: string): Promise<string> {
  const hash = createHash('sha256')
  for (const source of ['src/portal-ui', ...otherSources]) {
    for (const path of await filesBelow(repository, source)) {
      const content = await readFile(join(repository, path))
      hash.update(`${path}\0${content.length}\0`).update(content)
    }
  }
  return hash.digest('hex').slice(0, 20)
}

/** Paths below the repository, in order; the path itself when it is a file. */
async function filesBelow(repository: string, path: string): Promise<string[]> {
  try {
    const entries = await readdir(join(repository, path), { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(repository.length))
      .map((name) => name.replace(/^\//, ''))
      .sort()
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return [path]
    throw error
  }
}
