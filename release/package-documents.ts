import { existsSync, globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Lets the links of a release's documents follow what became of their targets.
 * Sources are JavaScript now, and what a release does not have becomes plain text.
 *
 * @param folder absolute; the folder of the release, with everything else in place
 */
export async function followDocuments(folder: string): Promise<void> {
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: folder })
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
