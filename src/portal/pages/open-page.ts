// This folder serves HTML: the documents around the page, and pages that need no script. Read this file first: it
// finds the built page for the current sources, or `build-page.ts` builds it in its own process. `document.ts`
// writes the document, `skeleton.ts` what it shows before its script has loaded, `problem-page.ts` and
// `landing-page.ts` write pages for readers without scripts, and `security-headers.ts` says what a browser may load.
// Which path shows what is in `routes/pages.ts`; nothing here knows sessions or stores.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../../platform/log/log.ts'
import { buildPage, PageBuildError } from './build-page.ts'
import { type BuiltFiles, createPageFiles } from './page-files.ts'

/** The built page, ready to be served. */
export interface PageFiles extends BuiltFiles {
  /** Absolute; its folder `assets` is public. */
  readonly folder: string
}

/**
 * Builds the page if necessary and finds the files that documents name.
 *
 * @throws {PageBuildError}
 */
export async function openPage({ log }: { readonly log: Logger }): Promise<PageFiles> {
  const folder = await buildPage({ log })
  try {
    const manifest = await readFile(join(folder, 'manifest.json'), 'utf8')
    return { folder, ...createPageFiles(JSON.parse(manifest)) }
  } catch (cause) {
    throw new PageBuildError(`what was built in ${folder} is not complete; delete it`, { cause })
  }
}
