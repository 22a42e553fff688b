import type { Json, JsonObject } from './catalogue.ts'
import { isJsonArray, isJsonObject } from './json.ts'
import {
  keywords,
  type ObjectName,
  objectShape,
  type Scalar,
  type ScalarShape,
  type Shape,
  scalars,
  sections,
} from './openapi-shape.ts'
import type { Sources } from './source.ts'

/** A value to copy, with the file it is in and the place its faults are reported at. */
export interface Found {
  readonly value: Json
  readonly file: string
  readonly at: object
  readonly member?: string | number | undefined
  /** The rule a fault breaks; `openapi-structure` outside of schemas. */
  readonly rule?: string
}

interface FoundObject extends Found {
  readonly value: JsonObject
}

/** What a shape may be that is referred to. */
export type Referable = ObjectName | 'schema'

export interface CopyOptions {
  readonly sources: Sources
  /** The reference to write for `reference`, which is the member `$ref` of `from`; undefined when it was reported. */
  link(reference: string, shape: Referable, from: Found): string | undefined
  /** What a reference leads to, one step; undefined when it was reported. */
  find(reference: string, from: Found): Found | undefined
}

/** Copies a value as a shape; undefined if no part is usable, which was then reported. */
export type CopyShape = (found: Found, shape: Shape) => Json | undefined

/**
 * Makes the function that copies parts of an OpenAPI document and checks their
 * structure on the way: one walk, because only code that knows what a value should
 * be can distinguish a reference from an example that has a member `$ref`.
 */
export function createCopyShape({ sources, link, find }: CopyOptions): CopyShape {
  /** What is being put in the place of a reference, to notice what contains itself. */
  const underway = new Set<Json>()
  return copyShape

  function copyShape(found: Found, shape: Shape): Json | undefined {
    if (shape === 'json') return found.value
    if (shape === 'schema') return copySchema(found)
    if (typeof shape === 'object') {
      return 'map' in shape ? copyMap(found, shape.map) : copyList(found, shape.list)
    }
    if (isScalarShape(shape)) return copyScalar(found, shape)
    return copyObject(found, shape)
  }

  function refuse(found: Found, message: string, example?: string): undefined {
    const { at, member, rule = 'openapi-structure' } = found
    sources.report({ rule, at, member, message, example })
  }

  function copyMembers(
    found: FoundObject,
    shapeOf: (name: string) => Shape | undefined,
  ): JsonObject {
    const copy: Record<string, Json> = {}
    for (const [member, value] of Object.entries(found.value)) {
      const shape = shapeOf(member)
      if (shape === undefined || value === undefined) continue
      const copied = copyShape({ ...found, value, at: found.value, member }, shape)
      if (copied !== undefined) copy[member] = copied
    }
    sources.adopt(copy, found.value)
    return copy
  }

  function copyMap(found: Found, shape: Shape): Json | undefined {
    if (!isJsonObject(found.value)) return refuse(found, 'must be a mapping')
    return copyMembers({ ...found, value: found.value }, (name) =>
      // Only paths and responses have extensions beside their own names (4.8.8, 4.8.16).
      isExtension(name) && (shape === 'pathItem' || shape === 'response') ? 'json' : shape,
    )
  }

  function copyList(found: Found, shape: Shape): Json | undefined {
    const list = found.value
    if (!isJsonArray(list)) return refuse(found, 'must be a list')
    const copy: Json[] = []
    for (const [member, value] of list.entries()) {
      const copied = copyShape({ ...found, value, at: list, member }, shape)
      if (copied !== undefined) copy.push(copied)
    }
    sources.adopt(copy, list)
    return copy
  }

  function copyObject(found: Found, name: ObjectName): Json | undefined {
    const { value } = found
    if (!isJsonObject(value)) return refuse(found, 'must be a mapping')
    if (typeof value['$ref'] === 'string') {
      if (name === 'pathItem') return copyPathItemReference({ ...found, value }, value['$ref'])
      // Requirements name schemes: a copy under another name would be one scheme more.
      if (name === 'securityScheme') {
        refuseBeside({ ...found, value })
        return copyTarget({ ...found, value }, value['$ref'], name)
      }
      if (sections[name] !== undefined)
        return copyReference({ ...found, value }, value['$ref'], name)
    }
    const { required, members, refused } = objectShape(name)
    for (const member of required) {
      if (value[member] === undefined) refuse(found, `must have the member ${member}`)
    }
    return copyMembers({ ...found, value }, (member) => {
      if (isExtension(member)) return 'json'
      const shape = own(members, member)
      if (shape !== undefined) return shape
      const reason = refused && own(refused, member)
      if (reason === undefined) {
        const known = Object.keys(members).join(', ')
        refuse({ ...found, at: value, member }, `is no member of this object; there are: ${known}`)
      } else {
        const rule = 'unsupported-feature'
        sources.report({ rule, at: value, member, message: `is not supported: ${reason}` })
      }
      return undefined
    })
  }

  /** A reference object (OpenAPI 3.1, 4.8.23): other members than `$ref` are text for readers. */
  function copyReference(
    found: FoundObject,
    reference: string,
    name: ObjectName,
  ): Json | undefined {
    refuseBeside(found)
    const linked = link(reference, name, { ...found, at: found.value, member: '$ref' })
    if (linked === undefined) return undefined
    const copy: JsonObject = { ...found.value, $ref: linked }
    sources.adopt(copy, found.value)
    return copy
  }

  function refuseBeside(found: FoundObject): void {
    for (const member of Object.keys(found.value)) {
      if (member === '$ref' || member === 'summary' || member === 'description') continue
      refuse({ ...found, at: found.value, member }, 'is ignored beside $ref')
    }
  }

  /** Puts a path item in the place of its reference, beside members of its own. */
  function copyPathItemReference(found: FoundObject, reference: string): Json | undefined {
    const { $ref: _, ...besides } = found.value
    const shared = copyTarget(found, reference, 'pathItem')
    if (!isJsonObject(shared)) return undefined
    for (const member of Object.keys(besides)) {
      if (shared[member] === undefined) continue
      refuse({ ...found, at: found.value, member }, 'is also in the path item that $ref names')
    }
    sources.adopt(besides, found.value)
    const copy = { ...shared, ...asObject(copyObject({ ...found, value: besides }, 'pathItem')) }
    sources.adopt(copy, Object.keys(besides).length === 0 ? shared : found.value)
    return copy
  }

  /** Copies the target of a reference, to replace it. */
  function copyTarget(found: FoundObject, reference: string, name: ObjectName): Json | undefined {
    const target = find(reference, { ...found, at: found.value, member: '$ref' })
    if (target === undefined) return undefined
    if (underway.has(target.value)) {
      const message = `${JSON.stringify(reference)} refers to itself without end`
      sources.report({ rule: 'reference-unresolvable', at: found.value, member: '$ref', message })
      return undefined
    }
    underway.add(target.value)
    const copy = copyObject(target, name)
    underway.delete(target.value)
    return copy
  }

  function copySchema(place: Found): Json | undefined {
    const found = { ...place, rule: 'schema-invalid' }
    const { value } = found
    if (typeof value === 'boolean') return value
    if (!isJsonObject(value)) return refuse(found, 'must be a schema: a mapping, true or false')
    const copy = copyMembers({ ...found, value }, (keyword) => {
      if (keyword === '$ref') return undefined
      if (isExtension(keyword)) return 'json'
      const shape = own(keywords, keyword)
      if (shape === undefined) refuseKeyword(value, keyword)
      return shape
    })
    const reference = value['$ref']
    if (reference === undefined) return withMapping(copy, { ...found, value })
    const from = { ...found, at: value, member: '$ref' }
    const linked =
      typeof reference === 'string'
        ? link(reference, 'schema', from)
        : refuse(from, 'must be a text')
    if (linked === undefined) return undefined
    const referring = { $ref: linked, ...copy }
    sources.adopt(referring, value)
    return referring
  }

  function refuseKeyword(at: JsonObject, member: string): void {
    const example = member === 'nullable' ? 'type: [string, "null"] of OpenAPI 3.1' : undefined
    const message = 'is no keyword of a schema'
    sources.report({ rule: 'schema-invalid', at, member, message, example })
  }

  /** The values of a discriminator's mapping are references too (OpenAPI 3.1, 4.8.25). */
  function withMapping(copy: JsonObject, found: FoundObject): JsonObject {
    const discriminator = copy['discriminator']
    const original = found.value['discriminator']
    if (!isJsonObject(discriminator) || !isJsonObject(original)) return copy
    const mapping = original['mapping']
    if (!isJsonObject(mapping)) return copy
    const linked: Record<string, Json> = {}
    for (const [member, reference] of Object.entries(mapping)) {
      if (typeof reference !== 'string') continue
      const full = reference.includes('#') ? reference : `#/components/schemas/${reference}`
      linked[member] = link(full, 'schema', { ...found, at: mapping, member }) ?? reference
    }
    const mapped = { ...discriminator, mapping: linked }
    const schema = { ...copy, discriminator: mapped }
    sources.adopt(linked, mapping)
    sources.adopt(mapped, original)
    sources.adopt(schema, found.value)
    return schema
  }

  function copyScalar(found: Found, shape: ScalarShape): Json | undefined {
    const { admits, message, example }: Scalar = scalars[shape]
    return admits(found.value) ? found.value : refuse(found, message, example)
  }
}

function isScalarShape(shape: string): shape is ScalarShape {
  return Object.hasOwn(scalars, shape)
}

function isExtension(name: string): boolean {
  return name.startsWith('x-')
}

function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
