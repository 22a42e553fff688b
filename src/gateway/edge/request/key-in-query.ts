import type { ApiVersion, Operation } from '../../../catalogue/catalogue.ts'

const keyPattern = /tg_([0-9a-z]{12})_/i
const keyNames = /(?<=[?&])(?:(?:x[-_])?api[-_]?key|x[-_]ibm[-_]client[-_]id)(?==)/gi

/**
 * Whether the query of a call contains a key of the gateway, or a parameter that
 * is named like one, even percent-encoded. The backend would write it to its logs.
 * Parameters that the document declares for the operation, or for a security
 * scheme, belong to its backend.
 */
export function hasKeyInQuery(
  query: string,
  { credentials }: ApiVersion,
  { declared }: Operation,
): boolean {
  if (query === '') return false
  const text = decoded(query)
  if (keyPattern.test(text)) return true
  const names = text.match(keyNames) ?? []
  return names.some((name) => !credentials.query.concat(declared.query).includes(name))
}

/** The public id of a key in a query, even percent-encoded; undefined without one. */
export function keyIdInQuery(query: string): string | undefined {
  return keyPattern.exec(decoded(query))?.[1]
}

/** Unlike decodeURIComponent, does not throw on octets that are not UTF-8. */
function decoded(query: string): string {
  return query.replace(/%([0-9a-f]{2})/gi, (_, octet: string) =>
    String.fromCharCode(Number.parseInt(octet, 16)),
  )
}
