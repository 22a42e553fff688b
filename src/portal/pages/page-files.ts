import type { Language } from '../../messages/language.ts'

/** Vite's manifest: which files it built from each source. */
export type Manifest = Readonly<Record<string, ManifestEntry | undefined>>

interface ManifestEntry {
  readonly file: string
  /** Name of a script: its source, or its group in `vite.config.ts`. */
  readonly name?: string
  /** Styles of the script. */
  readonly css?: readonly string[]
  /** Other entries that it loads at once. */
  readonly imports?: readonly string[]
}

/** Files of the built page. */
export interface BuiltFiles {
  /** Path of the portal's icon. */
  readonly icon: string
  /** Rules of CSS for the faces, for pages without the page's own style. */
  readonly faces: string
  /** What the page of a language at a path of `pagePaths` loads before it shows. */
  readonly needed: (language: Language, path: string | undefined) => NeededFiles
}

/** Paths of files that a document links to. */
export interface NeededFiles {
  /** The script that runs. */
  readonly main: string
  /** Those that it imports. */
  readonly scripts: readonly string[]
  readonly styles: readonly string[]
}

/** Finds files of the built page. */
export function createPageFiles(manifest: Manifest): BuiltFiles {
  const { file: main } = entryOf(manifest, 'index.html')
  return {
    icon: `/${entryOf(manifest, 'icon.svg').file}`,
    faces: facesIn(manifest),
    needed: (language, path) => {
      const area = path === undefined ? [] : areaOf(manifest, path)
      const files = [...closure(manifest, ['index.html', `../messages/${language}.json`, ...area])]
      const paths = files.filter((file) => file !== main).map((file) => `/${file}`)
      return {
        main: `/${main}`,
        scripts: paths.filter((path) => path.endsWith('.js')),
        styles: paths.filter((path) => path.endsWith('.css')),
      }
    },
  }
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

/** Folders of `src/portal-ui/pages` whose pages are at paths that begin otherwise. */
const areas: Readonly<Record<string, string>> = {
  '': 'index',
  apis: 'public',
  sandbox: 'public',
  r: 'applications',
}

/** The entry of the script with the page of a path. */
function areaOf(manifest: Manifest, path: string): string[] {
  const [, first = ''] = path.split('/')
  const entryNamed = (name: string) =>
    Object.keys(manifest).filter((source) => manifest[source]?.name === name)
  const found = entryNamed(areas[first] ?? first)
  return found.length > 0 ? found : entryNamed('account')
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
  const files = Object.values(manifest).map((entry) => entry?.file)
  return faces
    .map(([family, start, range]) => {
      const file = files.find((name) => name?.startsWith(`assets/${start}`))
      if (file === undefined) throw new Error(`the manifest has no ${start}`)
      return `@font-face{font-family:'${family}';font-weight:100 900;font-display:swap;src:url(/${file}) format('woff2');unicode-range:${range}}`
    })
    .join('')
}
