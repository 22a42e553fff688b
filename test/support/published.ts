import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import {
  type ApiVersion,
  type Json,
  type JsonObject,
  type OpenApiDocument,
  type Operation,
  versionKey,
} from '../../src/catalogue/catalogue.ts'
import {
  type OperationObject,
  operationObject,
} from '../../src/catalogue/documents/operation-object.ts'
import { type Located, member, membersOf } from '../../src/catalogue/documents/reference.ts'
import { isJsonObject, objectMembersOf, pointerNames, valueAt } from '../../src/catalogue/json.ts'
import { publishedCatalogue } from './published-catalogue.ts'

const catalogue = await publishedCatalogue()

/** One media type of a request or an answer, with its examples. */
export interface PublishedBody {
  readonly operation: Operation
  /** `request`, or the status as published. */
  readonly of: string
  readonly mediaType: string
  /** JSON pointer of the schema in the document. */
  readonly schema: string
  readonly examples: readonly (readonly [name: string, value: Json])[]
}

/** A published version, with look-ups of its operations, bodies and schemas. */
export interface Published extends Omit<ApiVersion, 'document'> {
  readonly document: OpenApiDocument
  readonly bodies: readonly PublishedBody[]
  /** The operation object with that id in the document. */
  describe(operationId: string): OperationObject
  /** The body of an operation, by `request` or status. */
  body(operationId: string, of: string, mediaType?: string): PublishedBody
  /** Checks values against the schema at a JSON pointer of the document. */
  validator(pointer: string): ValidateFunction
}

/** A version in the repository's own `config`, for example `xs2a`, `1.7.0`. */
export function published(api: string, version: string): Published {
  const found = catalogue.versions.get(versionKey(api, version))
  if (found === undefined) throw new Error(`config has no ${versionKey(api, version)}`)
  const { operations } = found
  const document = found.document.read()
  // Strict: an unknown keyword or a rule that can never apply is a mistake in the document.
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true })
  ajvFormats.default(ajv)
  // Ajv also compiles the document, whose own members are not keywords.
  ajv.addVocabulary([...Object.keys(document), 'x-form'])
  ajv.addSchema(document, 'document')
  const validators = new Map<string, ValidateFunction>()

  function describe(operationId: string): OperationObject {
    const operation = operations.find(({ id }) => id === operationId)
    const object = operation && operationObject(document, operation.template, operation.method)
    if (object === undefined) throw new Error(`no operation ${operationId}`)
    return object
  }

  function bodiesOf(operation: Operation): PublishedBody[] {
    const { requestBody, responses } = describe(operation.id)
    const sources: (readonly [string, Located])[] = [...responses]
    if (requestBody !== undefined) sources.unshift(['request', requestBody])
    return sources.flatMap(([of, object]) =>
      membersOf(document, object, 'content').map(([mediaType, content]) => {
        const schema = member(document, content, 'schema')
        if (schema === undefined) throw new Error(`${operation.id} ${of} has no schema`)
        const examples = objectMembersOf(content.value['examples']).map(
          ([name, example]) => [name, example['value'] ?? null] as const,
        )
        return { operation, of, mediaType, schema: schema.pointer, examples }
      }),
    )
  }

  const bodies = operations.flatMap(bodiesOf)

  function body(operationId: string, of: string, mediaType = 'application/json'): PublishedBody {
    const found = bodies.find(
      (body) => body.operation.id === operationId && body.of === of && body.mediaType === mediaType,
    )
    if (found === undefined) throw new Error(`${operationId} has no ${mediaType} for ${of}`)
    return found
  }

  function validator(pointer: string): ValidateFunction {
    const known = validators.get(pointer)
    if (known !== undefined) return known
    const validate = ajv.getSchema(`document#${encodeURI(pointer)}`)
    if (validate === undefined) throw new Error(`no schema at ${pointer}`)
    validators.set(pointer, validate)
    return validate
  }

  return { ...found, document, bodies, describe, body, validator }
}

/** The schema itself, followed by the schemas that its `$ref` chain leads to. */
export function withReferred(document: JsonObject, schema: JsonObject): readonly JsonObject[] {
  const reference = schema['$ref']
  if (typeof reference !== 'string') return [schema]
  const target = valueAt(document, pointerNames(reference.slice(1)) ?? [])
  if (!isJsonObject(target)) throw new Error(`${reference} does not refer to a schema`)
  return [schema, ...withReferred(document, target)]
}
