import { CatalogueError } from '../catalogue-error.ts'
import { createSources } from '../source.ts'
import type { Brand } from './brand.ts'
import { loadBrand } from './load-brand.ts'

/**
 * Loads the brand without the rest of the configuration.
 *
 * @throws {CatalogueError} with every problem of the brand, if there is any
 */
export function loadBrandAlone(configDir: string): Brand {
  const sources = createSources({ configDir })
  const brand = loadBrand({ sources, configDir })
  if (sources.problems.length > 0) throw new CatalogueError(sources.problems)
  return brand
}
