import { isPsd2Role, type Psd2Role, psd2Roles } from '../certificates/psd2-role.ts'
import { type JsonObject, type Method, methods, type Segment } from './catalogue.ts'
import { isJsonArray, isJsonObject, objectMembersOf, pointerToken } from './json.ts'
import {
  isSameParameter,
  type OperationObject,
  operationObject,
  type Parameter,
  parameterPlaces,
  parametersOf,
} from './operation-object.ts'
import { parseTemplate } from './path-template.ts'
import { locate } from './reference.ts'
import type { Sources } from './source.ts'

/** A method on a path that can be routed. */
export interface Route {
  readonly method: Method
  readonly template: string
  readonly segments: readonly Segment[]
  readonly operation: OperationObject
}

/** An operation of a checked document. */
export interface CheckedOperation extends Route {
  readonly id: string
  readonly summary: string
  /** Undefined: the document asks for none. */
  readonly psd2Role: Psd2Role | undefined
}

/** The operations of a document. */
export interface DocumentOperations {
  /** Those that can be named and routed. */
  readonly checked: readonly CheckedOperation[]
  /** Those, and those of which an id was reported. */
  readonly routes: readonly Route[]
  /** Those, and those of which an id or a path was reported: their other parts are checked, too. */
  readonly all: readonly OperationObject[]
}

/** Checks paths, operations, parameters and status codes of a document. */
export function checkOperations(sources: Sources, document: JsonObject): DocumentOperations {
  const checked: CheckedOperation[] = []
  const routes: Route[] = []
  const owners = new Map<string, string>()
  const all: OperationObject[] = []
  const paths = document['paths']
  const namesByPosition = new Map<string, { name: string; template: string }>()
  for (const [template, pathItem] of objectMembersOf(paths)) {
    if (template.startsWith('x-') || !isJsonObject(paths)) continue
    const segments = segmentsOf(sources, paths, template)
    if (segments !== undefined) {
      checkParameterNames(sources, paths, template, segments, namesByPosition)
    }
    checkParameterList(sources, document, pathItem, template)
    for (const method of methods) {
      const operation = operationObject(document, template, method)
      if (operation === undefined) continue
      all.push(operation)
      checkParameters(sources, operation, template, segments)
      checkBody(sources, operation, method)
      checkResponses(sources, operation)
      checkSecurity(sources, document, operation)
      const role = psd2Role(sources, operation)
      const id = operationId(sources, operation, owners)
      if (id !== undefined) owners.set(id, `${method} ${template}`)
      if (segments === undefined) continue
      const route = { method, template, segments, operation }
      routes.push(route)
      if (id === undefined) continue
      const summary = operation.object.value['summary']
      checked.push({
        ...route,
        id,
        summary: typeof summary === 'string' ? summary : '',
        psd2Role: role,
      })
    }
  }
  return { checked, routes, all }
}

/** Undefined for a path that was reported. */
function segmentsOf(
  sources: Sources,
  paths: object,
  template: string,
): readonly Segment[] | undefined {
  const segments = parseTemplate(template)
  if (typeof segments !== 'string') return segments
  const message = `the segment ${JSON.stringify(segments)} is neither literal (letters, digits, "-._~") nor one {parameter}`
  const example = '/accounts/{account-id}'
  sources.report({ rule: 'path-segment', at: paths, member: template, message, example })
  return undefined
}

/** Two names for one position would make the parameter's name depend on what follows it. */
function checkParameterNames(
  sources: Sources,
  paths: object,
  template: string,
  segments: readonly Segment[],
  namesByPosition: Map<string, { name: string; template: string }>,
): void {
  let position = ''
  const seen = new Set<string>()
  for (const segment of segments) {
    if (segment.kind === 'literal') {
      position += `/${segment.text}`
      continue
    }
    const { name } = segment
    const known = namesByPosition.get(position)
    if (known === undefined) namesByPosition.set(position, { name, template })
    else if (known.name !== name) {
      const message = `calls the parameter {${name}} that ${known.template} calls {${known.name}}`
      sources.report({ rule: 'parameter-name-conflict', at: paths, member: template, message })
    }
    if (seen.has(name)) {
      const message = `has the parameter {${name}} twice`
      sources.report({ rule: 'parameter-name-conflict', at: paths, member: template, message })
    }
    seen.add(name)
    position += '/{}'
  }
}

/** @param owners method and template of each id so far */
function operationId(
  sources: Sources,
  operation: OperationObject,
  owners: ReadonlyMap<string, string>,
): string | undefined {
  const at = operation.object.value
  const id = at['operationId']
  const example = 'readAccountList'
  if (typeof id !== 'string') {
    const message = 'the operation must have an operationId'
    sources.report({ rule: 'operation-id-missing', at, message, example })
    return undefined
  }
  if (!/^[A-Za-z][A-Za-z0-9]{0,63}$/.test(id)) {
    const message = `${JSON.stringify(id)} is not a letter followed by letters and digits, at most 64`
    sources.report({ rule: 'operation-id-format', at, member: 'operationId', message, example })
    return undefined
  }
  const owner = owners.get(id)
  if (owner !== undefined) {
    const message = `${JSON.stringify(id)} is the operationId of ${owner}`
    sources.report({ rule: 'operation-id-duplicate', at, member: 'operationId', message })
    return undefined
  }
  return id
}

/** Reads `x-psd2-role`: the role that a client certificate must have for the operation. */
function psd2Role(sources: Sources, { object }: OperationObject): Psd2Role | undefined {
  const role = object.value['x-psd2-role']
  if (role === undefined || isPsd2Role(role)) return role
  sources.report({
    rule: 'psd2-role',
    at: object.value,
    member: 'x-psd2-role',
    message: `${JSON.stringify(role)} is not one of ${psd2Roles.join(', ')}`,
    example: 'PSP_AI',
  })
  return undefined
}

/** The parameters a path item lists for all of its operations. */
function checkParameterList(
  sources: Sources,
  document: JsonObject,
  at: JsonObject,
  template: string,
): void {
  const pathItem = locate(document, `/paths/${pointerToken(template)}`)
  if (pathItem !== undefined) checkDoubled(sources, at, parametersOf(document, pathItem))
}

function checkDoubled(sources: Sources, at: JsonObject, parameters: readonly Parameter[]): void {
  for (const [index, parameter] of parameters.entries()) {
    if (!parameters.slice(0, index).some((other) => isSameParameter(parameter, other))) continue
    const list = at['parameters']
    const message = `the ${parameter.in} parameter ${parameter.name} is listed twice`
    const place = isJsonArray(list) ? { at: list, member: index } : { at }
    sources.report({ rule: 'parameter-duplicate', ...place, message })
  }
}

function checkParameters(
  sources: Sources,
  operation: OperationObject,
  template: string,
  segments: readonly Segment[] | undefined,
): void {
  const at = operation.object.value
  const listed = isJsonArray(at['parameters']) ? at['parameters'].length : 0
  checkDoubled(sources, at, operation.parameters.slice(0, listed))
  const inPath = new Set(
    segments?.flatMap((segment) => (segment.kind === 'parameter' ? [segment.name] : [])),
  )
  for (const parameter of operation.parameters) {
    checkParameter(sources, parameter)
    if (parameter.in !== 'path' || segments === undefined) continue
    if (!inPath.delete(parameter.name)) {
      const message = `${template} has no parameter {${parameter.name}}`
      sources.report({
        rule: 'parameter-unknown',
        at: parameter.object.value,
        member: 'name',
        message,
      })
    }
  }
  for (const name of inPath) {
    const message = `the path parameter {${name}} is not declared in parameters`
    sources.report({ rule: 'parameter-undeclared', at, message })
  }
}

/** Headers that OpenAPI itself says are described elsewhere (4.8.12.2). */
const reservedHeaders: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization'])

const styles: ReadonlyMap<string, string> = new Map([
  ['path', 'simple'],
  ['query', 'form'],
  ['header', 'simple'],
])

function checkParameter(
  sources: Sources,
  { name, in: place, isRequired, object }: Parameter,
): void {
  const at = object.value
  const known: readonly string[] = parameterPlaces
  if (!known.includes(place)) {
    const message = `must be one of ${parameterPlaces.join(', ')}`
    sources.report({ rule: 'unsupported-feature', at, member: 'in', message })
    return
  }
  const style = at['style']
  if (style !== undefined && style !== styles.get(place)) {
    const message = `only the style ${styles.get(place)} is read in the ${place}`
    sources.report({ rule: 'unsupported-feature', at, member: 'style', message })
  }
  if (place === 'path' && !isRequired) {
    const message = `the path parameter ${name} must say required: true`
    sources.report({ rule: 'openapi-structure', at, message })
  }
  if (place === 'header' && reservedHeaders.has(name.toLowerCase())) {
    const message = 'is ignored as a header parameter: describe it by content or security'
    sources.report({ rule: 'unsupported-feature', at, member: 'name', message })
  }
}

function checkBody(sources: Sources, operation: OperationObject, method: Method): void {
  if (operation.requestBody === undefined) return
  if (method !== 'GET' && method !== 'DELETE') return
  sources.report({
    rule: 'body-not-allowed',
    at: operation.object.value,
    member: 'requestBody',
    message: `a ${method} has no body: the gateway refuses one`,
  })
}

function checkResponses(sources: Sources, operation: OperationObject): void {
  const at = operation.object.value
  const responses = at['responses']
  // Their absence was reported with the structure.
  if (!isJsonObject(responses)) return
  let hasSuccess = false
  for (const status of Object.keys(responses)) {
    if (/^2([0-9]{2}|XX)$/.test(status)) hasSuccess = true
    if (/^([1-5]([0-9]{2}|XX)|default|x-.*)$/.test(status)) continue
    const message = 'is not a status code'
    sources.report({
      rule: 'openapi-structure',
      at: responses,
      member: status,
      message,
      example: '200',
    })
  }
  if (hasSuccess) return
  sources.report({
    rule: 'success-missing',
    at,
    member: 'responses',
    message: 'no 2xx answer is described',
  })
}

function checkSecurity(sources: Sources, document: JsonObject, operation: OperationObject): void {
  const components = document['components']
  const known = isJsonObject(components) ? components['securitySchemes'] : undefined
  const schemes = new Set(objectMembersOf(known).map(([name]) => name))
  for (const holder of [document, operation.object.value]) {
    const list = holder['security']
    for (const requirement of isJsonArray(list) ? list : []) {
      if (!isJsonObject(requirement)) continue
      for (const name of Object.keys(requirement)) {
        if (schemes.has(name)) continue
        const message = 'is not among components.securitySchemes of this document'
        sources.report({ rule: 'openapi-structure', at: requirement, member: name, message })
      }
    }
  }
}
