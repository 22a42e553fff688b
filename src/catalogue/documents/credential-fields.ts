import type { JsonObject } from '../catalogue.ts'
import { isJsonObject, objectMembersOf } from '../json.ts'

/** Names of the header fields in which clients send the credentials of a document's security schemes. */
export function credentialFields({ components }: JsonObject): readonly string[] {
  const schemes = isJsonObject(components) ? objectMembersOf(components['securitySchemes']) : []
  return schemes.flatMap(([, { type, in: place, name }]) => {
    if (type === 'http' || type === 'oauth2' || type === 'openIdConnect') return ['Authorization']
    if (type !== 'apiKey' || typeof name !== 'string') return []
    if (place === 'cookie') return ['Cookie']
    return place === 'header' ? [name] : []
  })
}
