import { isPsd2Role, type Psd2Role, psd2Roles } from '../../certificates/psd2-role.ts'
import {
  type DeclaredNames,
  type JsonObject,
  type Method,
  methods,
  type Segment,
} from '../catalogue.ts'
import { isJsonArray, isJsonObject, objectMembersOf, objectsOf, stringsOf } from '../json.ts'
import { parseTemplate, shapeOf } from '../path-template.ts'
import type { Sources } from '../source.ts'
import { declaredNames } from './declared-names.ts'
import { operationIdOf } from './operation-id.ts'
import { locate } from './reference.ts'

/** An operation of a document, as far as routing, counting and lists need it. */
export interface ReadOperation {
  readonly id: string
  readonly method: Method
  /** The path as the document writes it. */
  readonly template: string
  readonly segments: readonly Segment[]
  /** Its id, if the document gives none. */
  readonly summary: string
  /** Its first tag; empty without one. */
  readonly tag: string
  readonly hasBody: boolean
  readonly declared: DeclaredNames
  /** Undefined: the document asks for none. */
  readonly psd2Role: Psd2Role | undefined
  /** The operation in the document. */
  readonly object: JsonObject
}

/** Methods of OpenAPI that the gateway forwards for no API. */
const unserved = ['head', 'options', 'trace', 'query'] as const

/**
 * Reads the operations of a document of any version, in its order. Reports
 * paths that cannot be routed, and warns of what is not served as written.
 */
export function readOperations(sources: Sources, document: JsonObject): readonly ReadOperation[] {
  const operations = new Map<string, ReadOperation>()
  const owners = new Map<string, string>()
  const paths = document['paths']
  if (!isJsonObject(paths)) return []
  for (const [template, item] of objectMembersOf(paths)) {
    if (template.startsWith('x-')) continue
    warnOfUnserved(sources, item)
    const segments = segmentsOf(sources, paths, template)
    if (segments === undefined) continue
    for (const method of methods) {
      const object = item[method.toLowerCase()]
      if (!isJsonObject(object)) continue
      const route = `${method} ${segments.map(shapeOf).join('/')}`
      const owner = owners.get(route)
      if (owner !== undefined) {
        const message = `is the same call as ${owner}, and counts as that`
        sources.warn({ rule: 'operation-merged', at: item, member: method.toLowerCase(), message })
        continue
      }
      const id = operationIdOf(object, { method, template }, operations)
      owners.set(route, `${method} ${template}`)
      if (id !== object['operationId']) warnOfId(sources, object, id)
      operations.set(id, {
        id,
        method,
        template,
        segments,
        summary: textOf(object['summary']) ?? id,
        tag: stringsOf(object['tags'])[0] ?? '',
        hasBody: hasBody(document, item, object),
        declared: declaredNames(document, template, method),
        psd2Role: psd2RoleOf(sources, object),
        object,
      })
    }
  }
  return [...operations.values()]
}

/** Undefined for a path that was reported. */
function segmentsOf(
  sources: Sources,
  paths: object,
  template: string,
): readonly Segment[] | undefined {
  const segments = parseTemplate(template)
  if (!('message' in segments)) return segments
  const message = `the segment ${JSON.stringify(segments.segment)} ${segments.message}`
  sources.report({ rule: 'path-segment', at: paths, member: template, message })
  return undefined
}

function warnOfUnserved(sources: Sources, item: JsonObject): void {
  const additional = item['additionalOperations']
  const members = [
    ...unserved.filter((member) => item[member] !== undefined),
    ...(additional === undefined ? [] : ['additionalOperations']),
  ]
  for (const member of members) {
    const message = `is not served; methods are ${methods.join(', ')}`
    sources.warn({ rule: 'method-not-served', at: item, member, message })
  }
}

function warnOfId(sources: Sources, at: JsonObject, id: string): void {
  const { operationId } = at
  const warn = (rule: string, message: string) =>
    sources.warn({
      rule,
      at,
      member: 'operationId',
      message: `${message}; it is counted and shown as ${id}`,
    })
  if (typeof operationId !== 'string')
    warn('operation-id-missing', 'the operation has no operationId')
  else if (/[^A-Za-z0-9._-]/.test(operationId)) {
    warn(
      'operation-id-format',
      `${JSON.stringify(operationId)} has characters other than letters, digits and "._-"`,
    )
  } else
    warn(
      'operation-id-duplicate',
      `${JSON.stringify(operationId)} is also the id of an earlier operation`,
    )
}

/** Whether the document describes a request body: `requestBody`, or in OpenAPI 2.0 a parameter in the body or a form. */
function hasBody(document: JsonObject, item: JsonObject, operation: JsonObject): boolean {
  if (isJsonObject(operation['requestBody'])) return true
  return [operation, item].some(({ parameters }) =>
    (isJsonArray(parameters) ? objectsOf(parameters) : []).some((parameter) => {
      const { $ref: reference } = parameter
      const place =
        typeof reference === 'string' ? locate(document, reference.slice(1))?.value : parameter
      return place?.['in'] === 'body' || place?.['in'] === 'formData'
    }),
  )
}

/** Reads `x-psd2-role`: the role that a client certificate must have for the operation. */
function psd2RoleOf(sources: Sources, at: JsonObject): Psd2Role | undefined {
  const role = at['x-psd2-role']
  if (role === undefined || isPsd2Role(role)) return role
  sources.report({
    rule: 'psd2-role',
    at,
    member: 'x-psd2-role',
    message: `${JSON.stringify(role)} is not one of ${psd2Roles.join(', ')}`,
    example: 'PSP_AI',
  })
  return undefined
}

/** Undefined for a text that shows nothing. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
