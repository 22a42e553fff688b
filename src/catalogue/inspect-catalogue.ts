import type { Catalogue } from './catalogue.ts'
import { type CatalogueProblem, inOrder } from './catalogue-error.ts'
import { createExampleCheck } from './documents/check-examples.ts'
import { inspectDocument } from './documents/inspect-document.ts'
import { loadCatalogueWith } from './load-catalogue.ts'
import { warnOfMissingTexts } from './missing-texts.ts'

/** A catalogue that can be served, and what is wrong with its documents anyway. */
export interface InspectedCatalogue {
  readonly catalogue: Catalogue
  /** Sorted by file and line. */
  readonly warnings: readonly CatalogueProblem[]
}

/**
 * Loads the catalogue as `loadCatalogue` does, and also compares each document
 * with the specification of OpenAPI, compiles every schema and checks every
 * example, and counts texts without a translation. For `tollgate check` and the tests: it takes several times as long as
 * loading, and a serving process does not need it.
 *
 * @param options.isStrict whether what would be a warning is an error
 * @throws {CatalogueError} with every problem, if there is any
 */
export async function inspectCatalogue(
  configDir: string,
  { isStrict = false }: { readonly isStrict?: boolean } = {},
): Promise<InspectedCatalogue> {
  let warnings: readonly CatalogueProblem[] = []
  const catalogue = await loadCatalogueWith(configDir, (sources, versions, translations) => {
    const checkExamples = createExampleCheck(sources, { isStrict })
    for (const version of versions) inspectDocument(sources, version, { checkExamples, isStrict })
    warnOfMissingTexts(sources, versions, translations)
    warnings = inOrder(sources.warnings())
    return isStrict ? warnings : []
  })
  return { catalogue, warnings }
}
