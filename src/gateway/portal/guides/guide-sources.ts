// This folder publishes the guides of `src/guides`: Markdown, the same set in each language. `guide-sources.ts` reads
// the files, `expand-guide.ts` fills in what the catalogue and the error table know, `render-markdown.ts` makes HTML, and
// `guides.ts` puts them together for the routes.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Language } from '../../../messages/language.ts'

/** Every guide, in the order to read them, with the API version that it is about; undefined: any. */
const guideTopics = [
  ['first-call', 'xs2a@1.7.0'],
  ['consent', 'xs2a@1.7.0'],
  ['payments', 'xs2a@1.7.0'],
  ['mandates', 'mandate@1.0.0'],
  ['limits', 'xs2a@1.7.0'],
  ['signing', 'xs2a@1.7.0'],
  ['certificates', 'xs2a@1.7.0'],
  ['errors', undefined],
  ['moving-to-1.7.0', 'xs2a@1.7.0'],
] as const

/** Name of a guide: of its files, and in its address. */
export type GuideName = (typeof guideTopics)[number][0]

/** One guide as it was written. */
export interface GuideSource {
  readonly name: GuideName
  /** Key of the version in the catalogue whose operations it shows; a catalogue without it has no use for the guide. */
  readonly versionKey: string | undefined
  /** Markdown by language. */
  readonly texts: Readonly<Record<Language, string>>
}

const folder = fileURLToPath(new URL('../../../guides', import.meta.url))

/** Reads every guide in every language. */
export function readGuideSources(): readonly GuideSource[] {
  return guideTopics.map(([name, versionKey]) => {
    const read = (language: Language) => readFileSync(join(folder, language, `${name}.md`), 'utf8')
    return { name, versionKey, texts: { en: read('en'), he: read('he') } }
  })
}
