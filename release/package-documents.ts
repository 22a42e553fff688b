import { existsSync, globSync } from 'node:fs'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface PackageDocumentsOptions {
  /** Absolute. */
  readonly repository: string
  /** Absolute; the folder of the release, with everything else in place. */
  readonly folder: string
}

/**
 * Completes the documents of a release: it copies the pictures that they show,
 * and lets links follow what became of their targets. Sources are JavaScript
 * now, and what a release does not have becomes plain text.
 */
export async function followDocuments({
  repository,
  folder,
}: PackageDocumentsOptions): Promise<void> {
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: folder })
  for (const page of pages) {
    const text = await readFile(join(folder, page), 'utf8')
    for (const [, picture = ''] of text.matchAll(/\bsrc(?:set)?="([^":]+)"/g)) {
      const target = join(folder, dirname(page), picture)
      await mkdir(dirname(target), { recursive: true })
      await copyFile(join(repository, dirname(page), picture), target)
    }
  }
  for (const page of pages) {
    const text = await readFile(join(folder, page), 'utf8')
    await writeFile(join(folder, page), followTargets(text, dirname(join(folder, page))))
  }
}

/** @param from absolute; the folder of the page */
function followTargets(text: string, from: string): string {
  return text.replaceAll(
    // A block of code is matched first, and stays as it is.
    /^```[\s\S]*?^```|\[([^\]]+)\]\(([^)\s:#]+)(#[^)\s]*)?\)/gm,
    (link: string, words: string | undefined, target = '', fragment = '') => {
      if (words === undefined) return link
      if (existsSync(join(from, target))) return link
      const transpiled = target.replace(/\.ts$/, '.js')
      return existsSync(join(from, transpiled)) ? `[${words}](${transpiled}${fragment})` : words
    },
  )
}
