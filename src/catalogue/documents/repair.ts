import type { Json } from '../catalogue.ts'
import { isJsonArray, isJsonObject } from '../json.ts'
import { type Held, heldBy, isExtension, type ObjectName } from './openapi-objects.ts'

type Mutable = Record<string, Json | undefined>

/** Lists of texts, in OpenAPI 2.0. */
const textLists = ['consumes', 'produces', 'schemes', 'tags']
/** Members that may be null. */
const values = new Set(['default', 'example', 'value'])

/**
 * Removes what is of another kind than OpenAPI says, such as a response that is
 * null: no reader has to ask, and the library that converts older versions
 * would fail. The check of the structure warns of the same. Changes what it is given.
 */
export function repair(document: Mutable): void {
  visit(document, 'document', document['swagger'] !== undefined)
}

function visit(object: Mutable, kind: ObjectName, isSwagger: boolean): void {
  for (const [name, member] of Object.entries(object)) {
    const held = heldBy(kind, name)
    if (held !== undefined) visitHeld(object, name, held, isSwagger)
    else if (isOdd(kind, name, member, isSwagger)) delete object[name]
  }
}

function isOdd(
  kind: ObjectName,
  name: string,
  member: Json | undefined,
  isSwagger: boolean,
): boolean {
  if (kind === 'schema') return false
  if (name === '$ref') return typeof member !== 'string'
  if (textLists.includes(name)) return !isJsonArray(member)
  if (isSwagger && kind === 'pathItem' && name.startsWith('x-')) return !isJsonObject(member)
  return member === null && !values.has(name)
}

function visitHeld(holder: Mutable, name: string, held: Held, isSwagger: boolean): void {
  const member = holder[name]
  const { object } = held
  if (held.as === 'one') {
    // The items of a tuple, in OpenAPI 3.0, are a list where one schema could be.
    if (object === 'schema' && isJsonArray(member)) {
      for (const item of member) if (isJsonObject(item)) visit(item, object, isSwagger)
    } else if (isJsonObject(member)) visit(member, object, isSwagger)
    else if (object !== 'schema' || typeof member !== 'boolean') delete holder[name]
  } else if (held.as === 'list') {
    if (!isJsonArray(member)) delete holder[name]
    else holder[name] = member.filter((item) => isKept(item, object, isSwagger))
  } else if (!isJsonObject(member)) delete holder[name]
  else {
    const map: Mutable = member
    for (const [key, item] of Object.entries(map)) {
      if (!isExtension(held, key) && !isKept(item, object, isSwagger)) delete map[key]
    }
  }
}

function isKept(item: Json | undefined, object: ObjectName, isSwagger: boolean): boolean {
  if (object === 'schema' && typeof item === 'boolean') return true
  if (!isJsonObject(item)) return false
  visit(item, object, isSwagger)
  if (object !== 'parameter' || item['$ref'] !== undefined) return true
  return typeof item['name'] === 'string' && typeof item['in'] === 'string'
}
