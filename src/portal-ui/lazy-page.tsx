import { type ComponentType, lazy } from 'react'

/** A page whose script is loaded when somebody goes there. */
export interface LazyPage {
  readonly Page: ComponentType
  readonly isLoaded: () => boolean
  /** Loads the script; resolves also when that fails, which the page then tells. */
  readonly load: () => Promise<void>
}

/**
 * Makes a page of a script to be loaded. Once loaded it draws at once: React
 * would show its stand-in first, and keep that for 300 ms.
 */
export function lazyPage(load: () => Promise<ComponentType>): LazyPage {
  let Loaded: ComponentType | undefined
  const Pending = lazy(async () => ({ default: Loaded ?? (await load()) }))
  return {
    Page: () => (Loaded === undefined ? <Pending /> : <Loaded />),
    isLoaded: () => Loaded !== undefined,
    load: async () => {
      try {
        Loaded = await load()
      } catch {
        // Drawing the page tries again, and its error has a place to show.
      }
    },
  }
}
