// This folder serves HTML: the documents around the page, and pages that need no script. Read this file first: it
// finds the built page for the current sources, or `build-page.ts` builds it in a process of its own. `template.ts`
// fills the document, `skeleton.ts` what it shows before its script has loaded, `problem-page.ts` and
// `landing-page.ts` write pages for readers without scripts, and `security-headers.ts` says what a browser may load.
// Which path shows what is in `routes/pages.ts`; nothing here knows sessions or stores.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../../platform/log/log.ts'
import { buildPage, PageBuildError } from './build-page.ts'
import { type BuiltFiles, createPageFiles } from './page-files.ts'
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
  'style',
  'skeleton',
  'boot',
  'noscript',
] as const
type DocumentPlace = (typeof documentPlaces)[number]

/** The built page, ready to be served. */
export interface PageFiles extends BuiltFiles {
  /** Absolute; its folder `assets` is public. */
  readonly folder: string
  readonly document: Template<DocumentPlace>
}

/**
 * Builds the page if necessary and reads the parts that every response needs.
 *
 * @throws {PageBuildError}
 */
export async function openPage({ log }: { readonly log: Logger }): Promise<PageFiles> {
  const folder = await buildPage({ log })
  try {
    const [index = '', manifest = '', sources = ''] = await Promise.all(
      ['index.html', 'manifest.json', 'pages.json'].map((name) =>
        readFile(join(folder, name), 'utf8'),
      ),
    )
    const { icon, faces, needed } = createPageFiles(JSON.parse(manifest), JSON.parse(sources))
    return {
      folder,
      icon,
      needed,
      faces,
      // The build has put its own icon there; a brand may have another one.
      document: createTemplate(index.replace(`"${icon}"`, '"{{icon}}"'), documentPlaces),
    }
  } catch (cause) {
    throw new PageBuildError(`what was built in ${folder} is not complete; delete it`, { cause })
  }
}
