import type { Json, JsonObject, OpenApiDocument, Operation } from '../../catalogue/catalogue.ts'
import {
  isJsonArray,
  isJsonObject,
  objectMembersOf,
  pointerNames,
  valueAt,
} from '../../catalogue/json.ts'

/** Sections of a document's components that are small and that no pointer names. */
const wholeSections: ReadonlySet<string> = new Set(['securitySchemes'])

/**
 * The document with one of its operations and only what that refers to,
 * directly or through another part. What the document says about itself stays.
 */
export function partOfDocument(
  document: OpenApiDocument,
  { template, method }: Pick<Operation, 'template' | 'method'>,
): OpenApiDocument {
  const item = withOneMethod(document.paths[template], method)
  const { paths: _, components, webhooks: __, ...rest } = document
  const kept = partsReferredTo(document, item)
  const sections = objectMembersOf(components).map(([name, section]): [string, JsonObject] => {
    const members = Object.entries(section).filter(
      ([member]) => wholeSections.has(name) || kept.has(`components ${name} ${member}`),
    )
    return [name, Object.fromEntries(members)]
  })
  const others = Object.entries(document.paths).filter(([path]) => kept.has(`paths ${path}`))
  return {
    ...rest,
    paths: { ...Object.fromEntries(others), [template]: item },
    components: Object.fromEntries(sections),
  }
}

function withOneMethod(item: Json | undefined, method: string): Json | undefined {
  if (!isJsonObject(item)) return item
  const members = Object.entries(item).filter(
    ([name, member]) =>
      name === method.toLowerCase() || name === 'parameters' || !isJsonObject(member),
  )
  return Object.fromEntries(members)
}

/** Components and paths, by their names, that a value refers to by itself or through others. */
function partsReferredTo(document: OpenApiDocument, from: Json | undefined): ReadonlySet<string> {
  const kept = new Set<string>()
  const values = [from]
  // The loop also visits what it adds.
  for (const value of values) {
    if (isJsonArray(value)) values.push(...value)
    else if (isJsonObject(value)) values.push(...Object.values(value))
    // Not only `$ref`: a discriminator and a link refer by other members.
    else if (typeof value === 'string' && value.startsWith('#/')) {
      const names = pointerNames(value.slice(1)) ?? []
      const part = names.slice(0, names[0] === 'components' ? 3 : 2)
      const name = part.join(' ')
      if (kept.has(name)) continue
      kept.add(name)
      values.push(valueAt(document, part))
    }
  }
  return kept
}
