import type { Json, JsonObject, OpenApiDocument, Operation } from '../../catalogue/catalogue.ts'
import {
  isJsonArray,
  isJsonObject,
  objectMembersOf,
  pointerNames,
  stringsOf,
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
  const { paths, components, webhooks: _, ...rest } = document
  const kept = partsReferredTo(document, ['paths', template, method.toLowerCase()])
  const items = objectMembersOf(paths).map(([path, item]): [string, JsonObject] => [
    path,
    withMembers(item, (member) => kept.has(`paths ${path} ${member}`)),
  ])
  const sections = objectMembersOf(components).map(([name, section]): [string, JsonObject] => [
    name,
    wholeSections.has(name)
      ? section
      : withMembers(section, (member) => kept.has(`components ${name} ${member}`)),
  ])
  return {
    ...rest,
    paths: Object.fromEntries(items.filter(([, item]) => Object.keys(item).length > 0)),
    components: Object.fromEntries(sections),
  }
}

function withMembers(object: JsonObject, isKept: (member: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([member]) => isKept(member)))
}

/** Members of components and of paths, by their names, that a part refers to by itself or through others; and the part. */
function partsReferredTo(document: OpenApiDocument, from: readonly string[]): ReadonlySet<string> {
  const kept = new Set<string>()
  const values: (Json | undefined)[] = []
  const keep = (names: readonly string[]): void => {
    for (const part of partsAt(document, names)) {
      const name = part.join(' ')
      if (kept.has(name)) continue
      kept.add(name)
      values.push(valueAt(document, part))
    }
  }
  keep(from)
  // The loop also visits what it adds, one by one: an array may have more items than a call takes arguments.
  for (const value of values) {
    if (isJsonArray(value)) for (const item of value) values.push(item)
    else if (isJsonObject(value)) {
      for (const member of Object.values(value)) values.push(member)
      for (const schema of schemasNamedIn(document, value)) keep(['components', 'schemas', schema])
    }
    // Not only `$ref`: a discriminator and a link refer by other members.
    else if (typeof value === 'string' && value.startsWith('#/')) {
      keep(pointerNames(value.slice(1)) ?? [])
    }
  }
  return kept
}

/** The parts to keep for a pointer: of a path, one member or all, and what its operations share. */
function partsAt(
  document: OpenApiDocument,
  names: readonly string[],
): readonly (readonly string[])[] {
  const [place, name = '', member] = names
  const item = document.paths[name]
  if (place !== 'paths' || !isJsonObject(item)) return [names.slice(0, 3)]
  return Object.entries(item)
    .filter(
      ([each, value]) =>
        member === undefined || each === member || each === 'parameters' || !isJsonObject(value),
    )
    .map(([each]) => [place, name, each])
}

/** Schemas to which an object refers otherwise than by a pointer: all, where it is by an anchor or a dynamic reference. */
function schemasNamedIn(document: OpenApiDocument, object: JsonObject): readonly string[] {
  const { $ref, $dynamicRef, discriminator } = object
  if ($dynamicRef !== undefined || (typeof $ref === 'string' && !$ref.startsWith('#/'))) {
    return Object.keys(valueAt(document, ['components', 'schemas']) ?? {})
  }
  const mapping = isJsonObject(discriminator) ? discriminator['mapping'] : undefined
  return isJsonObject(mapping)
    ? stringsOf(Object.values(mapping).flatMap((each) => each ?? []))
    : []
}
