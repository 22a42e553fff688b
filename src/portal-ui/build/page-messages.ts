import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { IntlMessageFormat } from 'intl-messageformat'
import type { Plugin } from 'vite'
import { needsReading } from '../../messages/format.ts'
import { languages } from '../../messages/language.ts'
import { importedSources } from './imported-sources.ts'

/** A source that another one loads on demand. */
const importOnDemand = /(?<!typeof )\bimport\(\s*'(\.[^']+?\.tsx?)',?\s*\)/g

/** A text in quotes that may be the id of a message, or a template for ids. */
const idOrTemplate = /(['"`])([a-z]\w*\.(?:[\w.-]|\$\{[^}]*\})+)\1/g

/**
 * Divides the messages by what asks for them. `?first` holds those of the first
 * page and what surrounds every page; `?for=<source>` those that a source needs
 * besides when it is loaded on demand, together with what it imports at once.
 * Each import on demand then waits for its messages too. That is up to 20 KB
 * (gzip) less for a page. Messages that only the server writes are in no part.
 *
 * Also reads the messages, so that browsers get no parser of ICU MessageFormat.
 * Vite's development server gives all messages at once.
 *
 * @param folder absolute; where the sources of the page are
 */
export function pageMessages(folder: string): Plugin {
  let parts: ReadonlyMap<string, MessagePart> | undefined
  let isBuild = false
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
    configResolved({ command }) {
      isBuild = command === 'build'
    },
    async buildStart() {
      if (isBuild) parts = await messageParts(folder)
    },
    transform(code, id) {
      const [, language, part] = /\/src\/messages\/(\w+)\.json\?(first|for=[\w/-]+)$/.exec(id) ?? []
      if (language !== undefined && part !== undefined) {
        return messagesOf(code, language, (name) => parts?.get(part)?.has(name) ?? true)
      }
      if (parts === undefined || !id.startsWith(folder)) return undefined
      const withMessages = code.replaceAll(importOnDemand, (load, to: string) => {
        const own = partFor(relative(folder, join(dirname(id), to)))
        if ((parts?.get(own)?.size ?? 0) === 0) return load
        const messages = relative(dirname(id), join(folder, '..', 'messages'))
        const loads = languages.map(
          (language) => `${language}: () => import('${messages}/${language}.json?${own}')`,
        )
        return `withWords(${load}, { ${loads.join(', ')} })`
      })
      if (withMessages === code) return undefined
      const words = relative(dirname(id), join(folder, 'words.ts'))
      const from = words.startsWith('.') ? words : `./${words}`
      return { code: `import { withWords } from '${from}'\n${withMessages}`, map: null }
    },
  }
}

/** Ids of the messages of a part. */
type MessagePart = ReadonlySet<string>

/** The name of the part of a source. */
function partFor(source: string): string {
  return `for=${source.replace(/\.tsx?$/, '')}`
}

/** Some messages of a language as a script; browsers read JSON faster than the same as a script. */
function messagesOf(code: string, language: string, isWanted: (name: string) => boolean) {
  const messages: Readonly<Record<string, string>> = JSON.parse(code)
  const wanted = Object.entries(messages)
    .filter(([name]) => isWanted(name))
    .map(([name, text]) => [
      name,
      needsReading(text) ? new IntlMessageFormat(text, language).getAst() : text,
    ])
  const json = JSON.stringify(JSON.stringify(Object.fromEntries(wanted)))
  return { code: `export const messages = JSON.parse(${json})`, map: null, moduleType: 'js' }
}

/** The parts by their names: the first, and one for each source that is loaded on demand. */
async function messageParts(folder: string): Promise<ReadonlyMap<string, MessagePart>> {
  const messages = join(folder, '..', 'messages', 'en.json')
  const ids = Object.keys(JSON.parse(await readFile(messages, 'utf8')))

  /** Ids that these sources, and all that they import at once, ask for. */
  async function askedFor(sources: readonly string[]): Promise<MessagePart> {
    const texts = await importedSources(sources.map((name) => join(folder, name)))
    const found = [...texts.values()].flatMap((text) => [...text.matchAll(idOrTemplate)])
    const asked = new Set(found.map(([, , id = '']) => id))
    const templates = [...asked].filter((id) => id.includes('$')).map(templatePattern)
    return new Set(
      ids.filter((id) => asked.has(id) || templates.some((pattern) => pattern.test(id))),
    )
  }

  const first = await askedFor(['main.tsx', 'pages/public/landing-page.tsx'])
  const parts = new Map([['first', first]])
  for (const source of await loadedOnDemand(folder)) {
    const asked = await askedFor([source])
    parts.set(partFor(source), new Set([...asked].filter((id) => !first.has(id))))
  }
  return parts
}

/** `keys.${action}Named` stands for every id that begins and ends so. */
function templatePattern(template: string): RegExp {
  const texts = template.split(/\$\{[^}]*\}/).map((text) => text.replaceAll('.', '\\.'))
  return new RegExp(`^${texts.join('[\\w.-]+')}$`)
}

async function loadedOnDemand(folder: string): Promise<ReadonlySet<string>> {
  const sources = new Set<string>()
  for (const name of globSync('**/*.{ts,tsx}', { cwd: folder })) {
    const text = await readFile(join(folder, name), 'utf8')
    for (const [, to = ''] of text.matchAll(importOnDemand)) sources.add(join(dirname(name), to))
  }
  return sources
}
