import { posix } from 'node:path'
import type { Json, JsonObject } from '../catalogue.ts'
import {
  isJsonArray,
  isJsonObject,
  objectMembersOf,
  pointerNames,
  pointerToken,
  valueAt,
} from '../json.ts'
import type { Sources } from '../source.ts'
import { copyHeld, type Held, heldBy, type ObjectName, sectionOf } from './openapi-objects.ts'

export interface BundleOptions {
  readonly sources: Sources
  /** Path of the document, below the folder of the configuration. */
  readonly path: string
  readonly content: JsonObject
}

/** Where a reference leads: a file below the folder of the configuration, and the members to follow in it. */
interface Target {
  readonly file: string
  readonly names: readonly string[]
}

/** A target that the document refers to and that is still to be copied. */
interface Promised extends Target {
  readonly value: JsonObject
  readonly object: ObjectName
  readonly name: string
}

/**
 * Makes one document of a file and all files that it refers to. References to
 * other files become `#/components/<section>/<name>`, and their targets are
 * copied there, each once, so cycles end. Paths, path items, operations and
 * security schemes take the place of their references, so that code can read
 * `paths` without following any. References within the document stay as they are.
 *
 * A reference that leads out of the configuration, or to nothing in another
 * file, is reported and left as it is.
 */
export function bundle({ sources, path: root, content }: BundleOptions): JsonObject {
  if (!refersElsewhere(content)) return content
  const isSwagger = content['swagger'] !== undefined
  const linked = new Map<string, string>()
  /** Names given out, by section. */
  const given = new Map<string, Set<string>>()
  const promised: Promised[] = []
  const underway = new Set<JsonObject>()
  /** Copies of what takes the place of its references, which may be many. */
  const placed = new Map<JsonObject, JsonObject>()

  let document = copyObject(content, 'document', root)
  const added = new Map<ObjectName, Record<string, Json>>()
  for (let next = promised.shift(); next !== undefined; next = promised.shift()) {
    const copies = added.get(next.object) ?? {}
    added.set(next.object, copies)
    copies[next.name] = copyObject(next.value, next.object, next.file)
  }
  for (const [object, copies] of added) {
    document = withMembers(document, sectionOf(object, isSwagger) ?? [], copies)
  }
  return document

  function copyObject(value: JsonObject, object: ObjectName, file: string): JsonObject {
    const reference = value['$ref']
    if (typeof reference === 'string') {
      if (object === 'pathItem' || object === 'operation' || object === 'securityScheme') {
        return inPlace(value, reference, file, (each, at) => copyObject(each, object, at))
      }
      if (sectionOf(object, isSwagger) !== undefined) {
        const copy = {
          ...copyMembers(value, object, file),
          $ref: link(value, reference, object, file),
        }
        sources.adopt(copy, value)
        return copy
      }
    }
    const copy = copyMembers(value, object, file)
    return object === 'schema' ? withMapping(copy, value, file) : copy
  }

  function copyMembers(value: JsonObject, object: ObjectName, file: string): JsonObject {
    const copy: Record<string, Json | undefined> = {}
    for (const [name, member] of Object.entries(value)) {
      const held = heldBy(object, name)
      copy[name] = held === undefined ? member : copyMember(member, held, file)
    }
    sources.adopt(copy, value)
    return copy
  }

  function copyMember(value: Json | undefined, held: Held, file: string): Json | undefined {
    // OpenAPI has no reference for all paths, but documents have.
    const reference = held.as === 'map' && isJsonObject(value) ? value['$ref'] : undefined
    if (held.object === 'pathItem' && isJsonObject(value) && typeof reference === 'string') {
      return inPlace(value, reference, file, (each, at) => {
        const copied = copyMember(each, held, at)
        return isJsonObject(copied) ? copied : {}
      })
    }
    const copy = copyHeld(value, held, (item, object) => copyObject(item, object, file))
    // A single object has its place already.
    const isOne = held.as !== 'map' && !isJsonArray(copy)
    if (!isOne && typeof copy === 'object' && copy !== null) sources.adopt(copy, value as object)
    return copy
  }

  /** The target of a reference, with the members that stand beside the reference. */
  function inPlace(
    value: JsonObject,
    reference: string,
    file: string,
    copy: (value: JsonObject, file: string) => JsonObject,
  ): JsonObject {
    const { $ref: _, ...besides } = value
    sources.adopt(besides, value)
    const target = targetOf(value, '$ref', reference, file)
    const found = target && contentOf(value, '$ref', reference, target)
    if (target === undefined || found === undefined) return copy(besides, file)
    if (underway.has(found)) {
      unresolvable(value, '$ref', reference, 'refers to itself without end')
      return copy(besides, file)
    }
    underway.add(found)
    const shared = placed.get(found) ?? copy(found, target.file)
    placed.set(found, shared)
    underway.delete(found)
    const isAlone = Object.keys(besides).length === 0
    const made = { ...shared, ...copy(besides, file) }
    sources.adopt(made, isAlone ? shared : value)
    return made
  }

  /** The reference to write for one of `file`. */
  function link(at: object, reference: string, object: ObjectName, file: string, member = '$ref') {
    if (file === root && reference.startsWith('#')) return reference
    const target = targetOf(at, member, reference, file)
    if (target === undefined) return reference
    const pointer = target.names.map((name) => `/${pointerToken(name)}`).join('')
    if (target.file === root) return `#${pointer}`
    const value = contentOf(at, member, reference, target)
    if (value === undefined) return reference
    const section = sectionOf(object, isSwagger) ?? []
    const key = `${section.join('/')} ${target.file}#${pointer}`
    const known = linked.get(key)
    if (known !== undefined) return known
    const name = freeName(section, target)
    const made = `#/${[...section, pointerToken(name)].join('/')}`
    linked.set(key, made)
    promised.push({ ...target, value, object, name })
    return made
  }

  /** The values of a discriminator's mapping are references, too, or names of schemas. */
  function withMapping(copy: JsonObject, value: JsonObject, file: string): JsonObject {
    const discriminator = value['discriminator']
    const mapping = isJsonObject(discriminator) ? discriminator['mapping'] : undefined
    if (!isJsonObject(discriminator) || !isJsonObject(mapping)) return copy
    const made: Record<string, Json | undefined> = {}
    for (const [name, reference] of Object.entries(mapping)) {
      const isReference = typeof reference === 'string' && /[#/]|\.(ya?ml|json)$/.test(reference)
      made[name] = isReference ? link(mapping, reference, 'schema', file, name) : reference
    }
    const mapped = { ...copy, discriminator: { ...discriminator, mapping: made } }
    sources.adopt(made, mapping)
    sources.adopt(mapped.discriminator, discriminator)
    sources.adopt(mapped, value)
    return mapped
  }

  /** Where a reference leads, by its text alone. */
  function targetOf(
    at: object,
    member: string,
    reference: string,
    from: string,
  ): Target | undefined {
    const [path = '', fragment = ''] = reference.split('#', 2)
    const names = pointerNames(fragment)
    if (names === undefined) {
      return unresolvable(
        at,
        member,
        reference,
        'does not name a place by its path (/components/…)',
      )
    }
    if (path === '') return { file: from, names }
    const file = posix.join(posix.dirname(from), path)
    const isForeign = /^[a-z][a-z0-9+.-]*:|^\//i.test(path)
    if (isForeign || sources.whereIs(file) === 'outside') {
      const message = `${JSON.stringify(reference)} leads out of the configuration: save the file beside the document, and refer to that`
      sources.report({ rule: 'reference-outside', at, member, message, example: './common.yaml' })
      return undefined
    }
    return { file, names }
  }

  function contentOf(
    at: object,
    member: string,
    reference: string,
    target: Target,
  ): JsonObject | undefined {
    if (!/\.(ya?ml|json)$/.test(target.file) || sources.whereIs(target.file) === 'missing') {
      return unresolvable(at, member, reference, 'names no YAML or JSON file of the configuration')
    }
    const file = target.file === root ? content : sources.read(target.file)
    // What is wrong with the file itself was reported when it was read.
    if (file === undefined) return undefined
    const value = valueAt(file, target.names)
    return isJsonObject(value) ? value : unresolvable(at, member, reference, 'leads to nothing')
  }

  function unresolvable(at: object, member: string, reference: string, what: string): undefined {
    const message = `${JSON.stringify(reference)} ${what}`
    sources.report({ rule: 'reference-unresolvable', at, member, message })
  }

  /** The target's own name, or one with that of its file if the document uses the name already. */
  function freeName(section: readonly string[], target: Target): string {
    const taken = valueAt(content, section)
    const names =
      given.get(section.join('/')) ?? new Set(isJsonObject(taken) ? Object.keys(taken) : [])
    given.set(section.join('/'), names)
    const stem = posix.basename(target.file).replace(/\.(ya?ml|json)$/, '')
    const plain = (target.names.at(-1) ?? stem).replace(/[^A-Za-z0-9._-]/g, '-')
    for (let attempt = 0; ; attempt++) {
      const name = [plain, `${stem}.${plain}`][attempt] ?? `${stem}.${plain}.${attempt}`
      if (names.has(name)) continue
      names.add(name)
      return name
    }
  }

  /** A copy of `holder` that has `copies` in one of its sections, after what is there. */
  function withMembers(
    holder: Json | undefined,
    [first, ...rest]: readonly string[],
    copies: JsonObject,
  ): JsonObject {
    const before = isJsonObject(holder) ? holder : {}
    const copy =
      first === undefined
        ? { ...before, ...copies }
        : { ...before, [first]: withMembers(before[first], rest, copies) }
    sources.adopt(copy, isJsonObject(holder) ? holder : content)
    return copy
  }
}

/** Whether anything in a value looks like a reference that bundling resolves. */
function refersElsewhere(content: JsonObject): boolean {
  const paths = content['paths']
  const items = objectMembersOf(paths)
  const operations = items.flatMap(([, item]) => objectMembersOf(item))
  const mayBeReferences = [...items, ...operations].map(([, object]) => object)
  if (isJsonObject(paths)) mayBeReferences.push(paths)
  if (mayBeReferences.some((object) => object['$ref'] !== undefined)) return true
  const pending: (Json | undefined)[] = [content]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (isJsonArray(value)) for (const item of value) pending.push(item)
    else if (isJsonObject(value)) {
      const reference = value['$ref']
      if (typeof reference === 'string' && !reference.startsWith('#')) return true
      for (const member of Object.values(value))
        if (typeof member === 'object') pending.push(member)
    }
  }
  return false
}
