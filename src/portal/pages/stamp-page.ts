import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { codeOf } from '../../platform/log/error-code.ts'

/** What the page is built from: files and folders, as paths below the repository. */
export const pageSources = [
  'src/portal-ui',
  'package-lock.json',
  'tsconfig.json',
  'src/catalogue/json.ts',
  'src/platform/http/own-fields.ts',
  'src/platform/http/drills.ts',
  'src/portal/documents/document-nodes.ts',
  'src/portal/documents/markup-blocks.ts',
  'src/portal/documents/own-security.ts',
  'src/portal/pages/page-paths.ts',
  'src/portal/samples',
  'src/portal/api/schemas',
  'src/messages',
]

/**
 * Digests the page's sources, so that a page built from the same bytes is
 * found again. File times would not do: a clone renews them all.
 *
 * @param repository absolute path
 * @returns 20 hexadecimal digits
 */
export async function stampPage(repository: string): Promise<string> {
  const hash = createHash('sha256')
  for (const source of pageSources) {
    for (const path of await filesBelow(repository, source)) {
      const content = await readFile(join(repository, path))
      hash.update(`${path}\0${content.length}\0`).update(content)
    }
  }
  return hash.digest('hex').slice(0, 20)
}

/** The files of a folder as sorted paths below the repository; of a file, its own path. */
async function filesBelow(repository: string, path: string): Promise<string[]> {
  try {
    const entries = await readdir(join(repository, path), { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(repository, join(entry.parentPath, entry.name)))
      .sort()
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return [path]
    throw error
  }
}
