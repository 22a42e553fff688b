import type { JsonObject } from '../catalogue.ts'
import { isJsonObject, objectMembersOf } from '../json.ts'

/** The security schemes of a document, by name. */
export function securitySchemes({ components }: JsonObject): readonly [string, JsonObject][] {
  return isJsonObject(components) ? objectMembersOf(components['securitySchemes']) : []
}

/** Names of the header fields in which clients send the credentials of a document's security schemes. */
export function credentialFields(document: JsonObject): readonly string[] {
  return securitySchemes(document).flatMap(([, scheme]) => {
    const { type } = scheme
    if (type === 'http' || type === 'oauth2' || type === 'openIdConnect') return ['Authorization']
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
