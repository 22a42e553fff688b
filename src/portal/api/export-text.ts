import type { OwnPart } from '../stores/accounts/own-data.ts'

/** Names the shape of the file; a change that takes something away or renames it makes a new one. */
export const exportVersion = 1

export interface ExportTextOptions {
  /** The portal's own origin. */
  readonly portal: string
  /** ISO 8601. */
  readonly exportedAt: string
  readonly parts: AsyncIterable<OwnPart>
}

/**
 * Writes an export as JSON: an object with a member for each part, which is a
 * list. Pieces of a part follow each other.
 */
export async function* exportText(options: ExportTextOptions): AsyncGenerator<string> {
  const { portal, exportedAt, parts } = options
  const head = { format: 'tollgate-developer-data', version: exportVersion, exportedAt, portal }
  yield JSON.stringify(head).slice(0, -1)
  let open: string | undefined
  let isFirst = true
  for await (const { name, rows } of parts) {
    if (name !== open) {
      yield `${open === undefined ? '' : '\n]'},\n${JSON.stringify(name)}:[`
      open = name
      isFirst = true
    }
    if (rows.length === 0) continue
    yield rows
      .map((row, at) => `${isFirst && at === 0 ? '' : ','}\n${JSON.stringify(row)}`)
      .join('')
    isFirst = false
  }
  yield `${open === undefined ? '' : '\n]'}\n}\n`
}
