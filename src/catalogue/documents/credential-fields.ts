import type { ApiVersion, JsonObject } from '../catalogue.ts'
import { isJsonObject, objectMembersOf } from '../json.ts'

/** The security schemes of a document of any version, by name. */
export function securitySchemes(document: JsonObject): readonly [string, JsonObject][] {
  const { components, securityDefinitions } = document
  return objectMembersOf(
    isJsonObject(components) ? components['securitySchemes'] : securityDefinitions,
  )
}

/** Where clients send the credentials of a document's security schemes: names of header fields and query parameters. */
export function credentialsOf(document: JsonObject): ApiVersion['credentials'] {
  const schemes = securitySchemes(document)
  const query = schemes.flatMap(([, scheme]) => keyIn(scheme, 'query') ?? [])
  return { headers: credentialFields(schemes), query }
}

/** Types of schemes whose credentials are in `Authorization`; `basic` is of OpenAPI 2.0. */
const authorizationTypes: readonly unknown[] = ['http', 'basic', 'oauth2', 'openIdConnect']

function credentialFields(schemes: readonly [string, JsonObject][]): readonly string[] {
  return schemes.flatMap(([, scheme]) => {
    if (authorizationTypes.includes(scheme['type'])) return ['Authorization']
    if (keyIn(scheme, 'cookie') !== undefined) return ['Cookie']
    return keyIn(scheme, 'header') ?? []
  })
}

/** Where a security scheme has a key in `place`: the name of its field or parameter. */
export function keyIn(
  { type, in: stated, name }: JsonObject,
  place: 'header' | 'query' | 'cookie',
): string | undefined {
  return type === 'apiKey' && stated === place && typeof name === 'string' ? name : undefined
}
