import { fileURLToPath } from 'node:url'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'

/** The published configuration of the repository. */
export const configDir = fileURLToPath(new URL('../../config', import.meta.url))

let loaded: Promise<Catalogue> | undefined

/** The catalogue this repository publishes. It is frozen, so all tests of a process share it. */
export function publishedCatalogue(): Promise<Catalogue> {
  loaded ??= loadCatalogue(configDir)
  return loaded
}
