// This folder reads OpenAPI documents of versions 2.0 to 3.2. `read-document.ts` makes one document of a file, what it
// refers to and its overlay; `read-operations.ts` finds what can be routed; `upgrade.ts` gives every document the form of
// OpenAPI 3.1, which all other code reads. The rest checks documents (`check-*.ts`) and walks them.

import type { Json, JsonObject } from '../catalogue.ts'
import { isJsonArray, isJsonObject } from '../json.ts'

/** An object of OpenAPI that the code distinguishes. */
export type ObjectName =
  | 'document'
  | 'components'
  | 'pathItem'
  | 'operation'
  | 'callback'
  | 'parameter'
  | 'requestBody'
  | 'mediaType'
  | 'encoding'
  | 'response'
  | 'header'
  | 'example'
  | 'link'
  | 'securityScheme'
  | 'tag'
  | 'schema'

/** What a member of an object holds: one object, or a mapping or list of objects. */
export interface Held {
  readonly as: 'one' | 'map' | 'list'
  readonly object: ObjectName
}

const one = (object: ObjectName): Held => ({ as: 'one', object })
const map = (object: ObjectName): Held => ({ as: 'map', object })
const list = (object: ObjectName): Held => ({ as: 'list', object })

type Members = Readonly<Record<string, Held>>

function all(held: Held, names: string): Members {
  return Object.fromEntries(names.split(' ').map((name) => [name, held]))
}

/**
 * The members of each object that hold other objects, in all versions of OpenAPI
 * together. All other members are data: what looks like a reference in them is
 * none.
 */
const members: Readonly<Record<ObjectName, Members>> = {
  document: {
    ...all(map('pathItem'), 'paths webhooks'),
    components: one('components'),
    tags: list('tag'),
    // OpenAPI 2.0
    definitions: map('schema'),
    parameters: map('parameter'),
    responses: map('response'),
    securityDefinitions: map('securityScheme'),
  },
  components: {
    schemas: map('schema'),
    responses: map('response'),
    parameters: map('parameter'),
    examples: map('example'),
    requestBodies: map('requestBody'),
    headers: map('header'),
    securitySchemes: map('securityScheme'),
    links: map('link'),
    callbacks: map('callback'),
    pathItems: map('pathItem'),
    mediaTypes: map('mediaType'),
  },
  pathItem: {
    ...all(one('operation'), 'get put post delete options head patch trace query'),
    additionalOperations: map('operation'),
    parameters: list('parameter'),
  },
  operation: {
    parameters: list('parameter'),
    requestBody: one('requestBody'),
    responses: map('response'),
    callbacks: map('callback'),
  },
  callback: {},
  parameter: {
    schema: one('schema'),
    content: map('mediaType'),
    examples: map('example'),
    items: one('schema'),
  },
  requestBody: { content: map('mediaType') },
  mediaType: {
    ...all(one('schema'), 'schema itemSchema'),
    examples: map('example'),
    encoding: map('encoding'),
  },
  encoding: { headers: map('header') },
  response: {
    headers: map('header'),
    content: map('mediaType'),
    links: map('link'),
    schema: one('schema'),
  },
  header: { schema: one('schema'), content: map('mediaType'), examples: map('example') },
  example: {},
  link: {},
  securityScheme: {},
  tag: {},
  schema: {
    ...all(one('schema'), 'items contains additionalItems additionalProperties propertyNames not'),
    ...all(one('schema'), 'if then else unevaluatedItems unevaluatedProperties contentSchema'),
    ...all(list('schema'), 'allOf anyOf oneOf prefixItems'),
    ...all(map('schema'), '$defs definitions properties patternProperties dependentSchemas'),
  },
}

/** What a member of an object holds; undefined if it is data. */
export function heldBy(object: ObjectName, member: string): Held | undefined {
  if (object === 'callback') return member.startsWith('x-') ? undefined : one('pathItem')
  return Object.hasOwn(members[object], member) ? members[object][member] : undefined
}

/** Whether a name of a mapping is an extension: only paths and responses have some beside their own names. */
export function isExtension({ as, object }: Held, name: string): boolean {
  return as === 'map' && name.startsWith('x-') && (object === 'pathItem' || object === 'response')
}

/** A copy of what a member holds, with what `copy` makes of each object in it. Extensions stay as they are. */
export function copyHeld(
  value: Json | undefined,
  held: Held,
  copy: (object: JsonObject, name: ObjectName) => JsonObject,
): Json | undefined {
  if (isJsonArray(value)) {
    return value.map((item) => (isJsonObject(item) ? copy(item, held.object) : item))
  }
  if (!isJsonObject(value)) return value
  if (held.as !== 'map') return copy(value, held.object)
  const members = Object.entries(value).map(([name, item]): [string, Json | undefined] => [
    name,
    isJsonObject(item) && !isExtension(held, name) ? copy(item, held.object) : item,
  ])
  return Object.fromEntries(members)
}

/** Where the objects that may be referred to are kept in a document, as member names. */
export function sectionOf(object: ObjectName, isSwagger: boolean): readonly string[] | undefined {
  const section = isSwagger ? swaggerSections[object] : sections[object]
  if (section === undefined) return undefined
  return isSwagger ? [section] : ['components', section]
}

const sections: Readonly<Partial<Record<ObjectName, string>>> = {
  schema: 'schemas',
  response: 'responses',
  parameter: 'parameters',
  example: 'examples',
  requestBody: 'requestBodies',
  header: 'headers',
  link: 'links',
  callback: 'callbacks',
  mediaType: 'mediaTypes',
}

const swaggerSections: Readonly<Partial<Record<ObjectName, string>>> = {
  schema: 'definitions',
  response: 'responses',
  parameter: 'parameters',
}
