// This folder serves HTML: the documents around the page, and pages that need no script. Read this file first: it
// finds the built page for the current sources, or `build-page.ts` builds it in a process of its own. `template.ts`
// fills the documents, `problem-page.ts` and `landing-page.ts` write pages for readers without scripts, and
// `security-headers.ts` says what a browser may load. Which path shows what is in `routes/pages.ts`; nothing here
// knows sessions or stores.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Language } from '../../../messages/language.ts'
import type { Logger } from '../../../platform/log.ts'
import { buildPage, PageBuildError } from './build-page.ts'
import { createTemplate, type Template } from './template.ts'

const documentPlaces = [
  'language',
  'direction',
  'title',
  'description',
  'preloads',
  'icon',
  'accent',
  'styleNonce',
  'scriptNonce',
  'boot',
  'noscript',
] as const
type DocumentPlace = (typeof documentPlaces)[number]

/** The built page, ready to be served. */
export interface PageFiles {
  /** Absolute; its folder `assets` is public. */
  readonly folder: string
  /** Path of the portal's icon. */
  readonly icon: string
  /** Rules of CSS for the faces, for pages without the page's own style. */
  readonly faces: string
  readonly document: Template<DocumentPlace>
  /** Paths of what the page of a language needs at once, besides what its document names. */
  readonly preloads: (language: Language) => readonly string[]
  readonly reference: Template<'title' | 'boot' | 'back' | 'name' | 'document'>
}

/**
 * Builds the page if necessary and reads the parts that every response needs.
 *
 * @throws {PageBuildError}
 */
export async function openPage({ log }: { readonly log: Logger }): Promise<PageFiles> {
  const folder = await buildPage({ log })
  try {
    const [index, reference, manifest] = await Promise.all(
      ['index.html', 'reference.html', 'manifest.json'].map((name) =>
        readFile(join(folder, name), 'utf8'),
      ),
    )
    // Vite's manifest: which file it built from each source.
    const table = JSON.parse(manifest ?? '') as Manifest
    const icon = fileIn(table, 'icon.svg')
    return {
      folder,
      icon,
      faces: facesIn(table),
      // The build has put its own icon there; a brand may have another one.
      document: createTemplate((index ?? '').replace(`"${icon}"`, '"{{icon}}"'), documentPlaces),
      preloads: (language) => [fileIn(table, `../messages/${language}.json`)],
      reference: createTemplate(reference ?? '', ['title', 'boot', 'back', 'name', 'document']),
    }
  } catch (cause) {
    throw new PageBuildError(`what was built in ${folder} is not complete; delete it`, { cause })
  }
}

type Manifest = Readonly<
  Record<string, { readonly file?: string; readonly assets?: readonly string[] } | undefined>
>

function fileIn(manifest: Manifest, source: string): string {
  const file = manifest[source]?.file
  if (file === undefined) throw new Error(`the manifest has no ${source}`)
  return `/${file}`
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
