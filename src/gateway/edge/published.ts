import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Router } from '../../catalogue/router.ts'

/** A catalogue in force, with what the edge derives from it. A call keeps the one it began with. */
export interface Published {
  /** Counts up from 1 with every reload. */
  readonly generation: number
  readonly catalogue: Catalogue
  readonly router: Router
}
