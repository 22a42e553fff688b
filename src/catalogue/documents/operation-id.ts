import type { JsonObject, Method } from '../catalogue.ts'
import { sha256 } from '../sha256.ts'

const idsMax = 128

/**
 * Gives an operation the id by which it is counted, shown and linked: its
 * `operationId`, or one made of method and path where that is missing or used by
 * an earlier operation. Characters other than letters, digits and `._-` become
 * `-`. The same document always gives the same ids.
 *
 * @param taken ids of earlier operations of the document
 */
export function operationIdOf(
  operation: JsonObject,
  { method, template }: { readonly method: Method; readonly template: string },
  taken: ReadonlyMap<string, unknown>,
): string {
  const { operationId } = operation
  const words = template.replaceAll(/[^A-Za-z0-9._]+/g, '-')
  const made = plain(`${method.toLowerCase()}${words}`)
  const ids = typeof operationId === 'string' ? [plain(operationId), made] : [made]
  const free = ids.find((id) => id !== '' && !taken.has(id))
  if (free !== undefined) return free
  for (let attempt = 0; ; attempt++) {
    const text = `${method} ${template} ${attempt === 0 ? '' : attempt}`.trimEnd()
    const digest = sha256(text).slice(0, 8)
    const id = `${made.slice(0, idsMax - 9)}-${digest}`
    if (!taken.has(id)) return id
  }
}

function plain(text: string): string {
  return text
    .slice(0, 8 * idsMax)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, idsMax)
}
