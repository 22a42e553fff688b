// This folder shows the published APIs as documents. Read this file first: it turns the document of a version into the
// one that developers get, with `with-samples.ts`, `with-drills.ts` and `moved-days.ts`. `*-markdown.ts` writes pages
// as Markdown, `front-page.ts` finds what the first page shows, and `problem-sample.ts` shows an error as a client
// receives it. It reads only the catalogue, the error table and the sandbox's customers, and knows no session.

import type { ApiVersion, OpenApiDocument } from '../../catalogue/catalogue.ts'
import { translatedDocument } from '../../catalogue/in-language.ts'
import type { Language } from '../../messages/language.ts'
import type { PortalServices } from '../services.ts'
import { utcDay, withMovedDays } from './moved-days.ts'
import { drillTexts, withDrills } from './with-drills.ts'
import { descriptionIn, withSamples } from './with-samples.ts'

/** The document of a version as developers get it; in English if no language is given. */
export type ServedDocument = (published: ApiVersion, language?: Language) => OpenApiDocument

interface Served {
  readonly made: string
  readonly served: OpenApiDocument
}

/**
 * Creates the function that turns the document of a version into the one that
 * developers get. Its server is the gateway as developers reach it. The days in
 * its examples move along: `x-examples-day` becomes today (UTC). Its operations
 * have samples, and where calls go to the sandbox the header for drills. In
 * another language, the texts that its translation has replace the document's
 * own. Each document is made once a day and language, and again after a reload
 * of the catalogue.
 */
export function createServedDocument({
  gatewayUrl,
  now,
  hasDrills,
}: Pick<PortalServices, 'gatewayUrl' | 'now' | 'hasDrills'>): ServedDocument {
  const known = new WeakMap<ApiVersion, Served>()
  const others = new WeakMap<OpenApiDocument, Partial<Record<Language, OpenApiDocument>>>()

  function inEnglish(published: ApiVersion): OpenApiDocument {
    const origin = gatewayUrl()
    const today = utcDay(now())
    const made = `${today} ${origin}`
    const last = known.get(published)
    if (last?.made === made) return last.served
    const servers = [{ url: `${origin}${published.prefix}` }]
    const document = { ...movedTo(published.document, today), servers }
    const sampled = withSamples(document, published, origin)
    const served = hasDrills(published.api) ? withDrills(sampled, published) : sampled
    known.set(published, { made, served })
    return served
  }

  return (published, language) => {
    const document = inEnglish(published)
    if (language === undefined || published.translations[language] === undefined) return document
    const known = others.get(document) ?? {}
    const served = known[language] ?? inLanguage(document, published, language)
    others.set(document, { ...known, [language]: served })
    return served
  }
}

function inLanguage(
  document: OpenApiDocument,
  published: ApiVersion,
  language: Language,
): OpenApiDocument {
  const translation = published.translations[language]
  if (translation === undefined) return document
  const translated = translatedDocument(document, {
    ...translation,
    parameters: { ...translation.parameters, ...drillTexts(language) },
  })
  const description = descriptionIn(document, published, language)
  if (description === undefined) return translated
  return { ...translated, info: { ...translated.info, description } }
}

function movedTo(document: OpenApiDocument, today: string): OpenApiDocument {
  const { 'x-examples-day': written, ...rest } = document
  if (typeof written !== 'string') return document
  // A copy has the members of what it copies.
  return withMovedDays(rest, written, today) as OpenApiDocument
}
