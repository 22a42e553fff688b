import { createHash } from 'node:crypto'
import { globSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'

/** The published configuration of the repository. */
export const configDir = fileURLToPath(new URL('../../config', import.meta.url))

/** By the contents of their folders. */
const loaded = new Map<string, Promise<Catalogue>>()

let published: Promise<Catalogue> | undefined

/** The catalogue this repository publishes. */
export function publishedCatalogue(): Promise<Catalogue> {
  published ??= sharedCatalogue(configDir)
  return published
}

/** The catalogue of a folder. It is frozen, so all tests of a process share that of folders with the same contents. */
export async function sharedCatalogue(folder: string): Promise<Catalogue> {
  const contents = contentsOf(folder)
  const found = loaded.get(contents) ?? loadCatalogue(folder)
  loaded.set(contents, found)
  // What is wrong with a folder names its files.
  found.catch(() => loaded.delete(contents))
  return found
}

function contentsOf(folder: string): string {
  const hash = createHash('sha256')
  for (const path of globSync('**', { cwd: folder }).sort()) {
    const file = join(folder, path)
    const facts = lstatSync(file)
    if (facts.isSymbolicLink()) throw new Error(`${file} is a link, which may lead elsewhere later`)
    hash.update(JSON.stringify([path, facts.isFile() && readFileSync(file, 'base64')]))
  }
  return hash.digest('hex')
}
