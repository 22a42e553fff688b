/** Members of an object of an OpenAPI document; each value is checked before use. */
export type Members = Readonly<Record<string, unknown>>

/** The members of a value; none if it is not an object. */
export function membersOf(value: unknown): Members {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  // The document comes from the operator, so every value is checked before use.
  return isObject ? (value as Members) : {}
}

/** The items of a value; none if it is not a list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text unchanged; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** What a document says about itself and where its API is; a text that it lacks is empty. */
export function aboutOf(document: unknown): {
  /** Markdown. */
  readonly description: string
  readonly address: string
} {
  const { info, servers } = membersOf(document)
  const [server] = listOf(servers)
  return {
    description: textOf(membersOf(info)['description']),
    address: textOf(membersOf(server)['url']),
  }
}

/** Follows chains of `#/…`, at most eight steps, because references may be circular. */
export function resolved(root: Members, node: unknown): Members {
  let members = membersOf(node)
  for (let step = 0; step < 8; step += 1) {
    const reference = members['$ref']
    if (typeof reference !== 'string' || !reference.startsWith('#/')) return members
    let target: unknown = root
    for (const name of reference.slice(2).split('/')) {
      target = membersOf(target)[decoded(name).replaceAll('~1', '/').replaceAll('~0', '~')]
    }
    // Keywords beside a reference add to it (JSON Schema 2020-12).
    const { $ref: _, ...beside } = members
    members = { ...membersOf(target), ...beside }
  }
  return {}
}

/** A name with invalid percent-encoding stays unchanged and refers to nothing. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
