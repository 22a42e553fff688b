import type { Json } from './catalogue.ts'
import { isJsonArray } from './json.ts'

/**
 * What a value of an OpenAPI 3.1 document may be: a scalar, any JSON, a JSON
 * schema, an object of {@link objects}, or a map or list of those.
 */
export type Shape =
  | ScalarShape
  | 'json'
  | 'schema'
  | ObjectName
  | { readonly map: Shape }
  | { readonly list: Shape }

/** Scalars, from "any text" to those a schema keyword needs. */
export type ScalarShape = keyof typeof scalars

export type ObjectName = keyof typeof objects

interface ObjectShape<S = Shape> {
  readonly required: readonly string[]
  readonly members: Readonly<Record<string, S>>
  /** Members OpenAPI has and we do not honour, with the reason. They are refused, because ignoring them would be a lie. */
  readonly refused?: Readonly<Record<string, string>>
}

/** {@link Shape} for the table itself, whose names cannot refer to the type made from it. */
type ShapeOf = string | { readonly map: ShapeOf } | { readonly list: ShapeOf }

/** Members of one shape: `all('string', 'name url')`. */
function all<S extends ShapeOf>(shape: S, names: string): Readonly<Record<string, S>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, shape]))
}

/**
 * The objects of OpenAPI 3.1 (sections 4.8.1 to 4.8.30), as far as a gateway
 * that publishes, validates and diffs them honours them. Every object may also
 * have members that begin with `x-`.
 */
export const objects = {
  document: {
    required: ['openapi', 'info', 'servers', 'paths'],
    members: {
      openapi: 'string',
      info: 'info',
      servers: { list: 'server' },
      paths: { map: 'pathItem' },
      components: 'components',
      security: { list: { map: { list: 'string' } } },
      tags: { list: 'tag' },
      externalDocs: 'externalDocs',
    },
    refused: {
      webhooks: 'the gateway makes no calls of its own',
      jsonSchemaDialect: 'schemas are of draft 2020-12',
    },
  },
  info: {
    required: ['title', 'version'],
    members: {
      ...all('string', 'title version summary description termsOfService'),
      contact: 'contact',
      license: 'license',
    },
  },
  contact: { required: [], members: all('string', 'name url email') },
  license: { required: ['name'], members: all('string', 'name identifier url') },
  server: {
    required: ['url'],
    members: all('string', 'url description'),
    refused: { variables: 'the address of a version is fixed' },
  },
  tag: {
    required: ['name'],
    members: { ...all('string', 'name description'), externalDocs: 'externalDocs' },
  },
  externalDocs: { required: ['url'], members: all('string', 'url description') },
  components: {
    required: [],
    members: {
      schemas: { map: 'schema' },
      responses: { map: 'response' },
      parameters: { map: 'parameter' },
      examples: { map: 'example' },
      requestBodies: { map: 'requestBody' },
      headers: { map: 'header' },
      securitySchemes: { map: 'securityScheme' },
      pathItems: { map: 'pathItem' },
    },
    refused: { links: 'nothing reads them', callbacks: 'the gateway makes no calls of its own' },
  },
  pathItem: {
    required: [],
    members: {
      ...all('operation', 'get post put patch delete'),
      ...all('string', 'summary description'),
      parameters: { list: 'parameter' },
    },
    refused: {
      head: 'HEAD is never an operation',
      options: 'OPTIONS is never an operation',
      trace: 'TRACE is never an operation',
      servers: 'a version has one address',
    },
  },
  operation: {
    required: ['responses'],
    members: {
      ...all('string', 'operationId summary description'),
      tags: { list: 'string' },
      externalDocs: 'externalDocs',
      parameters: { list: 'parameter' },
      requestBody: 'requestBody',
      responses: { map: 'response' },
      deprecated: 'boolean',
      security: { list: { map: { list: 'string' } } },
    },
    refused: {
      servers: 'a version has one address',
      callbacks: 'the gateway makes no calls of its own',
    },
  },
  parameter: {
    required: ['name', 'in', 'schema'],
    members: {
      ...all('string', 'name in description style'),
      ...all('boolean', 'required deprecated explode'),
      schema: 'schema',
      example: 'json',
      examples: { map: 'example' },
    },
    refused: {
      content: 'parameters are described by a schema',
      allowEmptyValue: 'OpenAPI itself advises against it',
      allowReserved: 'the query is read as it is sent',
    },
  },
  requestBody: {
    required: ['content'],
    members: { description: 'string', content: { map: 'mediaType' }, required: 'boolean' },
  },
  mediaType: {
    required: ['schema'],
    members: { schema: 'schema', example: 'json', examples: { map: 'example' } },
    refused: { encoding: 'bodies are JSON' },
  },
  response: {
    required: ['description'],
    members: { description: 'string', headers: { map: 'header' }, content: { map: 'mediaType' } },
    refused: { links: 'nothing reads them' },
  },
  header: {
    required: ['schema'],
    members: {
      ...all('boolean', 'required deprecated'),
      description: 'string',
      schema: 'schema',
      example: 'json',
      examples: { map: 'example' },
    },
    refused: { content: 'headers are described by a schema', style: 'only simple exists' },
  },
  example: {
    required: [],
    members: { ...all('string', 'summary description'), value: 'json' },
    refused: { externalValue: 'an example that is elsewhere cannot be checked' },
  },
  securityScheme: {
    required: ['type'],
    members: {
      ...all('string', 'type description name in scheme bearerFormat openIdConnectUrl'),
      flows: 'json',
    },
  },
  xml: {
    required: [],
    members: { ...all('string', 'name namespace prefix'), ...all('boolean', 'attribute wrapped') },
  },
  discriminator: {
    required: ['propertyName'],
    members: { propertyName: 'string', mapping: { map: 'string' } },
  },
} as const satisfies Record<string, ObjectShape<ShapeOf>>

/** The shape of an object by its name. */
export function objectShape(name: ObjectName): ObjectShape {
  return objects[name]
}

/** Where an object that may be referred to lives under `components`; the others are never referred to. */
export const sections: Readonly<Partial<Record<ObjectName | 'schema', string>>> = {
  schema: 'schemas',
  response: 'responses',
  parameter: 'parameters',
  example: 'examples',
  requestBody: 'requestBodies',
  header: 'headers',
  securityScheme: 'securitySchemes',
}

/**
 * The keywords of a schema: JSON Schema 2020-12 as OpenAPI 3.1 (section
 * 4.8.24) extends it, without those that name or find schemas by identifier,
 * which a document in one piece does not need.
 */
export const keywords: Readonly<Record<string, Shape>> = {
  ...all('string', '$ref $comment title description contentEncoding contentMediaType'),
  ...all('boolean', 'deprecated readOnly writeOnly uniqueItems'),
  ...all('number', 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'),
  ...all('count', 'minLength maxLength minItems maxItems minContains maxContains'),
  ...all('count', 'minProperties maxProperties'),
  ...all('schema', 'items contains additionalProperties propertyNames not if then else'),
  ...all('schema', 'unevaluatedItems unevaluatedProperties'),
  ...all({ list: 'schema' }, 'allOf anyOf oneOf prefixItems'),
  ...all({ map: 'schema' }, '$defs properties patternProperties dependentSchemas'),
  ...all('json', 'const default example'),
  ...all({ list: 'json' }, 'enum examples'),
  type: 'type',
  format: 'format',
  pattern: 'pattern',
  required: { list: 'string' },
  dependentRequired: { map: { list: 'string' } },
  discriminator: 'discriminator',
  xml: 'xml',
  externalDocs: 'externalDocs',
}

/** The formats ajv-formats checks; any other would be silently true. */
export const formats: readonly string[] = [
  'date',
  'time',
  'date-time',
  'iso-time',
  'iso-date-time',
  'duration',
  'uri',
  'uri-reference',
  'uri-template',
  'url',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'json-pointer',
  'json-pointer-uri-fragment',
  'relative-json-pointer',
  'regex',
  'uuid',
  'byte',
  'int32',
  'int64',
  'float',
  'double',
  'password',
  'binary',
]

const types: readonly unknown[] = 'null boolean object array number string integer'.split(' ')

/** What a scalar must be, with the words for a fault. */
export interface Scalar {
  admits(value: Json): boolean
  readonly message: string
  readonly example?: string
}

export const scalars = {
  string: { admits: (value) => typeof value === 'string', message: 'must be a text' },
  boolean: { admits: (value) => typeof value === 'boolean', message: 'must be true or false' },
  number: { admits: (value) => typeof value === 'number', message: 'must be a number' },
  count: {
    admits: (value) => Number.isInteger(value) && Number(value) >= 0,
    message: 'must be a whole number, 0 or more',
  },
  pattern: {
    admits: (value) => typeof value === 'string' && isPattern(value),
    message: 'must be a regular expression',
    example: '^[a-z]+$',
  },
  format: {
    admits: (value) => typeof value === 'string' && formats.includes(value),
    message: `must be a format that can be checked: ${formats.join(', ')}`,
  },
  type: {
    admits(value) {
      const names = isJsonArray(value) ? value : [value]
      return names.length > 0 && names.every((name) => types.includes(name))
    },
    message: `must be of: ${types.join(', ')}`,
  },
} as const satisfies Record<string, Scalar>

function isPattern(text: string): boolean {
  try {
    // The flag Ajv compiles patterns with.
    new RegExp(text, 'u')
    return true
  } catch {
    return false
  }
}
