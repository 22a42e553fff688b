import type { ApiVersion, JsonObject, Operation } from './catalogue.ts'
import {
  type OperationObject,
  operationObject,
  type Parameter,
} from './documents/operation-object.ts'
import { type Located, locate } from './documents/reference.ts'
import { createSchemaCompiler, type SchemaCompiler } from './documents/schema-compiler.ts'
import { listValues } from './documents/schema-faults.ts'
import { frozenMap } from './frozen-map.ts'
import { isJsonObject, pointerToken } from './json.ts'
import { type ParameterValue, readParameter } from './parameter-value.ts'

/** Field values as Node's HTTP server and `node:querystring` give them: an array when a name came more than once. */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>

export interface ContractRequest {
  /** Values by the names of the path's parameters. */
  readonly path: Readonly<Record<string, string>>
  readonly query: Fields
  /** Names in lower case. */
  readonly headers: Fields
  /** Parsed JSON; undefined when there is no body. */
  readonly body: unknown
}

/** One thing in a request that is not as published. Never repeats a value. */
export interface Violation {
  readonly in: 'path' | 'query' | 'header' | 'body'
  /** The parameter's name as published, or the dotted place in the body, empty for the body itself. */
  readonly path: string
  /** The keyword of JSON Schema that is not kept; or `doubled`, `unexpected`, `media-type`. */
  readonly rule: string
  /** A sentence without its subject: `is required`. */
  readonly message: string
}

/** Values of the documented parameters that were sent or have a default, typed as their schemas say. */
export type ParameterValues = Readonly<Record<string, ParameterValue>>

export interface CheckedRequest {
  /** Empty when the request is as published. */
  readonly violations: readonly Violation[]
  readonly path: ParameterValues
  readonly query: ParameterValues
  /** By names in lower case. */
  readonly headers: ParameterValues
  readonly body: unknown
}

/** What one operation of a version asks for. */
export interface Contract {
  /**
   * Checks a request and types its parameters. Nothing given is changed; query
   * parameters that are not published are ignored.
   */
  request(request: ContractRequest): CheckedRequest
  /**
   * Compiles one more of the schemas that `request` needs, so that no caller
   * has to wait for it: a body's can take 100 ms. Between two steps other work
   * can go on.
   *
   * @returns whether there was one left
   * @throws {Error} when it does not compile
   */
  prepare(): boolean
}

/**
 * Makes the contracts of a version from its document, by operationId. Each
 * schema is compiled when it is first needed, or by `prepare` before.
 */
export function compileContracts(version: ApiVersion): ReadonlyMap<string, Contract> {
  const document = version.document.read()
  const schemas = createSchemaCompiler(document)
  return frozenMap(
    version.operations.map((operation) => [
      operation.id,
      createContract(document, operation, schemas),
    ]),
  )
}

function createContract(
  document: JsonObject,
  { template, method, id }: Operation,
  schemas: SchemaCompiler,
): Contract {
  const operation = operationObject(document, template, method)
  if (operation === undefined) throw new Error(`the document does not have ${id}`)
  const unprepared = requestSchemas(operation)
  return {
    prepare() {
      const pointer = unprepared.shift()
      if (pointer === undefined) return false
      const failure = schemas.compile(pointer)
      if (failure !== undefined) throw new Error(`${id}: ${failure}`)
      return true
    },
    request: (request) => checkRequest(document, operation, schemas, request),
  }
}

function checkRequest(
  document: JsonObject,
  operation: OperationObject,
  schemas: SchemaCompiler,
  request: ContractRequest,
): CheckedRequest {
  const violations: Violation[] = []
  const values = {
    path: new Map<string, ParameterValue>(),
    query: new Map<string, ParameterValue>(),
    header: new Map<string, ParameterValue>(),
  }
  for (const parameter of operation.parameters) {
    const place = placeOf(parameter)
    if (place === undefined) continue
    const name = place === 'header' ? parameter.name.toLowerCase() : parameter.name
    const fields: Fields = place === 'header' ? request.headers : request[place]
    const sent = Object.hasOwn(fields, name) ? fields[name] : undefined
    const read = readParameter({ document, parameter, sent })
    const add = (rule: string, message: string) =>
      violations.push({ in: place, path: parameter.name, rule, message })
    if (read.kind === 'doubled') add('doubled', 'must be sent once')
    else if (read.kind === 'absent') {
      if (parameter.isRequired) add('required', `is required${choiceOf(document, parameter)}`)
    } else {
      const pointer = `${parameter.object.pointer}/schema`
      const faults = read.isDefault ? [] : schemas.faults(pointer, read.value)
      for (const { rule, message } of faults) add(rule, message)
      values[place].set(name, read.value)
    }
  }
  checkRequestBody(operation, schemas, request, violations)
  return {
    violations,
    path: Object.fromEntries(values.path),
    query: Object.fromEntries(values.query),
    headers: Object.fromEntries(values.header),
    body: request.body,
  }
}

/** Places of the schemas of an operation's request, small ones first. */
function requestSchemas({ parameters, requestBody }: OperationObject): string[] {
  const types = requestBody === undefined ? [] : mediaTypesOf(requestBody)
  return [
    ...parameters.map(({ object }) => `${object.pointer}/schema`),
    ...types.map((type) => `${requestBody?.pointer}/content/${pointerToken(type)}/schema`),
  ]
}

function placeOf(parameter: Parameter): 'path' | 'query' | 'header' | undefined {
  const { in: place } = parameter
  return place === 'path' || place === 'query' || place === 'header' ? place : undefined
}

/** `: one of "booked", "both"`, if the schema of a parameter lists its values. */
function choiceOf(document: JsonObject, { object }: Parameter): string {
  const values = locate(document, `${object.pointer}/schema`)?.value['enum']
  return values === undefined ? '' : `: one of ${listValues(values)}`
}

function checkRequestBody(
  { requestBody }: OperationObject,
  schemas: SchemaCompiler,
  { body, headers }: ContractRequest,
  violations: Violation[],
): void {
  const add = (path: string, rule: string, message: string) =>
    violations.push({ in: 'body', path, rule, message })
  if (requestBody === undefined) {
    if (body !== undefined) add('', 'unexpected', 'must not be sent')
    return
  }
  if (body === undefined) {
    if (requestBody.value['required'] === true) add('', 'required', 'is required')
    return
  }
  const sent = headers['content-type']
  const mediaType = findMediaType(requestBody, typeof sent === 'string' ? sent : undefined)
  if (mediaType === undefined) {
    const known = mediaTypesOf(requestBody).join(', ')
    violations.push({
      in: 'header',
      path: 'Content-Type',
      rule: 'media-type',
      message: `must be ${known}`,
    })
    return
  }
  for (const { path, rule, message } of schemas.faults(`${mediaType}/schema`, body)) {
    add(path, rule, message)
  }
}

/** The documented media types of a body. */
export function mediaTypesOf(holder: Located): readonly string[] {
  const content = holder.value['content']
  return isJsonObject(content) ? Object.keys(content) : []
}

/** The pointer of the documented media type; parameters (`charset`) and case do not count (RFC 9110, 8.3.1). */
export function findMediaType(holder: Located, sent: string | undefined): string | undefined {
  const essence = sent?.split(';', 1)[0]?.trim().toLowerCase()
  const name = mediaTypesOf(holder).find((known) => known.toLowerCase() === essence)
  return name === undefined ? undefined : `${holder.pointer}/content/${pointerToken(name)}`
}
