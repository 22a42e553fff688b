import type { Catalogue } from './catalogue.ts'
import { createExampleCheck } from './check-examples.ts'
import { loadCatalogueWith } from './load-catalogue.ts'

/**
 * Loads the catalogue as `loadCatalogue` does, and also compiles every schema
 * and checks every example. For `tollgate check` and the tests: it takes
 * several times as long as loading, and a serving process does not need it.
 *
 * @throws {CatalogueError} with every problem, if there is any
 */
export async function inspectCatalogue(configDir: string): Promise<Catalogue> {
  return loadCatalogueWith(configDir, (sources, versions) => {
    const checkExamples = createExampleCheck(sources)
    for (const { document } of versions) checkExamples(document)
  })
}
