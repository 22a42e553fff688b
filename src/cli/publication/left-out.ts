import { type ApiVersion, type JsonObject, methods } from '../../catalogue/catalogue.ts'
import { isJsonObject, objectMembersOf } from '../../catalogue/json.ts'

/** What the overlay removes from a document: operations (`GET /a`), and paths that have none (`/b`). */
export function leftOut({ paths }: JsonObject, { document }: ApiVersion): readonly string[] {
  const published = new Map(objectMembersOf(document.read().paths))
  return objectMembersOf(paths).flatMap(([path, item]) => {
    if (path.startsWith('x-')) return []
    const there = published.get(path)
    const own = methods.filter((method) => isJsonObject(item[method.toLowerCase()]))
    if (own.length === 0) return there === undefined ? [path] : []
    return own
      .filter((method) => there?.[method.toLowerCase()] === undefined)
      .map((method) => `${method} ${path}`)
  })
}
