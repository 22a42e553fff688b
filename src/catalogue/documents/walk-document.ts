import type { JsonObject } from '../catalogue.ts'
import { isJsonArray, isJsonObject, pointerToken } from '../json.ts'
import { type Held, heldBy, isExtension, type ObjectName } from './openapi-objects.ts'
import type { Located } from './reference.ts'

/** An object of a document, and what it is. */
export interface Visited extends Located {
  readonly kind: ObjectName
}

/**
 * Every object and schema of a document, outer ones first. References are not
 * followed: what they lead to is in the document, too.
 */
export function walkDocument(document: JsonObject): readonly Visited[] {
  const visited: Visited[] = []
  visit(document, 'document', '')
  return visited

  function visit(value: unknown, kind: ObjectName, pointer: string): void {
    if (!isJsonObject(value)) return
    visited.push({ kind, value, pointer })
    for (const [name, member] of Object.entries(value)) {
      const held = heldBy(kind, name)
      if (held !== undefined) visitHeld(member, held, `${pointer}/${pointerToken(name)}`)
    }
  }

  function visitHeld(value: unknown, held: Held, pointer: string): void {
    if (isJsonArray(value)) {
      // The items of a tuple, in OpenAPI 3.0, are a list where one schema could be.
      for (const [index, item] of value.entries()) visit(item, held.object, `${pointer}/${index}`)
    } else if (held.as !== 'map') visit(value, held.object, pointer)
    else if (isJsonObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        if (!isExtension(held, name)) {
          visit(member, held.object, `${pointer}/${pointerToken(name)}`)
        }
      }
    }
  }
}
