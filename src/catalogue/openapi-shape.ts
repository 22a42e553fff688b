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
export type ScalarShape = 'string' | 'boolean' | 'number' | 'count' | 'pattern' | 'format' | 'type'

export type ObjectName = keyof typeof objects

interface ObjectShape {
  readonly required: readonly string[]
  readonly members: Readonly<Record<string, Shape>>
  /** Members OpenAPI has and we do not honour, with the reason. They are refused, because ignoring them would be a lie. */
  readonly refused?: Readonly<Record<string, string>>
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
      title: 'string',
      summary: 'string',
      description: 'string',
      termsOfService: 'string',
      contact: 'contact',
      license: 'license',
      version: 'string',
    },
  },
  contact: { required: [], members: { name: 'string', url: 'string', email: 'string' } },
  license: {
    required: ['name'],
    members: { name: 'string', identifier: 'string', url: 'string' },
  },
  server: {
    required: ['url'],
    members: { url: 'string', description: 'string' },
    refused: { variables: 'the address of a version is fixed' },
  },
  tag: {
    required: ['name'],
    members: { name: 'string', description: 'string', externalDocs: 'externalDocs' },
  },
  externalDocs: { required: ['url'], members: { url: 'string', description: 'string' } },
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
      summary: 'string',
      description: 'string',
      parameters: { list: 'parameter' },
      get: 'operation',
      post: 'operation',
      put: 'operation',
      patch: 'operation',
      delete: 'operation',
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
      tags: { list: 'string' },
      summary: 'string',
      description: 'string',
      externalDocs: 'externalDocs',
      operationId: 'string',
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
      name: 'string',
      in: 'string',
      description: 'string',
      required: 'boolean',
      deprecated: 'boolean',
      style: 'string',
      explode: 'boolean',
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
    members: {
      description: 'string',
      headers: { map: 'header' },
      content: { map: 'mediaType' },
    },
    refused: { links: 'nothing reads them' },
  },
  header: {
    required: ['schema'],
    members: {
      description: 'string',
      required: 'boolean',
      deprecated: 'boolean',
      schema: 'schema',
      example: 'json',
      examples: { map: 'example' },
    },
    refused: { content: 'headers are described by a schema', style: 'only simple exists' },
  },
  example: {
    required: [],
    members: { summary: 'string', description: 'string', value: 'json' },
    refused: { externalValue: 'an example that is elsewhere cannot be checked' },
  },
  securityScheme: {
    required: ['type'],
    members: {
      type: 'string',
      description: 'string',
      name: 'string',
      in: 'string',
      scheme: 'string',
      bearerFormat: 'string',
      flows: 'json',
      openIdConnectUrl: 'string',
    },
  },
  xml: {
    required: [],
    members: {
      name: 'string',
      namespace: 'string',
      prefix: 'string',
      attribute: 'boolean',
      wrapped: 'boolean',
    },
  },
  discriminator: {
    required: ['propertyName'],
    members: { propertyName: 'string', mapping: { map: 'string' } },
  },
} as const satisfies Record<string, ObjectShapeOf>

/** {@link Shape} for the table itself, whose names cannot refer to the type made from it. */
type ShapeOf = string | { readonly map: ShapeOf } | { readonly list: ShapeOf }
interface ObjectShapeOf {
  readonly required: readonly string[]
  readonly members: Readonly<Record<string, ShapeOf>>
  readonly refused?: Readonly<Record<string, string>>
}

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
  $ref: 'string',
  $comment: 'string',
  $defs: { map: 'schema' },
  title: 'string',
  description: 'string',
  type: 'type',
  format: 'format',
  pattern: 'pattern',
  enum: { list: 'json' },
  const: 'json',
  default: 'json',
  example: 'json',
  examples: { list: 'json' },
  deprecated: 'boolean',
  readOnly: 'boolean',
  writeOnly: 'boolean',
  minLength: 'count',
  maxLength: 'count',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'number',
  items: 'schema',
  prefixItems: { list: 'schema' },
  contains: 'schema',
  minContains: 'count',
  maxContains: 'count',
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: 'boolean',
  unevaluatedItems: 'schema',
  properties: { map: 'schema' },
  patternProperties: { map: 'schema' },
  additionalProperties: 'schema',
  unevaluatedProperties: 'schema',
  propertyNames: 'schema',
  required: { list: 'string' },
  dependentRequired: { map: { list: 'string' } },
  dependentSchemas: { map: 'schema' },
  minProperties: 'count',
  maxProperties: 'count',
  allOf: { list: 'schema' },
  anyOf: { list: 'schema' },
  oneOf: { list: 'schema' },
  not: 'schema',
  if: 'schema',
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, and no code awaits this table
  then: 'schema',
  else: 'schema',
  contentEncoding: 'string',
  contentMediaType: 'string',
  discriminator: 'discriminator',
  xml: 'xml',
  externalDocs: 'externalDocs',
}

/** The formats ajv-formats checks; any other would be silently true. */
export const formats: ReadonlySet<string> = new Set([
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
  'regex',
  'uuid',
  'json-pointer',
  'json-pointer-uri-fragment',
  'relative-json-pointer',
  'byte',
  'int32',
  'int64',
  'float',
  'double',
  'password',
  'binary',
])

/** The types of JSON Schema. */
export const types: ReadonlySet<string> = new Set([
  'null',
  'boolean',
  'object',
  'array',
  'number',
  'string',
  'integer',
])
