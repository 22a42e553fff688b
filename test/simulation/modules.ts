import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/** A change to a file of the counters, under `src/gateway/counters`. */
export interface Patch {
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly from: string
  readonly to: string
}

type Counters = typeof import('../../src/gateway/counters/redis/redis-counter.ts')

/** The modules of the counters, for a simulation. */
export type CounterModules = Pick<Counters, 'createRedisCounter'>

const folder = new URL('../../src/gateway/counters/', import.meta.url).href
/** The other file with timers that the counters use. */
const deadline = new URL('../../src/platform/deadline.ts', import.meta.url).href
const runtime = new URL('runtime.ts', import.meta.url).href
const client = new URL('client.ts', import.meta.url).href

/**
 * Slots of the simulated cluster. With the 16,384 of a real one, a process takes a hundred times as long to read its map.
 */
export const slots = 16

/** Makes a cluster small; nothing else of the counters is changed. */
const fewerSlots: Patch = {
  file: 'redis/cluster/hash-slot.ts',
  from: 'export const slots = 16_384',
  to: `export const slots = ${slots}`,
}

/** The patches of each set of modules that was loaded. */
const loaded: (readonly Patch[])[] = []

/** What the modules find instead of Node's. */
const globals = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'performance',
  'Date',
]

/** `…/window.ts?simulated=0` → 0 */
function indexOf(url: string | undefined): number | undefined {
  const index = /\?simulated=(\d+)$/.exec(url ?? '')?.[1]
  return index === undefined ? undefined : Number(index)
}

registerHooks({
  resolve(specifier, context, next) {
    const index = indexOf(context.parentURL)
    if (index === undefined) return next(specifier, context)
    const replaced = moduleFor(specifier, index)
    if (replaced !== undefined) return { url: replaced, format: 'module', shortCircuit: true }
    const resolved = next(specifier, context)
    const isSimulated = resolved.url.startsWith(folder) || resolved.url === deadline
    const url = isSimulated
      ? `${resolved.url}?simulated=${index}`
      : specifier.endsWith('/open-redis.ts')
        ? client
        : resolved.url
    return { ...resolved, url }
  },
  load(url, context, next) {
    if (url.startsWith(scheme)) {
      return {
        format: 'module',
        source: decodeURIComponent(url.slice(scheme.length)),
        shortCircuit: true,
      }
    }
    const index = indexOf(url)
    if (index === undefined) return next(url, context)
    const file = fileURLToPath(url)
    // On the first line, so that the lines of the file keep their numbers.
    const head = `import { ${globals.join(', ')} } from ${JSON.stringify(runtime)}; `
    return { format: 'module-typescript', source: head + patched(file, index), shortCircuit: true }
  },
})

const scheme = 'simulated:'

/** The source of what stands for a module of Node. */
function moduleFor(specifier: string, index: number): string | undefined {
  const from = JSON.stringify(runtime)
  const sources: Readonly<Record<string, string>> = {
    'node:timers/promises': `export { delay as setTimeout } from ${from}`,
    'node:crypto': `export { refuse as randomInt } from ${from}; export { createHash } from 'node:crypto'`,
    'node:fs': `import { readPatched } from ${JSON.stringify(import.meta.url)}
      export const readFileSync = (url) => readPatched(url, ${index})`,
  }
  const source = sources[specifier]
  return source === undefined ? undefined : scheme + encodeURIComponent(source)
}

/** For the Lua files. */
export function readPatched(url: URL, index: number): string {
  return patched(fileURLToPath(url), index)
}

function patched(file: string, index: number): string {
  let source = readFileSync(file, 'utf8')
  for (const patch of loaded[index] ?? []) {
    if (!file.endsWith(`/counters/${patch.file}`)) continue
    const parts = source.split(patch.from)
    if (parts.length !== 2) {
      throw new Error(
        `"${patch.from}" occurs ${parts.length - 1} times in ${patch.file}; update the patch`,
      )
    }
    source = parts.join(patch.to)
  }
  return source
}

/** Loads the counters with simulated timers, clocks, randomness and connections. */
export async function loadCounters(patches: readonly Patch[] = []): Promise<CounterModules> {
  const index = loaded.push([fewerSlots, ...patches]) - 1
  const modules: Counters = await import(`${folder}redis/redis-counter.ts?simulated=${index}`)
  return modules
}
