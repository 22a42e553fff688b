import { posix } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Json } from './catalogue.ts'
import { isJsonArray, isJsonObject } from './json.ts'
import type { Sources } from './source.ts'

export interface PreloadOptions {
  readonly sources: Sources
  /** Files to begin with, below the folder of the configuration. */
  readonly paths: readonly string[]
}

/**
 * Reads files and all they refer to, one per turn of the event loop: parsing is
 * most of the work of a load, and a gateway that reloads keeps serving
 * between two files. What cannot be found is left for the load to report.
 */
export async function preload({ sources, paths }: PreloadOptions): Promise<void> {
  const queue = [...paths]
  const known = new Set(paths)
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    await turn()
    for (const reference of filesReferredTo(sources.read(path))) {
      const file = posix.join(posix.dirname(path), reference)
      if (known.has(file) || sources.whereIs(file) !== 'inside') continue
      known.add(file)
      queue.push(file)
    }
  }
}

/** The file parts of everything that looks like a reference to a file of YAML or JSON. */
export function filesReferredTo(value: Json | undefined): ReadonlySet<string> {
  const files = new Set<string>()
  const visit = (part: Json | undefined): void => {
    if (isJsonArray(part)) part.forEach(visit)
    else if (isJsonObject(part)) {
      const reference = part['$ref']
      const file =
        typeof reference === 'string'
          ? /^([^#/:][^#:]*\.(?:ya?ml|json))(#|$)/.exec(reference)
          : null
      if (file?.[1] !== undefined) files.add(file[1])
      Object.values(part).forEach(visit)
    }
  }
  visit(value)
  return files
}
