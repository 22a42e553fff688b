import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The texts of these sources and of all that they import at once, by their paths; without types and what loads on demand. */
export async function importedSources(paths: readonly string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>()

  async function follow(path: string): Promise<void> {
    if (texts.has(path) || !/\.tsx?$/.test(path)) return
    texts.set(path, '')
    const text = await readFile(path, 'utf8')
    texts.set(path, text)
    const imported = text.matchAll(/^(?:import|export) (?!type)[^;'"]*?from '(\.[^']+)'/gm)
    for (const [, to = ''] of imported) await follow(join(dirname(path), to))
  }

  for (const path of paths) await follow(path)
  return texts
}
