import { IntlMessageFormat } from 'intl-messageformat'
import type { Plugin } from 'vite'
import { needsReading } from '../../messages/format.ts'
import { serverAreas } from '../../messages/server-areas.ts'

/**
 * Leaves the messages that only the server writes out of the page's script, and
 * reads the others, so that browsers get no parser of ICU MessageFormat.
 */
export function pageMessages(): Plugin {
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
    transform(code, id) {
      const [, language] = /\/src\/messages\/(\w+)\.json$/.exec(id) ?? []
      if (language === undefined) return undefined
      const messages: Readonly<Record<string, string>> = JSON.parse(code)
      const own = Object.entries(messages)
        .filter(([name]) => !serverAreas.some((area) => name.startsWith(`${area}.`)))
        .map(([name, text]) => [
          name,
          needsReading(text) ? new IntlMessageFormat(text, language).getAst() : text,
        ])
      return { code: JSON.stringify(Object.fromEntries(own)), map: null }
    },
  }
}
