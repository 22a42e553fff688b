import type { JsonObject } from '../catalogue.ts'
import { isJsonArray, isJsonObject, objectMembersOf, pointerToken } from '../json.ts'
import type { Sources } from '../source.ts'
import { type Located, locate } from './reference.ts'
import { createSchemaCompiler, type SchemaCompilerOptions } from './schema-compiler.ts'
import { type Visited, walkDocument } from './walk-document.ts'

/** A published example, with the schema it must match. */
interface Example {
  readonly value: unknown
  readonly schema: string
  readonly at: object
  readonly member: string | number
}

/**
 * Creates the check that every schema of a document compiles and every example
 * matches its schema. What two documents share is checked once.
 */
export function createExampleCheck(
  sources: Sources,
  options: SchemaCompilerOptions,
): (document: JsonObject) => void {
  /** What was already checked in an object, by what the object was parsed from. */
  const checked = new Map<object, Set<unknown>>()

  function isNew(at: object, what: unknown): boolean {
    const origin = sources.origin(at)
    const done = checked.get(origin) ?? new Set()
    if (done.has(what)) return false
    checked.set(origin, done.add(what))
    return true
  }

  /** An example that several refer to must match the schema of each. */
  function isNewExample(holder: object, { at, member }: Example): boolean {
    return member === 'value' ? isNew(holder, sources.origin(at)) : isNew(at, member)
  }

  return (document) => {
    const schemas = createSchemaCompiler(document, options)
    const failures = new Map<string, string | undefined>()
    const innermost = new Map<string, Located | undefined>()
    const reported = new Set<JsonObject>()
    const visited = walkDocument(document)
    const indexes = new Map(visited.map(({ value }, index) => [value, index]))

    /** Where the schema is that `pointer` leads to. */
    function placeOf(pointer: string): string {
      return locate(document, pointer)?.pointer ?? pointer
    }

    function failureOf(pointer: string): string | undefined {
      const place = placeOf(pointer)
      if (!failures.has(place)) failures.set(place, schemas.compile(place))
      return failures.get(place)
    }

    function compiles(pointer: string): boolean {
      if (failureOf(pointer) === undefined) return true
      const at = innermostFailure(pointer, new Set())
      if (at !== undefined && !reported.has(at.value)) {
        reported.add(at.value)
        const words = failureOf(at.pointer) ?? ''
        const message = words.replaceAll(/^strict mode: | ignored in schema at path ".*"$/g, '')
        sources.warn({ rule: 'schema-uncompilable', at: at.value, message })
      }
      return false
    }

    /** A schema that fails makes fail what holds it, and all that refer to it. */
    function innermostFailure(pointer: string, seen: Set<string>): Located | undefined {
      const place = placeOf(pointer)
      if (innermost.has(place)) return innermost.get(place)
      seen.add(place)
      const at = locate(document, pointer)
      const inner = at && failingPart(at.value, seen)
      const found = inner === undefined ? at : innermostFailure(inner, seen)
      innermost.set(place, found)
      return found
    }

    /** The pointer of the first schema inside a failing one that fails, too, and was not seen. */
    function failingPart(schema: JsonObject, seen: ReadonlySet<string>): string | undefined {
      let index = indexes.get(schema) ?? visited.length
      const inside = `${visited[index]?.pointer}/`
      // What an object holds follows it.
      for (;;) {
        index += 1
        const part = visited[index]
        if (part?.pointer.startsWith(inside) !== true) return undefined
        const { kind, pointer } = part
        if (kind !== 'schema' || failureOf(pointer) === undefined) continue
        if (!seen.has(placeOf(pointer))) return pointer
      }
    }

    // Inner schemas last would blame the outer ones: what is referred to comes first.
    for (const { kind, value, pointer } of [...visited].reverse()) {
      if (kind === 'schema' && isComponent(pointer) && isNew(value, '')) compiles(pointer)
    }
    for (const holder of visited) {
      const { kind, value, pointer } = holder
      const holdsSchema = kind === 'mediaType' || kind === 'parameter' || kind === 'header'
      if (holdsSchema && isNew(value, 'schema')) compiles(`${pointer}/schema`)
      for (const example of examplesOf(document, holder)) {
        if (!isNewExample(value, example) || !compiles(example.schema)) continue
        for (const { path, rule, message } of schemas.faults(example.schema, example.value)) {
          const where = path === '' ? 'the example' : `${path} of the example`
          const { at, member } = example
          const fault =
            rule === 'required' ? `the example lacks the property ${path}` : `${where} ${message}`
          sources.warn({ rule: 'example-mismatch', at, member, message: fault })
        }
      }
    }
  }
}

function isComponent(pointer: string): boolean {
  return /^\/components\/schemas\/[^/]+$/.test(pointer)
}

function examplesOf(document: JsonObject, { kind, value, pointer }: Visited): readonly Example[] {
  const examples: Example[] = []
  if (kind === 'schema') {
    const list = value['examples']
    for (const [member, item] of isJsonArray(list) ? list.entries() : []) {
      examples.push({ value: item, schema: pointer, at: isJsonArray(list) ? list : value, member })
    }
  } else if (kind === 'mediaType' || kind === 'parameter' || kind === 'header') {
    for (const [name] of objectMembersOf(value['examples'])) {
      const example = locate(document, `${pointer}/examples/${pointerToken(name)}`)?.value
      if (!isJsonObject(example) || example['value'] === undefined) continue
      const schema = `${pointer}/schema`
      examples.push({ value: example['value'], schema, at: example, member: 'value' })
    }
  } else return []
  if (value['example'] !== undefined) {
    const schema = kind === 'schema' ? pointer : `${pointer}/schema`
    examples.push({ value: value['example'], schema, at: value, member: 'example' })
  }
  return examples
}
