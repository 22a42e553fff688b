// This folder writes HTML: the document around the page, and pages that need no script. Read this file first: it finds
// the built page for the current sources; without one, `build-page.ts` builds it in a process of its own.
// `document.ts` writes the document, `skeleton.ts` what it shows until its script has loaded. `page.ts` frames the pages
// that need no script (`problem-page.ts`), and the files `*-outline.ts` and `*-html.ts` write content for readers without
// scripts. `security-headers.ts` says what a browser may load. `routes/pages.ts` decides which path shows what; nothing
// here knows sessions or stores.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../../platform/log/log.ts'
import { buildPage, PageBuildError } from './build-page.ts'
import { type BuiltFiles, createPageFiles } from './page-files.ts'

/** The built page, and which of its files a document needs. */
export interface PageFiles extends BuiltFiles {
  /** Absolute path. Anyone may read what is in its folder `assets`. */
  readonly folder: string
}

/**
 * Opens the built page; builds it first if necessary.
 *
 * @throws {PageBuildError}
 */
export async function openPage({ log }: { readonly log: Logger }): Promise<PageFiles> {
  const folder = await buildPage({ log })
  try {
    const manifest = await readFile(join(folder, 'manifest.json'), 'utf8')
    // Written by Vite, so of the type `Manifest`.
    return { folder, ...createPageFiles(JSON.parse(manifest)) }
  } catch (cause) {
    throw new PageBuildError(
      `the build in ${folder} is incomplete; delete that folder and start again`,
      { cause },
    )
  }
}
