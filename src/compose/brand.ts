import type { Brand } from '../catalogue/brand/brand.ts'
import { loadBrandAlone } from '../catalogue/brand/load-brand-alone.ts'
import { CatalogueError } from '../catalogue/catalogue-error.ts'
import type { Logger } from '../platform/log.ts'

/** The brand of a process that has no catalogue to reload: the bank in a process of its own. */
export interface BrandHolder {
  current(): Brand
  /** Reads it again. @returns whether the files are valid; otherwise the current brand stays */
  reload(): Promise<boolean>
}

export interface BrandHolderOptions {
  readonly configDir: string
  /** The brand at startup. */
  readonly brand: Brand
  readonly log: Logger
}

export function createBrandHolder({ configDir, brand, log }: BrandHolderOptions): BrandHolder {
  let current = brand
  return {
    current: () => current,
    async reload() {
      try {
        current = loadBrandAlone(configDir)
        return true
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error
        log.error({ problems: error.message }, 'the new brand is refused, the current one stays')
        return false
      }
    },
  }
}
