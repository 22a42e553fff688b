import { globSync } from 'node:fs'
import { join } from 'node:path'
import { IntlMessageFormat } from 'intl-messageformat'
import type { Plugin } from 'vite'
import { needsReading } from '../../messages/format.ts'
import { serverAreas } from '../../messages/server-areas.ts'
import { importedSources } from './imported-sources.ts'

/**
 * Turns a file of messages into two: `?first` holds the areas that the public
 * pages name, `?rest` all others. Leaves out those that only the server writes,
 * and reads the messages, so that browsers get no parser of ICU MessageFormat.
 *
 * @param folder absolute; where the sources of the page are
 */
export function pageMessages(folder: string): Plugin {
  let areas: Promise<ReadonlySet<string>> | undefined
  return {
    name: 'page-messages',
    enforce: 'pre',
    config: () => ({
      resolve: {
        alias: [
          {
            find: /^@formatjs\/icu-messageformat-parser$/,
            replacement: '@formatjs/icu-messageformat-parser/no-parser.js',
          },
        ],
      },
    }),
    buildStart() {
      areas = firstAreas(folder)
    },
    async transform(code, id) {
      const [, language, part] = /\/src\/messages\/(\w+)\.json\?(first|rest)$/.exec(id) ?? []
      if (language === undefined || areas === undefined) return undefined
      const first = await areas
      const messages: Readonly<Record<string, string>> = JSON.parse(code)
      const own = Object.entries(messages)
        .filter(([name]) => {
          const [area = ''] = name.split('.')
          return !serverAreas.includes(area) && first.has(area) === (part === 'first')
        })
        .map(([name, text]) => [
          name,
          needsReading(text) ? new IntlMessageFormat(text, language).getAst() : text,
        ])
      // Browsers read JSON faster than the same as a script.
      const json = JSON.stringify(JSON.stringify(Object.fromEntries(own)))
      return { code: `export const messages = JSON.parse(${json})`, map: null, moduleType: 'js' }
    },
  }
}

/** The first part of each text in quotes that may be the id of a message, in what the public pages load at once. */
async function firstAreas(folder: string): Promise<ReadonlySet<string>> {
  const pages = globSync('pages/{public,guides}/*-page.tsx', { cwd: folder })
  const sources = await importedSources(['main.tsx', ...pages].map((name) => join(folder, name)))
  const ids = [...sources.values()].flatMap((text) => [...text.matchAll(/['"`]([a-z]\w*)\.\w*/g)])
  return new Set(ids.map(([, area = '']) => area))
}
