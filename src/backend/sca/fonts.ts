import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The faces of the pages by the name in their address. A browser fetches one only for a character of its range. */
const files = new Map(
  Object.entries({
    'inter-5.3.0.woff2': '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
    'heebo-5.3.0.woff2': '@fontsource-variable/heebo/files/heebo-hebrew-wght-normal.woff2',
  }),
)

const read = new Map<string, Promise<Buffer>>()

/** The file of a face, read once; undefined for an unknown name. */
export function fontFile(name: string): Promise<Buffer> | undefined {
  const file = files.get(name)
  if (file === undefined) return undefined
  const known = read.get(name) ?? readFile(fileURLToPath(import.meta.resolve(file)))
  read.set(name, known)
  return known
}
