import { neverPasses } from '../../platform/http/own-fields.ts'
import { listOf, type Members, membersOf, resolved, textOf } from './document-nodes.ts'

/** A secret value that a call carries to identify itself to the backend, as a parameter of the call. */
export interface CallCredential {
  readonly name: string
  readonly place: 'query' | 'header'
  readonly isRequired: boolean
  /** The name of its security scheme in the document. */
  readonly scheme: string
  readonly purpose: string
  /** Shows the form of the value; empty if it has none. */
  readonly example: string
  readonly choices: readonly string[]
}

/** A secret value as a document describes it; a page cannot send cookies. */
export interface Credential extends Omit<CallCredential, 'place' | 'isRequired'> {
  readonly place: CallCredential['place'] | 'cookie'
  readonly scopes: readonly string[]
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

/** What an operation of a document needs beside the gateway's key: a value for each header field and query parameter. */
export function callCredentials(root: Members, operation: Members): readonly CallCredential[] {
  const alternatives = ownSecurity(root, operation)
  const isIn = (some: readonly Credential[], { place, name }: Credential) =>
    some.some((other) => other.place === place && other.name === name)
  const all = alternatives.flat()
  return all
    .filter((each, at) => !isIn(all.slice(0, at), each))
    .flatMap(({ place, scopes: _, ...each }) => {
      const isRequired = alternatives.every((some) => isIn(some, { ...each, place, scopes: [] }))
      return place === 'cookie' ? [] : [{ ...each, place, isRequired }]
    })
}

/** Undefined for the gateway's key, which has a field of its own, and for what a backend does not get. */
function credential(scheme: string, described: Members): Omit<Credential, 'scopes'> | undefined {
  const { type, in: place, name, scheme: kind } = described
  const shared = { scheme, purpose: textOf(described['description']), choices: [] }
  if (type === 'http' || type === 'oauth2' || type === 'openIdConnect') {
    const word = type === 'http' ? textOf(kind) : 'Bearer'
    const example = `${spelled.get(word.toLowerCase()) ?? word} …`
    return { ...shared, name: 'Authorization', place: 'header', example }
  }
  if (type !== 'apiKey' || typeof name !== 'string') return undefined
  if (place !== 'header' && place !== 'query' && place !== 'cookie') return undefined
  if (place === 'header' && neverPasses(name.toLowerCase())) return undefined
  return { ...shared, name, place, example: '' }
}

/** Documents write schemes of HTTP in any case. */
const spelled: ReadonlyMap<string, string> = new Map([
  ['basic', 'Basic'],
  ['bearer', 'Bearer'],
])
