import { readFile } from 'node:fs/promises'
import type { Plugin } from 'vite'

/** A route of `routes.ts`, in any order of its members: the name of its path and the source of its page. */
const route = /path: (?:`\$\{)?pagePaths\.(\w+)[^{}]*?(?:\}[^{}]*?)?import\(\s*'\.\/([^']+)'/g

/**
 * Writes `pages.json`, which tells the portal the source of the page of each
 * path, so that the document can name its script before another script asks for
 * it.
 *
 * @param routes absolute path of `routes.ts`
 */
export function pageSources(routes: string): Plugin {
  return {
    name: 'page-sources',
    apply: 'build',
    async generateBundle() {
      const text = await readFile(routes, 'utf8')
      const sources = [...text.matchAll(route)].map(([, name, source]) => [name, source])
      const expected = text.match(/lazyPage\(\s*\(/g)?.length ?? 0
      if (sources.length !== expected) {
        throw new Error(`${sources.length} of the ${expected} routes in ${routes} were understood`)
      }
      const source = JSON.stringify(Object.fromEntries(sources))
      this.emitFile({ type: 'asset', fileName: 'pages.json', source })
    },
  }
}
