import type { Language } from '../../messages/language.ts'
import { pagePaths } from './page-paths.ts'

/** Vite's manifest: which files it built from each source. */
export type Manifest = Readonly<Record<string, ManifestEntry | undefined>>

interface ManifestEntry {
  readonly file: string
  /** Styles of the script. */
  readonly css?: readonly string[]
  /** Pictures and faces. */
  readonly assets?: readonly string[]
  /** Whether it loads on demand. */
  readonly isDynamicEntry?: boolean
  /** Other entries that it loads at once. */
  readonly imports?: readonly string[]
}

/** The source of the page of each path, by the name of the path. */
export type PageSources = Readonly<Partial<Record<string, string>>>

/** Files of the built page. */
export interface BuiltFiles {
  /** Path of the portal's icon. */
  readonly icon: string
  /** Rules of CSS for the faces, for pages without the page's own style. */
  readonly faces: string
  /** What the page of a language at a path of `pagePaths` needs at once, besides what its document names. */
  readonly needed: (language: Language, path: string | undefined) => NeededFiles
}

/** Paths of files that a document links to. */
export interface NeededFiles {
  readonly scripts: readonly string[]
  readonly styles: readonly string[]
}

/** Finds files of the built page. */
export function createPageFiles(manifest: Manifest, sources: PageSources): BuiltFiles {
  const atOnce = closure(manifest, ['index.html'])
  return {
    icon: `/${entryOf(manifest, 'icon.svg').file}`,
    faces: facesIn(manifest),
    needed: (language, path) => {
      const page = path === undefined ? undefined : sourceAt(path, sources)
      const own = closure(manifest, [
        `../messages/${language}.json?first`,
        ...(page === undefined ? [] : [page, ...wordsOf(manifest, language, page)]),
      ])
      const rest = [...own].filter((file) => !atOnce.has(file)).map((file) => `/${file}`)
      return {
        scripts: rest.filter((file) => file.endsWith('.js')),
        styles: rest.filter((file) => file.endsWith('.css')),
      }
    },
  }
}

/** The messages that a source needs besides the first, if any; `build/page-messages.ts` divides them. */
export function wordsOf(manifest: Manifest, language: Language, source: string): string[] {
  const part = `../messages/${language}.json?for=${source.replace(/\.tsx?$/, '')}`
  return manifest[part] === undefined ? [] : [part]
}

/** All files that these sources load at once. */
export function closure(manifest: Manifest, from: readonly string[]): ReadonlySet<string> {
  const files = new Set<string>()
  const add = (source: string): void => {
    const { file, css = [], imports = [] } = entryOf(manifest, source)
    if (files.has(file)) return
    for (const each of [file, ...css]) files.add(each)
    for (const imported of imports) add(imported)
  }
  for (const source of from) add(source)
  return files
}

/** A page with tabs has one source and a path for each tab below its own. */
function sourceAt(path: string, sources: PageSources): string | undefined {
  const names = Object.entries(pagePaths)
    .filter(([, known]) => path === known || (known !== '/' && path.startsWith(`${known}/`)))
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([name]) => name)
  return names.map((name) => sources[name]).find((source) => source !== undefined)
}

function entryOf(manifest: Manifest, source: string): ManifestEntry {
  const entry = manifest[source]
  if (entry === undefined) throw new Error(`the manifest has no ${source}`)
  return entry
}

/** Where a face is used, and the beginning of its file's name. */
const faces = [
  ['Inter', 'inter-latin-wght', 'U+0000-00FF,U+2000-206F'],
  ['Heebo', 'heebo-hebrew-wght', 'U+0590-05FF,U+200C-2010,U+20AA,U+25CC,U+FB1D-FB4F'],
  ['JetBrains Mono', 'jetbrains-mono-latin-wght', 'U+0000-00FF,U+2000-206F'],
] as const

function facesIn(manifest: Manifest): string {
  const files = manifest['index.html']?.assets ?? []
  return faces
    .map(([family, start, range]) => {
      const file = files.find((name) => name.startsWith(`assets/${start}`))
      if (file === undefined) throw new Error(`the manifest has no ${start}`)
      return `@font-face{font-family:'${family}';font-weight:100 900;font-display:swap;src:url(/${file}) format('woff2');unicode-range:${range}}`
    })
    .join('')
}
