import { type FunctionComponent, lazy, useState } from 'react'

/** The script of a page did not load: no connection, or the portal serves a newer page. */
export class PageLoadFailure extends Error {}

/** What makes each page whose script did not load ask for it again. */
const failures = new Set<() => void>()

/** Lets the next attempt to show a page ask for its script again; React itself keeps a failure forever. */
export function forgetFailures(): void {
  for (const forget of failures) forget()
  failures.clear()
}

/** A page whose script loads on the first visit. */
export interface LazyPage {
  readonly Page: FunctionComponent
  readonly isLoaded: () => boolean
  /** Loads the script; also resolves when that fails; then the page shows the error. */
  readonly load: () => Promise<void>
}

/**
 * Makes a page whose script loads on demand. A loaded page renders at once;
 * React's `lazy` alone would show the fallback for 300 ms first.
 *
 * @param name under which the script exports the page
 */
export function lazyPage<Name extends string>(
  importPage: () => Promise<Readonly<Record<Name, FunctionComponent>>>,
  name: Name,
): LazyPage {
  const load = async (): Promise<FunctionComponent> => {
    try {
      return (await importPage())[name]
    } catch (cause) {
      failures.add(() => {
        Pending = pending()
      })
      throw new PageLoadFailure('the script of the page did not load', { cause })
    }
  }
  let Loaded: FunctionComponent | undefined
  const pending = () => lazy(async () => ({ default: Loaded ?? (await load()) }))
  let Pending = pending()
  return {
    Page: () => {
      // The same one for as long as it is mounted, or what was typed into it would be lost.
      const [Shown] = useState(() => Loaded ?? Pending)
      return <Shown />
    },
    isLoaded: () => Loaded !== undefined,
    load: async () => {
      try {
        Loaded = await load()
      } catch {
        // Rendering the page tries again, and the error boundary shows its error.
      }
    },
  }
}
