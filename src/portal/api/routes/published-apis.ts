import type { ApiVersion, Catalogue, Json, Operation } from '../../../catalogue/catalogue.ts'
import { textsOf } from '../../../catalogue/in-language.ts'
import { isJsonObject, objectsOf, stringsOf } from '../../../catalogue/json.ts'
import { isDeprecated, isRetired } from '../../../catalogue/lifecycle.ts'
import type { Language } from '../../../messages/language.ts'
import { publishedLimit } from '../published-limit.ts'
import type {
  LocalText,
  MissingOperation,
  PublishedApis,
  PublishedOperation,
  PublishedPlan,
  PublishedProduct,
  PublishedVersion,
} from '../schemas/catalogue.ts'

/**
 * Lists the catalogue as developers see it at a time (milliseconds since 1970):
 * APIs by name, versions oldest first. Its texts are in `language` where the
 * documents have a translation.
 */
export function publishedApis(
  catalogue: Catalogue,
  nowMs: number,
  language: Language,
): PublishedApis {
  const apis = Map.groupBy(catalogue.versions.values(), ({ api }) => api)
  const items = [...apis].map(([api, versions]) => ({
    api,
    title: titleOf(versions.at(-1), language) ?? api,
    versions: versions.map((version) => ({
      ...publishedVersion({ published: version, siblings: versions, nowMs, language }),
      plans: version.plans.flatMap((name) => publishedPlan(catalogue, name, language)),
    })),
  }))
  return { items }
}

function titleOf(version: ApiVersion | undefined, language: Language): string | undefined {
  return version && textsOf(version, language).title
}

interface PublishedVersionOptions {
  readonly published: ApiVersion
  /** All versions of the API, oldest first. */
  readonly siblings: readonly ApiVersion[]
  readonly nowMs: number
  readonly language: Language
}

function publishedVersion({
  published,
  siblings,
  nowMs,
  language,
}: PublishedVersionOptions): Omit<PublishedVersion, 'plans'> {
  const { version, lifecycle, operations } = published
  const texts = textsOf(published, language)
  const own = new Set(operations.map(({ id }) => id))
  const missing = new Map<string, MissingOperation>()
  // The newest version that has the operation gives its title.
  for (const sibling of siblings.toReversed()) {
    for (const operation of sibling.operations) {
      const { id, template } = operation
      if (own.has(id) || missing.has(id)) continue
      const summary = textsOf(sibling, language).operation(operation)
      missing.set(id, { ...whereabouts(operation, siblings), summary, template })
    }
  }
  return {
    version,
    title: texts.title,
    summary: texts.summary ?? firstSentence(published.document.head.info['description']),
    lifecycle,
    isDeprecated: isDeprecated(lifecycle, nowMs),
    isRetired: isRetired(lifecycle, nowMs),
    operations: operations.map((operation) => ({
      ...whereabouts(operation, siblings),
      summary: texts.operation(operation),
      path: operation.path,
      tag: operation.tag,
    })),
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({
      name,
      title: texts.tag(name),
    })),
    missing: [...missing.values()],
    products: productsOf(published),
  }
}

/** What the document says it offers (`x-products`); else all of the version is one product. */
function productsOf(published: ApiVersion): PublishedProduct[] {
  const named = objectsOf(published.document.head['x-products'])
  if (named.length > 0) {
    return named.map(({ title, summary, icon, tags }) => ({
      title: localText(title),
      summary: localText(summary),
      icon: typeof icon === 'string' ? icon : '',
      tags: [...stringsOf(tags)],
    }))
  }
  const { summary, description } = published.document.head.info
  return [
    {
      title: localText(published.title),
      summary: localText(typeof summary === 'string' ? summary : firstSentence(description)),
      icon: '',
      tags: [...new Set(published.operations.map(({ tag }) => tag))],
    },
  ]
}

/** A text by language, or one for all languages. */
function localText(text: Json | undefined): LocalText {
  if (typeof text === 'string') return { en: text }
  const { en, he } = isJsonObject(text) ? text : {}
  return {
    en: typeof en === 'string' ? en : '',
    ...(typeof he === 'string' ? { he } : {}),
  }
}

const summaryLengthMax = 200

/** The first sentence of a Markdown text, without its marks; a full stop inside a number does not end it. */
function firstSentence(description: unknown): string {
  const paragraphs = typeof description === 'string' ? description.trim().split(/\n\s*\n/) : []
  // Headings, lists, tables, pictures and HTML are no sentences.
  const paragraph = paragraphs.find((text) => !/^\s*([#*|<>-]|!\[|```)/.test(text)) ?? ''
  const plain = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[*`]|__/g, '')
  const [sentence = ''] = plain.replaceAll(/\s+/g, ' ').split(/(?<=\.) /)
  return sentence.length <= summaryLengthMax
    ? sentence
    : `${sentence.slice(0, sentence.lastIndexOf(' ', summaryLengthMax))} …`
}

function whereabouts(
  { id, method, availableIn }: Operation,
  siblings: readonly ApiVersion[],
): Omit<PublishedOperation, 'summary' | 'path' | 'tag'> {
  const last = siblings.findLastIndex(({ version }) => availableIn.includes(version))
  return {
    id,
    method,
    availableIn: [...availableIn],
    removedIn: siblings[last + 1]?.version ?? null,
  }
}

function publishedPlan(catalogue: Catalogue, name: string, language: Language): PublishedPlan[] {
  const plan = catalogue.plans.get(name)
  if (plan === undefined) return []
  const { title, description } = { ...plan, ...plan.translations?.[language] }
  return [{ name, title, description, limits: plan.limits.map(publishedLimit) }]
}
