// This folder publishes the guides of `src/guides`: Markdown, the same set in each language. `guide-sources.ts` reads
// the files, `expand-guide.ts` fills in what the catalogue and the error table know, `render-markdown.ts` makes HTML, and
// `guides.ts` puts them together for the routes.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Language } from '../../messages/language.ts'

/** Every guide, in the order to read them, with the API that it is about, or one version; undefined: neither. */
const guideTopics = [
  ['first-call', 'xs2a'],
  ['consent', 'xs2a'],
  ['payments', 'xs2a'],
  ['mandates', 'mandate'],
  ['limits', 'xs2a'],
  ['signing', 'xs2a'],
  ['certificates', 'xs2a'],
  ['errors', undefined],
  ['moving-to-1.7.0', 'xs2a@1.7.0'],
] as const

/** Name of a guide: of its files, and in its address. */
export type GuideName = (typeof guideTopics)[number][0]

/** One guide as it was written. */
export interface GuideSource {
  readonly name: GuideName
  /**
   * An API, or one version as `<api>@<version>`, whose operations it shows; a
   * catalogue without it has no use for the guide.
   */
  readonly topic: string | undefined
  /** Markdown by language. */
  readonly texts: Readonly<Record<Language, string>>
}

const folder = fileURLToPath(new URL('../../guides', import.meta.url))

/** Reads every guide in every language. */
export function readGuideSources(): readonly GuideSource[] {
  return guideTopics.map(([name, topic]) => {
    const read = (language: Language) => readFileSync(join(folder, language, `${name}.md`), 'utf8')
    return { name, topic, texts: { en: read('en'), he: read('he') } }
  })
}
