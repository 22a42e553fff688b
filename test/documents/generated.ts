import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { commandsTable } from './commands-table.ts'
import { eventsTable } from './events-table.ts'
import { settingsTable } from './settings-table.ts'

/** A part of a page that is written from code, between two comments in it. */
export interface GeneratedPart {
  /** Path of the page from the repository's root. */
  readonly page: string
  readonly begin: RegExp
  readonly end: string
  readonly content: () => string | Promise<string>
}

export const generatedParts: readonly GeneratedPart[] = [
  {
    page: 'docs/settings.md',
    begin: /<!-- settings: .* -->\n/,
    end: '<!-- end of settings -->',
    content: settingsTable,
  },
  {
    page: 'docs/commands.md',
    begin: /<!-- commands: .* -->\n/,
    end: '<!-- end of commands -->',
    content: commandsTable,
  },
  {
    page: 'docs/audit.md',
    begin: /<!-- events: .* -->\n/,
    end: '<!-- end of events -->',
    content: eventsTable,
  },
]

/** The page as it is and as it should be. */
export async function pageWithPart({ page, begin, end, content }: GeneratedPart) {
  const path = fileURLToPath(new URL(`../../${page}`, import.meta.url))
  const now = readFileSync(path, 'utf8')
  const start = begin.exec(now)
  const to = now.indexOf(end)
  if (start === null || to < 0)
    throw new Error(`${page} has lost the comments around its generated part`)
  const from = start.index + start[0].length
  return { path, now, wanted: `${now.slice(0, from)}\n${await content()}\n${now.slice(to)}` }
}

// A program: `npm run docs` writes every generated part.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const part of generatedParts) {
    const { path, wanted } = await pageWithPart(part)
    writeFileSync(path, wanted)
  }
}
