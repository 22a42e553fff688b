import type { Findable } from './find-entries.ts'

/** An entry with its page. */
interface Placed extends Findable {
  readonly href: string
}

const ofVersion = /^\/apis\/([^/#]+)\/([^/#]+)/

/**
 * Leaves out what a newer version of the same API has too, unless the query
 * names the version. Newer versions come first.
 */
export function newestOnly<Entry extends Placed>(
  entries: readonly Entry[],
  query: string,
): readonly Entry[] {
  const seen = new Set<string>()
  return entries.filter(({ href, title }) => {
    const [, api, version] = ofVersion.exec(href) ?? []
    if (api === undefined || version === undefined) return true
    const thing = `${api} ${title.replace(version, '')}`
    const isNewest = !seen.has(thing)
    seen.add(thing)
    return isNewest || query.includes(version)
  })
}
