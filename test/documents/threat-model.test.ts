import { globSync, readFileSync } from 'node:fs'
import t from 'tap'

const page = readFileSync('docs/threat-model.md', 'utf8')
const asvs = readFileSync('docs/evidence/asvs.md', 'utf8')

/** Titles of every file of tests and proofs, by folder and name; `…` where the test fills a part in. */
const titles = new Map(
  globSync('{test,proofs}/*/*.test.ts').map((file) => {
    const calls = readFileSync(file, 'utf8').matchAll(
      /\btest\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g,
    )
    const found = [...calls].map(([, single, double, template]) =>
      (single ?? double ?? template ?? '').replace(/\$\{[^}]*\}/g, '…').replace(/\\(.)/g, '$1'),
    )
    return [file.slice(file.indexOf('/') + 1, -'.test.ts'.length), new Set(found)]
  }),
)

/** The tests that a text names, as [file, title]. */
const testsOf = (text: string) =>
  [...text.matchAll(/`([\w-]+\/[\w-]+) › ([^`]+)`/g)].map(([, file = '', title = '']) => [
    file,
    title,
  ])

/** The rows of the tables under a heading, as cells. */
function rowsOf(text: string, heading: string): string[][] {
  const [, section = ''] = text.split(`\n${heading}\n`)
  return [...(section.split(/\n#/, 1)[0] ?? '').matchAll(/^\| (.*) \|$/gm)]
    .map(([, row = '']) => row.split(' | '))
    .slice(1)
}

t.test(
  'every test that a page names exists; a title that is cut begins one title only',
  async (t) => {
    for (const [text, least] of [
      [page, 70],
      [asvs, 100],
    ] as const) {
      const named = testsOf(text)
      t.ok(named.length > least, `${named.length} are named`)
      const wrong = named.filter(([file = '', title = '']) => {
        const found = titles.get(file)
        if (found === undefined || found.has(title)) return found === undefined
        const begun = [...found].filter((whole) => whole.startsWith(title.slice(0, -'…'.length)))
        return !title.endsWith(' …') || begun.length !== 1
      })
      t.same(wrong, [])
    }
  },
)

t.test('every promise and every risk of the Top 10 names a test', async (t) => {
  const promises = rowsOf(page, '## Promises')
  const risks = rowsOf(page, '## OWASP API Security Top 10 (2023)')
  t.ok(promises.length > 20)
  t.same(
    risks.map(([risk = '']) => risk.split(' ', 1)[0]),
    Array.from({ length: 10 }, (_, at) => `API${at + 1}`),
  )
  for (const row of [...promises, ...risks]) t.ok(testsOf(row.join()).length > 0, row.join())
})

t.test('every figure is in the row, or under the heading, that its link names', async (t) => {
  const figures = rowsOf(page, '## Promises').flatMap(([, , cell = '']) => [
    ...cell.matchAll(/\[([^\]]+)\]\(([\w/-]+\.md)#[\w-]+\): ([^;]+)/g),
  ])
  t.ok(figures.length >= 10, `${figures.length} figures`)
  for (const [, label = '', target = '', figure = ''] of figures) {
    const text = readFileSync(`docs/${target}`, 'utf8')
    const row = text.split('\n').find((line) => line.startsWith(`| ${label} | `))
    const [, section] = text.split(`\n## ${label}\n`)
    const isThere =
      row?.startsWith(`| ${label} | ${figure.trim()}`) ??
      section?.split('\n## ', 1)[0]?.includes(figure.trim())
    t.ok(isThere, `${target}, ${label}: ${figure}`)
  }
})

/** Requirements of ASVS 5.0.0 in each section, of levels 1 and 2. These come first in each. */
const sections: Readonly<Record<string, number>> = {
  '1.1': 2,
  '1.2': 9,
  '1.3': 11,
  '1.4': 3,
  '1.5': 2,
  '2.1': 3,
  '2.2': 3,
  '2.3': 4,
  '2.4': 1,
  '6.1': 3,
  '6.2': 12,
  '6.3': 4,
  '6.4': 4,
  '6.5': 5,
  '6.6': 3,
  '6.8': 4,
  '7.1': 3,
  '7.2': 4,
  '7.3': 2,
  '7.4': 5,
  '7.5': 2,
  '7.6': 2,
  '8.1': 2,
  '8.2': 3,
  '8.3': 1,
  '8.4': 1,
  '9.1': 3,
  '9.2': 4,
  '10.1': 2,
  '10.2': 2,
  '10.5': 5,
  '12.1': 3,
  '12.2': 2,
  '12.3': 4,
  '13.1': 1,
  '13.2': 5,
  '13.3': 2,
  '13.4': 5,
  '16.1': 1,
  '16.2': 5,
  '16.3': 4,
  '16.4': 3,
  '16.5': 3,
}

/** Compares `1.2.3` with `1.10.1`. */
const byNumber = new Intl.Collator('en', { numeric: true }).compare

t.test('every requirement is answered once; a test or a page shows what is met', async (t) => {
  const rows = [...asvs.matchAll(/^\| (\d+\.\d+\.\d+) \| [^|]+ \| ([^|]+) \| (.*) ?\|$/gm)]
  const lists = [...asvs.matchAll(/^Does not apply: (.*?)\.\n(?:\n|$)/gms)].map(
    ([, list = '']) => list,
  )
  const listed = lists.join('; ').split('; ')
  t.same(
    [
      ...rows.map(([, number = '']) => number),
      ...listed.map((item) => item.split(' ', 1)[0] ?? ''),
    ].sort(byNumber),
    Object.entries(sections).flatMap(([section, count]) =>
      Array.from({ length: count }, (_, at) => `${section}.${at + 1}`),
    ),
  )
  for (const [, number = '', answer = '', shown = ''] of rows) {
    t.match(
      answer,
      /^(?:met(?:$|[:,])|does not apply(?: to input)?: |missed in part: |missed: )/,
      number,
    )
    if (answer.startsWith('met')) t.match(shown, / › |\]\([\w.-]+/, number)
  }
})
