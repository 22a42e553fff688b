// This folder shows the published APIs as documents. Read this file first: it turns the document of a version into the
// one that developers get, with `with-*.ts` and `moved-days.ts`; `part-of-document.ts` cuts it to one operation.
// `*-markdown.ts` writes pages as Markdown, `front-page.ts` finds what the first page shows, and `problem-sample.ts`
// shows an error as a client receives it. It reads only the catalogue, the error table and the sandbox's customers, and
// knows no session.

import { LRUCache } from 'lru-cache'
import type { ApiVersion, OpenApiDocument } from '../../catalogue/catalogue.ts'
import { translatedDocument } from '../../catalogue/in-language.ts'
import type { Language } from '../../messages/language.ts'
import type { PortalServices } from '../services.ts'
import { utcDay, withMovedDays } from './moved-days.ts'
import { drillTexts, withDrills } from './with-drills.ts'
import { withKey } from './with-key.ts'
import { withNames } from './with-names.ts'
import { descriptionIn, withSamples } from './with-samples.ts'

/** The document of a version as developers get it, in a language. (Default: English) */
export type ServedDocument = (published: ApiVersion, language?: Language) => OpenApiDocument

/** Octets of the documents whose served form is kept: a catalogue may have thousands. */
const keptOctetsMax = 16 * 1024 * 1024

/** The documents of a version that were made under one key. */
interface Made {
  /** The day and the gateway's address in the documents. */
  readonly key: string
  readonly english: OpenApiDocument
  readonly translated: Map<Language, OpenApiDocument>
}

/**
 * Creates the function that turns the document of a version into the one that
 * developers get:
 *
 * - Its server is the gateway as developers reach it, and every call needs the gateway's key.
 * - What it says to the gateway (`x-tollgate`) is left out.
 * - Each operation has the id under which it is counted, and a parameter for each of its path.
 * - The days in its examples move: `x-examples-day` becomes today (UTC).
 * - Its operations have samples and, where calls go to the sandbox, the header for drills.
 * - In another language, the texts of its translation replace its own.
 *
 * A document is made when it is asked for and not kept: those used last are, until the next day,
 * another address of the gateway or a reload of the catalogue.
 */
export function createServedDocument({
  gatewayUrl,
  now,
  hasDrills,
}: Pick<PortalServices, 'gatewayUrl' | 'now' | 'hasDrills'>): ServedDocument {
  const madeOf = new LRUCache<ApiVersion, Made>({
    maxSize: keptOctetsMax,
    sizeCalculation: (_made, { document }) => document.json().length,
  })

  function make(published: ApiVersion): Made {
    const origin = gatewayUrl()
    const today = utcDay(now())
    const key = `${today} ${origin}`
    const last = madeOf.get(published)
    if (last?.key === key) return last
    const servers = [{ url: origin + published.prefix }]
    const own = withNames(movedTo(published.document.read(), today), published)
    const document = withKey({ ...own, servers })
    const sampled = withSamples(document, published, origin)
    const english = hasDrills(published) ? withDrills(sampled, published) : sampled
    const made = { key, english, translated: new Map() }
    madeOf.set(published, made)
    return made
  }

  return (published, language) => {
    const { english, translated } = make(published)
    if (language === undefined) return english
    const document = translated.get(language) ?? inLanguage(english, published, language)
    translated.set(language, document)
    return document
  }
}

/** The document itself, if the version has no translation into the language. */
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

/** The document with the days of its examples moved to `today`, if it says of which day they are. */
function movedTo(document: OpenApiDocument, today: string): OpenApiDocument {
  const { 'x-examples-day': written, ...rest } = document
  if (typeof written !== 'string') return document
  // A copy has the members of what it copies.
  return withMovedDays(rest, written, today) as OpenApiDocument
}
