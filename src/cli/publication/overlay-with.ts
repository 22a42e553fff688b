import { isMap, isSeq, parseDocument, stringify } from 'yaml'
import { CommandError } from '../command-error.ts'

/** What the gateway adds to a document. */
export interface OverlayChanges {
  readonly prefix: string | undefined
  readonly backend: string | undefined
  /** Paths of the document that cannot be published. */
  readonly removed: readonly string[]
}

/**
 * The text of an overlay with these changes. Other actions and comments stay,
 * and a path that it already removes is not removed twice.
 *
 * @param text undefined: there is no overlay yet
 * @returns undefined if there is nothing to change
 * @throws {CommandError} if the text is no overlay
 */
export function overlayWith(
  text: string | undefined,
  { prefix, backend, removed }: OverlayChanges,
): string | undefined {
  const own = Object.entries({ prefix, backend }).filter(([, value]) => value !== undefined)
  const document = text === undefined ? undefined : parseDocument(text)
  const list = document?.get('actions')
  const targets = new Set(
    isSeq(list) ? list.items.map((action) => isMap(action) && action.get('target')) : [],
  )
  const removals = removed
    .map((path) => ({ target: `$.paths[${quoted(path)}]`, remove: true }))
    .filter(({ target }) => !targets.has(target))
  if (own.length === 0 && removals.length === 0) return undefined
  const update = { 'x-tollgate': Object.fromEntries(own) }
  const actions = own.length === 0 ? removals : [{ target: '$', update }, ...removals]
  if (document === undefined) {
    const info = { title: 'What the gateway adds', version: '1.0.0' }
    return stringify({ overlay: '1.1.0', info, actions }, { lineWidth: 0 })
  }
  if (!isSeq(list)) throw new CommandError('the overlay of the version has no list of actions')
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
