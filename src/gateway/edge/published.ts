import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Router } from '../../catalogue/router.ts'

/** A published catalogue with what the edge derives from it. A call keeps the one it began with. */
export interface Published {
  /** Starts at 1 and increases with every reload. */
  readonly generation: number
  readonly catalogue: Catalogue
  readonly router: Router
}
