import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** An entry of package-lock.json. */
export interface Locked {
  readonly version: string
  readonly integrity?: string
  /** SPDX expression, as its manifest says. */
  readonly license?: string
  /** Only development needs it. */
  readonly dev?: boolean
  /** It is there only because another package wants it beside itself. */
  readonly peer?: boolean
  /** It is not installed everywhere. */
  readonly optional?: boolean
  /** Only these systems have it, such as "linux". */
  readonly os?: string | readonly string[]
  /** Only these processors have it, such as "arm64". */
  readonly cpu?: string | readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** The packages of package-lock.json by path; the root itself is left out. */
export function lockedPackages(repository: string): Map<string, Locked> {
  const text = readFileSync(join(repository, 'package-lock.json'), 'utf8')
  // Parse boundary: npm's own file.
  const lock = JSON.parse(text) as { packages: Record<string, Locked> }
  return new Map(Object.entries(lock.packages).filter(([path]) => path !== ''))
}

/** "node_modules/a/node_modules/@b/c" at 1.2.3 is "@b/c@1.2.3", which is also its `bom-ref`. */
export function referenceOf(path: string, { version }: Locked): string {
  return `${nameOf(path)}@${version}`
}

/** "node_modules/a/node_modules/@b/c" is "@b/c". */
export function nameOf(path: string): string {
  return path.split('node_modules/').at(-1) ?? path
}

/**
 * The packages whose code a release contains: those that run, and those that the
 * portal's page was built from. For npm the latter are for development only, as
 * they are not installed with a release.
 */
export function shippedPackages(repository: string): Map<string, Locked> {
  const all = lockedPackages(repository)
  const page = pagePackages(repository, all)
  return new Map([...all].filter(([path, { dev }]) => dev !== true || page.has(path)))
}

/** Paths of the packages in the portal's page: what its sources import, and what that imports. */
function pagePackages(repository: string, all: ReadonlyMap<string, Locked>): ReadonlySet<string> {
  const found = new Set<string>()
  for (const name of pageImports(join(repository, 'src', 'portal-ui'))) {
    found.add(`node_modules/${name}`)
  }
  // Grows while it is read.
  for (const path of found) {
    const { dependencies, peerDependencies, peerDependenciesMeta } = all.get(path) ?? {}
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
      // Types, which leave no code in the page.
      if (peerDependenciesMeta?.[name]?.optional === true) continue
      const nearest = resolvePackage(name, path, all)
      if (nearest !== undefined) found.add(nearest)
    }
  }
  return found
}

/**
 * As Node does: the nearest folder node_modules that has it. Undefined for one that is not installed, as an optional peer.
 */
function resolvePackage(
  name: string,
  from: string,
  all: ReadonlyMap<string, Locked>,
): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    const path = `${folder}/node_modules/${name}`
    if (all.has(path)) return path
    if (!folder.includes('/node_modules/')) break
  }
  const path = `node_modules/${name}`
  return all.has(path) ? path : undefined
}

/** Names of packages that files of the page import; what builds it is left out. */
function pageImports(folder: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const file of globSync('**/*.{ts,tsx,css}', { cwd: folder })) {
    if (file.startsWith('build/') || file === 'vite.config.ts') continue
    const text = readFileSync(join(folder, file), 'utf8')
    for (const [, name = ''] of text.matchAll(
      /(?:from '|import '|import\('|url\(")((?:@[\w-]+\/)?[\w-]+)(?=['"/])/g,
    )) {
      names.add(name)
    }
  }
  return names
}
