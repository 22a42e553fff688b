import type { ApiVersion } from '../../../catalogue/catalogue.ts'
import { keyIn, securitySchemes } from '../../../catalogue/documents/credential-fields.ts'
import { declaredParameters } from '../../../catalogue/documents/declared-parameters.ts'

const keyPattern = /tg_([0-9a-z]{12})_/i
const keyNames = /(?<=[?&])(?:(?:x[-_])?api[-_]?key|x[-_]ibm[-_]client[-_]id)(?==)/gi

/**
 * Whether the query of a call contains a key of the gateway, or a parameter that
 * is named like one, even percent-encoded. The backend would write it to its logs.
 * Parameters that the version's document declares belong to its backend.
 */
export function hasKeyInQuery(query: string, version: ApiVersion): boolean {
  if (query === '') return false
  const text = decoded(query)
  if (keyPattern.test(text)) return true
  const names = text.match(keyNames) ?? []
  return names.some((name) => !declaredNames(version).has(name))
}

/** The public id of a key in a query, even percent-encoded; undefined without one. */
export function keyIdInQuery(query: string): string | undefined {
  return keyPattern.exec(decoded(query))?.[1]
}

const known = new WeakMap<ApiVersion, ReadonlySet<string>>()

/** Names of the query parameters and of the security schemes in the query. */
function declaredNames(version: ApiVersion): ReadonlySet<string> {
  const before = known.get(version)
  if (before !== undefined) return before
  const document = version.document.read()
  const names = new Set([
    ...declaredParameters(document, version.operations)
      .filter(({ in: place }) => place === 'query')
      .map(({ name }) => name),
    ...securitySchemes(document).flatMap(([, scheme]) => keyIn(scheme, 'query') ?? []),
  ])
  known.set(version, names)
  return names
}

/** Unlike decodeURIComponent, does not throw on octets that are not UTF-8. */
function decoded(query: string): string {
  return query.replace(/%([0-9a-f]{2})/gi, (_, octet: string) =>
    String.fromCharCode(Number.parseInt(octet, 16)),
  )
}
