import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'

const page = readFileSync('docs/your-api.md', 'utf8')

/** The rows of the table under a heading: the texts in backticks of their first cells. */
function firstCells(heading: string): readonly string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = section.split('\n').filter((line) => /^\| `/.test(line))
  return rows.flatMap((row) => {
    const names = Array.from(
      (row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g),
      ([, name = '']) => name,
    )
    const [first = ''] = names
    // `operation-id-missing`, `-format`: the second has the beginning of the first.
    const begin = first.slice(0, first.lastIndexOf('-'))
    return names.map((name) => (name.startsWith('-') ? begin + name : name))
  })
}

/** Names of the fixtures whose document is refused, or served with a warning. */
function rules(folder: string): readonly string[] {
  const names = readdirSync(`test/catalogue/fixtures/${folder}`).map(
    (name) => name.split('~')[0] ?? '',
  )
  return [...new Set(names)]
}

/** What is wrong with plans, translations or folders, which docs/configuration.md is about. */
const ofOthers = /^(plan-|limit-|translation-|api-name|empty-|missing-folder|version-without-plan)/

const isNamed = (rule: string, names: readonly string[]): boolean =>
  names.some((name) => name === rule || (name.endsWith('…') && rule.startsWith(name.slice(0, -1))))

t.test(
  'docs/your-api.md names every rule by which a document is rejected, in at most a dozen rows',
  async (t) => {
    const names = firstCells('What is rejected')
    const section = page.split('\n## What is rejected\n')[1]?.split('\n## ')[0] ?? ''
    t.ok(section.split('\n').filter((line) => /^\| `/.test(line)).length <= 12)
    for (const rule of rules('bad').filter((each) => !ofOthers.test(each))) {
      t.ok(isNamed(rule, names), rule)
    }
  },
)

t.test('docs/your-api.md names every kind of warning', async (t) => {
  const names = firstCells('What is a warning')
  for (const rule of rules('doubtful')) t.ok(isNamed(rule, names), rule)
})
