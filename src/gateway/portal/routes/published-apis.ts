import type { ApiVersion, Catalogue, Json, Operation } from '../../../catalogue/catalogue.ts'
import { isJsonObject, objectsOf, stringsOf } from '../../../catalogue/json.ts'
import { isDeprecated, isRetired } from '../../../catalogue/lifecycle.ts'
import { operationObject } from '../../../catalogue/operation-object.ts'
import { shownWindow } from '../../../catalogue/window-length.ts'
import type {
  LocalText,
  MissingOperation,
  PublishedApis,
  PublishedOperation,
  PublishedPlan,
  PublishedProduct,
  PublishedVersion,
} from '../schemas/catalogue.ts'

/** Lists the catalogue as developers see it at a time (milliseconds since 1970): APIs by name, versions oldest first. */
export function publishedApis(catalogue: Catalogue, nowMs: number): PublishedApis {
  const apis = Map.groupBy(catalogue.versions.values(), ({ api }) => api)
  const items = [...apis].map(([api, versions]) => ({
    api,
    title: versions.at(-1)?.title ?? api,
    versions: versions.map((version) => ({
      ...publishedVersion(version, versions, nowMs),
      plans: version.plans.flatMap((name) => publishedPlan(catalogue, name)),
    })),
  }))
  return { items }
}

/** @param siblings all versions of the API, oldest first */
function publishedVersion(
  published: ApiVersion,
  siblings: readonly ApiVersion[],
  nowMs: number,
): Omit<PublishedVersion, 'plans'> {
  const { version, title, document, lifecycle, operations } = published
  const own = new Set(operations.map(({ id }) => id))
  const missing = new Map<string, MissingOperation>()
  // The newest sibling that has it tells what it is called.
  for (const sibling of siblings.toReversed()) {
    for (const operation of sibling.operations) {
      const { id, template } = operation
      if (own.has(id) || missing.has(id)) continue
      missing.set(id, { ...whereabouts(operation, siblings), template })
    }
  }
  return {
    version,
    title,
    summary: firstSentence(document.info['description']),
    lifecycle,
    isDeprecated: isDeprecated(lifecycle, nowMs),
    isRetired: isRetired(lifecycle, nowMs),
    operations: operations.map((operation) => ({
      ...whereabouts(operation, siblings),
      path: operation.path,
      tag: tagOf(published, operation),
    })),
    missing: [...missing.values()],
    products: productsOf(published),
  }
}

function tagOf({ document }: ApiVersion, { template, method }: Operation): string {
  const [tag = ''] = stringsOf(operationObject(document, template, method)?.object.value['tags'])
  return tag
}

/** What the document says it offers (`x-products`); else each of its tags is a product. */
function productsOf({ document }: ApiVersion): PublishedProduct[] {
  const named = objectsOf(document['x-products'])
  if (named.length > 0) {
    return named.map(({ title, summary, icon, tags }) => ({
      title: localText(title),
      summary: localText(summary),
      icon: typeof icon === 'string' ? icon : '',
      tags: [...stringsOf(tags)],
    }))
  }
  return objectsOf(document['tags']).map(({ name, description }) => ({
    title: localText(name),
    summary: localText(description),
    icon: '',
    tags: [...stringsOf([name ?? null])],
  }))
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

/** Of a text in paragraphs; a full stop inside a number ends no sentence. */
function firstSentence(description: unknown): string {
  const [paragraph = ''] = typeof description === 'string' ? description.trim().split('\n\n') : []
  const [sentence = ''] = paragraph.replaceAll(/\s+/g, ' ').split(/(?<=\.) /)
  return sentence
}

function whereabouts(
  { id, method, summary, availableIn }: Operation,
  siblings: readonly ApiVersion[],
): Omit<PublishedOperation, 'path' | 'tag'> {
  const last = siblings.findLastIndex(({ version }) => availableIn.includes(version))
  return {
    id,
    method,
    summary,
    availableIn: [...availableIn],
    removedIn: siblings[last + 1]?.version ?? null,
  }
}

function publishedPlan(catalogue: Catalogue, name: string): PublishedPlan[] {
  const plan = catalogue.plans.get(name)
  if (plan === undefined) return []
  const limits = plan.limits.map(({ name, calls, windowLength, scope }) => ({
    ...{ name, calls, ...shownWindow(windowLength), scope },
  }))
  return [{ name, title: plan.title, description: plan.description, limits }]
}
