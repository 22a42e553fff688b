import type { JsonObject } from '../catalogue.ts'
import {
  isJsonArray,
  isJsonObject,
  objectMembersOf,
  objectsOf,
  pointerNames,
  valueAt,
} from '../json.ts'
import type { Sources } from '../source.ts'
import type { OperationObject } from './operation-object.ts'
import { member, membersOf } from './reference.ts'
import { composed, referred } from './schema-parts.ts'
import { walkDocument } from './walk-document.ts'

/** What the composition around a schema already does for it. */
interface Around {
  readonly isClosed: boolean
  readonly listsRequired: boolean
}

const alone: Around = { isClosed: false, listsRequired: false }

/**
 * Checks that what the answers of operations may hold is closed and says what
 * is always there. A schema that admits anything, or nothing at all, would let
 * every answer pass, and the contract tests would prove nothing.
 */
export function checkResponseSchemas(
  sources: Sources,
  document: JsonObject,
  operations: readonly OperationObject[],
): void {
  const seen = new Map<JsonObject, Set<string>>()
  for (const [, response] of operations.flatMap(({ responses }) => responses)) {
    for (const [, mediaType] of membersOf(document, response, 'content')) {
      const schema = member(document, mediaType, 'schema')
      if (schema !== undefined) walk(schema.value, alone)
    }
  }

  function walk(schema: JsonObject, around: Around): void {
    const ways = seen.get(schema) ?? new Set()
    const way = `${around.isClosed} ${around.listsRequired}`
    if (ways.has(way)) return
    seen.set(schema, ways.add(way))
    const isClosed = around.isClosed || closes(schema)
    const lists = around.listsRequired || listsRequired(document, schema, new Set())
    const hasMembers = isJsonObject(schema['properties'])
    const parts = composed(document, schema)
    const isBare = schema['type'] === 'object' && !hasMembers && parts.length === 0
    const isOpen = !isClosed && (hasMembers || (isBare && !describesOthers(schema)))
    if (isOpen) {
      sources.warn({
        rule: 'response-schema-open',
        at: schema,
        message:
          'an object of a response is not closed: it may have properties that are not described',
        example: parts.length > 0 ? 'unevaluatedProperties: false' : 'additionalProperties: false',
      })
    }
    if (hasMembers && !lists) {
      sources.warn({
        rule: 'response-schema-without-required',
        at: schema,
        message: 'an object of a response does not list the properties that are always there',
        example: 'required: [id]',
      })
    }
    // Only unevaluatedProperties reaches into the parts; but with either, nothing unknown gets through.
    // What is open as a whole was reported as a whole.
    const inside = { isClosed: isClosed || isOpen, listsRequired: lists }
    for (const part of parts) walk(part, inside)
    for (const child of below(schema)) walk(child, alone)
  }
}

/**
 * Warns of references that lead to nothing, and of what refers to itself without
 * descending into the value, which no validator ever finishes.
 */
export function checkReferences(sources: Sources, document: JsonObject): void {
  for (const { value } of walkDocument(document)) {
    const reference = value['$ref']
    if (typeof reference !== 'string' || !reference.startsWith('#')) continue
    const names = pointerNames(reference.slice(1))
    if (names !== undefined && valueAt(document, names) !== undefined) continue
    const message = `${JSON.stringify(reference)} leads to nothing`
    sources.warn({ rule: 'reference-unresolvable', at: value, member: '$ref', message })
  }
  const finished = new Set<JsonObject>()
  for (const [, section] of objectMembersOf(document['components'])) {
    for (const [, component] of objectMembersOf(section)) visit(component, [])
  }

  function visit(at: JsonObject, way: readonly JsonObject[]): void {
    if (finished.has(at)) return
    if (way.includes(at)) {
      finished.add(at)
      const message = 'refers to itself without end'
      sources.warn({ rule: 'reference-unresolvable', at, message })
      return
    }
    const conditions = ['not', 'if'].map((keyword) => at[keyword]).filter(isJsonObject)
    for (const part of [...directlyReferred(at), ...composed(document, at), ...conditions]) {
      visit(part, [...way, at])
    }
    finished.add(at)
  }

  /** One step of a chain, which `locate` would follow to its end. */
  function directlyReferred(at: JsonObject): readonly JsonObject[] {
    const reference = at['$ref']
    if (typeof reference !== 'string') return []
    const target = valueAt(document, pointerNames(reference.slice(1)) ?? [])
    return isJsonObject(target) ? [target] : []
  }
}

function closes(schema: JsonObject): boolean {
  return schema['additionalProperties'] === false || schema['unevaluatedProperties'] === false
}

/** A map: even members that are not named are described. */
function describesOthers(schema: JsonObject): boolean {
  return (
    isJsonObject(schema['additionalProperties']) ||
    isJsonObject(schema['unevaluatedProperties']) ||
    isJsonObject(schema['patternProperties']) ||
    schema['additionalProperties'] === true
  )
}

/** Whether the schema says which members are always there: by itself, by a part, or in each of its alternatives. */
function listsRequired(document: JsonObject, schema: JsonObject, seen: Set<JsonObject>): boolean {
  if (seen.has(schema)) return false
  seen.add(schema)
  if (isJsonArray(schema['required'])) return true
  const target = referred(document, schema)
  if (target !== undefined && listsRequired(document, target, seen)) return true
  const lists = (part: JsonObject) => listsRequired(document, part, new Set(seen))
  if (objectsOf(schema['allOf']).some(lists)) return true
  return ['oneOf', 'anyOf'].some((keyword) => {
    const alternatives = objectsOf(schema[keyword])
    return alternatives.length > 0 && alternatives.every(lists)
  })
}

/** Schemas that judge what is in the value: members and items. */
function below(schema: JsonObject): readonly JsonObject[] {
  return [
    ...objectMembersOf(schema['properties']).map(([, child]) => child),
    ...objectMembersOf(schema['patternProperties']).map(([, child]) => child),
    ...['additionalProperties', 'unevaluatedProperties', 'items', 'unevaluatedItems', 'contains']
      .map((keyword) => schema[keyword])
      .filter(isJsonObject),
    ...objectsOf(schema['prefixItems']),
  ]
}
