import type { ApiVersion, JsonObject } from '../../src/catalogue/catalogue.ts'
import { type Fields, findMediaType, mediaTypesOf } from '../../src/catalogue/contract.ts'
import {
  type OperationObject,
  operationObject,
  type Parameter,
} from '../../src/catalogue/documents/operation-object.ts'
import { type Located, membersOf } from '../../src/catalogue/documents/reference.ts'
import {
  createSchemaCompiler,
  type SchemaCompiler,
} from '../../src/catalogue/documents/schema-compiler.ts'
import { readParameter } from '../../src/catalogue/parameter-value.ts'

export interface ContractResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Fields
  /** Parsed if it is JSON; undefined without a body. */
  readonly body: unknown
  /** As sent, parameters included; undefined if absent. */
  readonly contentType: string | undefined
}

/** One thing in an answer that is not as published. */
export interface ResponseViolation {
  readonly in: 'status' | 'header' | 'body'
  readonly path: string
  readonly rule: string
  readonly message: string
}

/** Checks an answer: status, media type, headers and body. Headers that are not published are ignored. */
export type AnswerContract = (response: ContractResponse) => readonly ResponseViolation[]

/** What the operations of a version promise to answer, by operationId. */
export function answerContracts(version: ApiVersion): ReadonlyMap<string, AnswerContract> {
  const { operations } = version
  const document = version.document.read()
  const schemas = createSchemaCompiler(document)
  return new Map(
    operations.map(({ id, template, method }) => {
      const operation = operationObject(document, template, method)
      if (operation === undefined) throw new Error(`the document does not have ${id}`)
      return [id, (response) => checkResponse(document, operation, schemas, response)]
    }),
  )
}

function checkResponse(
  document: JsonObject,
  operation: OperationObject,
  schemas: SchemaCompiler,
  { status, headers, body, contentType }: ContractResponse,
): readonly ResponseViolation[] {
  const response = findResponse(operation, status)
  if (response === undefined) {
    const known = operation.responses.map(([name]) => name).join(', ')
    const message = `is not documented; there are: ${known}`
    return [{ in: 'status', path: String(status), rule: 'undocumented', message }]
  }
  const violations: ResponseViolation[] = []
  for (const [name, header] of membersOf(document, response, 'headers')) {
    // OpenAPI describes the media type elsewhere (4.8.17.1).
    if (name.toLowerCase() === 'content-type') continue
    violations.push(...checkHeader(document, schemas, name, header, headers[name.toLowerCase()]))
  }
  return [...violations, ...checkResponseBody(response, schemas, body, contentType)]
}

/** The exact status, else its class (`4XX`), else `default` (OpenAPI 3.1, 4.8.16.1). */
function findResponse({ responses }: OperationObject, status: number): Located | undefined {
  const byStatus = new Map(responses)
  return (
    byStatus.get(String(status)) ??
    byStatus.get(`${Math.floor(status / 100)}XX`) ??
    byStatus.get('default')
  )
}

function checkHeader(
  document: JsonObject,
  schemas: SchemaCompiler,
  name: string,
  header: Located,
  sent: string | readonly string[] | undefined,
): readonly ResponseViolation[] {
  const isRequired = header.value['required'] === true
  const parameter: Parameter = { name, in: 'header', isRequired, object: header }
  const read = readParameter({ document, parameter, sent })
  if (read.kind === 'doubled') {
    return [{ in: 'header', path: name, rule: 'doubled', message: 'must be sent once' }]
  }
  if (read.kind === 'absent' || read.isDefault) {
    return isRequired
      ? [{ in: 'header', path: name, rule: 'required', message: 'is required' }]
      : []
  }
  return schemas
    .faults(`${header.pointer}/schema`, read.value)
    .map(({ rule, message }) => ({ in: 'header', path: name, rule, message }))
}

function checkResponseBody(
  response: Located,
  schemas: SchemaCompiler,
  body: unknown,
  contentType: string | undefined,
): readonly ResponseViolation[] {
  const known = mediaTypesOf(response)
  if (known.length === 0) {
    if (body === undefined) return []
    return [{ in: 'body', path: '', rule: 'unexpected', message: 'must not be sent' }]
  }
  if (body === undefined) {
    return [{ in: 'body', path: '', rule: 'required', message: 'is required' }]
  }
  const mediaType = findMediaType(response, contentType)
  if (mediaType === undefined) {
    const message = `must be ${known.join(', ')}`
    return [{ in: 'header', path: 'Content-Type', rule: 'media-type', message }]
  }
  return schemas
    .faults(`${mediaType}/schema`, body)
    .map(({ path, rule, message }) => ({ in: 'body', path, rule, message }))
}
