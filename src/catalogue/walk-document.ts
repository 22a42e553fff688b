import type { Json, JsonObject } from './catalogue.ts'
import { isJsonArray, isJsonObject, pointerToken } from './json.ts'
import { keywords, type ObjectName, objectShape, objects, type Shape } from './openapi-shape.ts'
import type { Located } from './reference.ts'

/** Something of a document that is a schema or one of OpenAPI's objects. */
export interface Visited extends Located {
  readonly kind: ObjectName | 'schema'
}

/**
 * Every schema and object of a checked document, outer ones first. References
 * are not followed: what they lead to is in the document too.
 */
export function walkDocument(document: JsonObject): readonly Visited[] {
  const visited: Visited[] = []
  walk(document, 'document', '')
  return visited

  function walk(value: Json | undefined, shape: Shape, pointer: string): void {
    if (typeof shape === 'object') {
      const inner = 'map' in shape ? shape.map : shape.list
      if (isJsonArray(value)) {
        for (const [index, item] of value.entries()) walk(item, inner, `${pointer}/${index}`)
      } else if (isJsonObject(value)) {
        for (const [name, member] of Object.entries(value)) {
          walk(member, inner, `${pointer}/${pointerToken(name)}`)
        }
      }
      return
    }
    if (!isJsonObject(value) || !isKind(shape)) return
    visited.push({ kind: shape, value, pointer })
    const members = shape === 'schema' ? keywords : objectShape(shape).members
    for (const [name, member] of Object.entries(value)) {
      const memberShape = Object.hasOwn(members, name) ? members[name] : undefined
      if (memberShape !== undefined) walk(member, memberShape, `${pointer}/${pointerToken(name)}`)
    }
  }
}

function isKind(shape: Shape): shape is ObjectName | 'schema' {
  return shape === 'schema' || (typeof shape === 'string' && Object.hasOwn(objects, shape))
}
