import type { Members } from '../../portal/documents/document-nodes.ts'
import { type Credential, ownSecurity } from '../../portal/documents/own-security.ts'

/** A secret value that a call carries to identify itself to the backend, as a parameter of the call. */
export interface CallCredential extends Omit<Credential, 'place' | 'scopes'> {
  /** A page cannot send cookies. */
  readonly place: 'query' | 'header'
  readonly isRequired: boolean
  readonly choices: readonly string[]
}

/** What an operation of a document needs beside the gateway's key: a value for each header field and query parameter. */
export function callCredentials(root: Members, operation: Members): readonly CallCredential[] {
  const alternatives = ownSecurity(root, operation)
  const isIn = (some: readonly Credential[], { place, name }: Credential) =>
    some.some((other) => other.place === place && other.name === name)
  const all = alternatives.flat()
  return all
    .filter((each, at) => !isIn(all.slice(0, at), each))
    .flatMap((each) => {
      const { scopes: _, place, ...rest } = each
      if (place !== 'query' && place !== 'header') return []
      const isRequired = alternatives.every((some) => isIn(some, each))
      return [{ ...rest, place, isRequired, choices: [] }]
    })
}
