import type { Page } from '../../registry/page.ts'

const limitMax = 100

/** The requested number and one more item, which shows whether there is a next page. */
export function pageOf(query: { readonly limit?: string; readonly after?: string }): Page {
  return { limit: limitOf(query) + 1, after: query.after }
}

/** Makes an answer of what {@link pageOf} asked for. */
export function listAnswer<Found extends { readonly id: string | number }, Item>(
  query: { readonly limit?: string },
  found: readonly Found[],
  show: (item: Found) => Item,
): { items: Item[]; next?: string } {
  const items = found.slice(0, limitOf(query))
  const last = items.at(-1)
  return {
    items: items.map(show),
    ...(found.length > items.length && last !== undefined ? { next: String(last.id) } : {}),
  }
}

/** The schema has checked the text. */
function limitOf({ limit }: { readonly limit?: string }): number {
  return limit === undefined ? limitMax : Number(limit)
}
