import { neverPasses } from '../../platform/http/own-fields.ts'
import { listOf, type Members, membersOf, resolved, textOf } from './document-nodes.ts'

/** What a call carries to identify itself to the backend, as a document describes it. */
export interface Credential {
  /** Its field, parameter or cookie; of another place, the type of the scheme, as `mutualTLS`. */
  readonly name: string
  readonly place: 'query' | 'header' | 'cookie' | 'other'
  /** The name of its security scheme in the document. */
  readonly scheme: string
  readonly scopes: readonly string[]
  readonly purpose: string
  /** Shows the form of the value; empty if it has none. */
  readonly example: string
}

/**
 * What an operation of a document needs beside the gateway's key, as alternatives. One without credentials needs only
 * the key.
 */
export function ownSecurity(root: Members, operation: Members): readonly (readonly Credential[])[] {
  const schemes = membersOf(membersOf(root['components'])['securitySchemes'])
  return listOf(operation['security'] ?? root['security']).map((each) =>
    Object.entries(membersOf(each)).flatMap(([name, scopes]) => {
      const found = credential(name, resolved(root, schemes[name]))
      return found === undefined ? [] : [{ ...found, scopes: listOf(scopes).map(String) }]
    }),
  )
}

/** Undefined for the gateway's key, which has a field of its own, and for what a backend does not get. */
function credential(scheme: string, described: Members): Omit<Credential, 'scopes'> | undefined {
  const { type, in: place, name, scheme: kind } = described
  const shared = { scheme, purpose: textOf(described['description']), example: '' }
  if (type === 'http' || type === 'oauth2' || type === 'openIdConnect') {
    const word = type === 'http' ? textOf(kind) : 'Bearer'
    const example = `${spelled.get(word.toLowerCase()) ?? word} …`
    return { ...shared, name: 'Authorization', place: 'header', example }
  }
  if (type === 'apiKey' && typeof name === 'string') {
    if (place === 'header' && neverPasses(name.toLowerCase())) return undefined
    if (place === 'header' || place === 'query' || place === 'cookie') {
      return { ...shared, name, place }
    }
  }
  return { ...shared, name: textOf(type) || scheme, place: 'other' }
}

/** Documents write schemes of HTTP in any case. */
const spelled: ReadonlyMap<string, string> = new Map([
  ['basic', 'Basic'],
  ['bearer', 'Bearer'],
])
