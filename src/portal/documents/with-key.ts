import {
  type Json,
  type JsonObject,
  methods,
  type OpenApiDocument,
} from '../../catalogue/catalogue.ts'
import { keyIn } from '../../catalogue/documents/credential-fields.ts'
import { copyHeld, heldBy, type ObjectName } from '../../catalogue/documents/openapi-objects.ts'
import { locate, member, membersOf } from '../../catalogue/documents/reference.ts'
import { walkDocument } from '../../catalogue/documents/walk-document.ts'
import { isJsonArray, isJsonObject, objectMembersOf, objectsOf } from '../../catalogue/json.ts'
import { keyFields, neverPasses } from '../../platform/http/own-fields.ts'

/** The security scheme of the gateway, for a document that does not have it. */
const scheme = {
  type: 'apiKey',
  in: 'header',
  name: 'X-API-Key',
  description:
    'The key of your application, which the portal creates. The gateway checks it, counts the call, and does not forward the key.',
} as const

/** Members of a path that OpenAPI has for methods, and the gateway serves for no API. */
const unserved = ['head', 'options', 'trace', 'query', 'additionalOperations']

/**
 * Makes a document say what a call through the gateway needs: its key, in
 * addition to each security requirement, only the methods that it serves, and no
 * server but that of the gateway, which the document must have. Header fields
 * that never reach a backend are left out, as parameters and as credentials; an
 * operation that cannot do without such a credential says so.
 */
export function withKey(document: OpenApiDocument): OpenApiDocument {
  const own = withoutServers(document, 'document') as OpenApiDocument
  const components = isJsonObject(own['components']) ? own['components'] : {}
  const schemes = isJsonObject(components['securitySchemes']) ? components['securitySchemes'] : {}
  const { name, isNew } = schemeName(schemes)
  const withheld = withheldSchemes(own, name)
  const required = (security: Json | undefined) => withRequirement(security, name, withheld)
  const paths = Object.entries(own.paths).map(([path, item]): [string, Json | undefined] => [
    path,
    isJsonObject(item) ? withOperations(own, item, required, withheld) : item,
  ])
  const keyed = {
    ...own,
    security: required(document['security']),
    paths: Object.fromEntries(paths),
    ...(own['webhooks'] === undefined ? {} : { webhooks: withOwnSecurity(own) }),
  }
  const passing = Object.entries(schemes).filter(
    // Callbacks and webhooks do not come through the gateway.
    ([each]) => !withheld.has(each) || isNamed(keyed, each),
  )
  return {
    ...keyed,
    components: {
      ...components,
      securitySchemes: Object.fromEntries([...passing, ...(isNew ? [[name, scheme]] : [])]),
    },
  }
}

/** Whether an operation of a document, callbacks and webhooks included, asks for a security scheme. */
function isNamed(document: JsonObject, scheme: string): boolean {
  return walkDocument(document).some(
    ({ kind, value }) =>
      kind === 'operation' &&
      objectsOf(value['security']).some((one) => Object.hasOwn(one, scheme)),
  )
}

/** The name under which the document has the scheme, or one that is free in it. */
function schemeName(schemes: JsonObject): { readonly name: string; readonly isNew: boolean } {
  const own = objectMembersOf(schemes).find(
    ([, { type, in: place, name }]) =>
      type === scheme.type && place === scheme.in && keyFields.has(String(name).toLowerCase()),
  )
  if (own !== undefined) return { name: own[0], isNew: false }
  let name = 'gatewayKey'
  while (Object.hasOwn(schemes, name)) name += '_'
  return { name, isNew: true }
}

/** The schemes, except the gateway's, whose field never reaches a backend: their fields by name. */
function withheldSchemes(document: JsonObject, ofGateway: string): ReadonlyMap<string, string> {
  const root = { value: document, pointer: '' }
  const components = member(document, root, 'components')
  const schemes = components === undefined ? [] : membersOf(document, components, 'securitySchemes')
  const fields = schemes.map(([name, { value }]) => [name, keyIn(value, 'header') ?? ''] as const)
  return new Map(
    fields.filter(([name, field]) => name !== ofGateway && neverPasses(field.toLowerCase())),
  )
}

/** The alternatives that a client can meet; all, if it can meet none. */
function alternatives(
  security: Json | undefined,
  withheld: ReadonlyMap<string, string>,
): readonly JsonObject[] {
  const requirements = objectsOf(security)
  const met = requirements.filter((each) => !Object.keys(each).some((one) => withheld.has(one)))
  return met.length > 0 ? met : requirements
}

/** No requirement at all becomes one, because the gateway asks for the key in every call. */
function withRequirement(
  security: Json | undefined,
  name: string,
  withheld: ReadonlyMap<string, string>,
): Json {
  const passing = alternatives(security, withheld).map((requirement) => ({
    [name]: [],
    ...Object.fromEntries(Object.entries(requirement).filter(([each]) => !withheld.has(each))),
  }))
  const different = new Map(passing.map((each) => [JSON.stringify(each), each]))
  return different.size === 0 ? [{ [name]: [] }] : [...different.values()]
}

/** The description of an operation, with the fields that its API asks for in every call and never gets. */
function describedWith(
  description: Json | undefined,
  security: Json | undefined,
  withheld: ReadonlyMap<string, string>,
): Json | undefined {
  const fields = alternatives(security, withheld)
    .flatMap((requirement) => Object.keys(requirement).map((name) => withheld.get(name) ?? ''))
    // One for the key is known to the gateway.
    .filter((field) => field !== '' && !keyFields.has(field.toLowerCase()))
  if (fields.length === 0) return description
  const names = [...new Set(fields)].map((field) => `\`${field}\``).join(', ')
  const sentence = `The API asks for header fields that the gateway does not forward: ${names}.`
  return typeof description === 'string' ? `${description}\n\n${sentence}` : sentence
}

function withOperations(
  document: JsonObject,
  item: JsonObject,
  required: (security: Json) => Json,
  withheld: ReadonlyMap<string, string>,
): JsonObject {
  const changed: Record<string, Json | undefined> = { ...withPassingFields(document, item) }
  for (const member of unserved) delete changed[member]
  for (const method of methods) {
    const member = method.toLowerCase()
    const operation = item[member]
    if (!isJsonObject(operation)) continue
    const own = withPassingFields(document, operation)
    const { security, description } = own
    const described = describedWith(description, security ?? document['security'], withheld)
    changed[member] = {
      ...own,
      ...(described === undefined ? {} : { description: described }),
      ...(security === undefined ? {} : { security: required(security) }),
    }
  }
  return changed
}

/**
 * A path or an operation without header parameters that never reach a backend: the gateway refuses or drops them. One
 * for the key is in the security scheme, so clients would send it twice.
 */
function withPassingFields(document: JsonObject, object: JsonObject): JsonObject {
  const { parameters } = object
  if (!isJsonArray(parameters)) return object
  const others = parameters.filter((each) => {
    const reference = isJsonObject(each) ? each['$ref'] : undefined
    const parameter =
      typeof reference === 'string' ? locate(document, reference.slice(1))?.value : each
    if (!isJsonObject(parameter) || parameter['in'] !== 'header') return true
    return !neverPasses(String(parameter['name']).toLowerCase())
  })
  return others.length === parameters.length ? object : { ...object, parameters: others }
}

/** Webhooks with the security of the document as it was: they are calls to the developer, without the key. */
function withOwnSecurity({ webhooks, security = [] }: JsonObject): Json {
  const items = objectMembersOf(webhooks).map(([event, item]): [string, Json] => {
    const members = Object.entries(item).map(([member, value]): [string, Json | undefined] => {
      const isOperation = heldBy('pathItem', member)?.object === 'operation' && isJsonObject(value)
      return [member, isOperation ? { security, ...value } : value]
    })
    return [event, Object.fromEntries(members)]
  })
  return Object.fromEntries(items)
}

/** Extensions that tell other gateways of a backend. */
const ofGateways = /^x-(tollgate|amazon-apigateway|google|kong|azure|apigee|wso2|ibm-configuration)/

/** A copy without servers but those of the document itself, and without what is meant for gateways. */
function withoutServers(object: JsonObject, kind: ObjectName): JsonObject {
  const copy: Record<string, Json | undefined> = {}
  for (const [name, member] of Object.entries(object)) {
    if (name === 'servers' && kind !== 'document') continue
    if (ofGateways.test(name)) continue
    if (name === 'server' && kind === 'link') continue
    const held = heldBy(kind, name)
    const isData = held === undefined || held.object === 'schema'
    copy[name] = isData ? member : copyHeld(member, held, withoutServers)
  }
  return copy
}
