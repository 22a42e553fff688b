import { isMap, isSeq, parseDocument, stringify } from 'yaml'

/** What the gateway adds to a document. */
export interface OverlayChanges {
  readonly prefix: string | undefined
  readonly backend: string | undefined
  /** Paths of the document that cannot be published. */
  readonly removed: readonly string[]
}

/**
 * The text of an overlay with these changes. Other actions and comments stay.
 *
 * @param text undefined: there is no overlay yet
 * @returns undefined if there is nothing to change
 */
export function overlayWith(
  text: string | undefined,
  { prefix, backend, removed }: OverlayChanges,
): string | undefined {
  const own = Object.entries({ prefix, backend }).filter(([, value]) => value !== undefined)
  const removals = removed.map((path) => ({ target: `$.paths[${quoted(path)}]`, remove: true }))
  if (own.length === 0 && removals.length === 0) return undefined
  const update = { 'x-tollgate': Object.fromEntries(own) }
  const actions = own.length === 0 ? removals : [{ target: '$', update }, ...removals]
  if (text === undefined) {
    const info = { title: 'What the gateway adds', version: '1.0.0' }
    return stringify({ overlay: '1.1.0', info, actions }, { lineWidth: 0 })
  }
  const document = parseDocument(text)
  const list = document.get('actions')
  if (!isSeq(list)) throw new Error('the overlay has no list of actions')
  const ofGateway = list.items.findIndex(
    (action) => isMap(action) && action.hasIn(['update', 'x-tollgate']),
  )
  if (ofGateway !== -1) {
    for (const [member, value] of own) {
      document.setIn(['actions', ofGateway, 'update', 'x-tollgate', member], value)
    }
  }
  const added = ofGateway === -1 ? actions : removals
  for (const action of added) list.add(document.createNode(action))
  return document.toString({ lineWidth: 0 })
}

/** A name in a JSONPath (RFC 9535, 2.3.1). */
function quoted(name: string): string {
  return `'${name.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
