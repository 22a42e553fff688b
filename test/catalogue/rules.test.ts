import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { CatalogueError } from '../../src/catalogue/catalogue-error.ts'
import { inspectCatalogue } from '../../src/catalogue/inspect-catalogue.ts'

const bad = 'test/catalogue/fixtures/bad'
const doubtful = 'test/catalogue/fixtures/doubtful'

/** Faults that stand in no file: the place they are reported at. */
const placeless: ReadonlyMap<string, string> = new Map([
  ['empty-configuration', 'apis'],
  ['missing-folder', 'plans'],
  ['api-name', 'apis/Demo'],
])

/** What only a document has to keep whose backend is tested against it. */
const strictOnly: ReadonlySet<string> = new Set([
  'response-schema-open',
  'response-schema-without-required',
])

/** Warnings of schemas that only a strict compiler refuses, by folder. */
const strictSchemas: ReadonlySet<string> = new Set([
  'schema-uncompilable~format',
  'schema-uncompilable~keyword',
])

/** The lines marked `# fault` in the files of a folder, as `file:line`. */
function marks(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  return files
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, index) => (line.includes('# fault') ? [`${file}:${index + 1}`] : [])),
    )
}

async function problemsOf(folder: string, options = {}) {
  try {
    await inspectCatalogue(folder, options)
    return []
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error
    return error.problems
  }
}

for (const name of readdirSync(bad)) {
  const [rule] = name.split('~')
  t.test(
    `${name}: the document that breaks the rule is refused at the line, and for nothing else`,
    async (t) => {
      const folder = join(bad, name)
      const place = placeless.get(name)
      const expected = place === undefined ? marks(folder) : [`${join(folder, place)}:1`]
      const problems = await problemsOf(folder)
      t.strictSame(
        problems.map((problem) => `${problem.file}:${problem.line} ${problem.rule}`),
        expected.map((at) => `${at} ${rule}`),
        'file, line and rule',
      )
      t.equal(expected.length, 1, 'one fault is marked')
    },
  )
}

for (const name of readdirSync(doubtful)) {
  const [rule] = name.split('~')
  t.test(
    `${name}: the document is served with a warning, and refused by a strict check`,
    async (t) => {
      const folder = join(doubtful, name)
      const expected = marks(folder).map((at) => `${at} ${rule}`)
      const found = await problemsOf(folder, { isStrict: true })
      t.strictSame(
        found.map((problem) => `${problem.file}:${problem.line} ${problem.rule}`),
        expected,
        'file, line and rule',
      )
      t.equal(expected.length, 1, 'one fault is marked')
      const isStrictOnly = strictOnly.has(String(rule)) || strictSchemas.has(name)
      const { warnings } = await inspectCatalogue(folder)
      t.strictSame(warnings, isStrictOnly ? [] : found)
    },
  )
}

t.test(
  'a CONFIG_DIR that does not exist is named as missing, and so are both its folders',
  async (t) => {
    const problems = await problemsOf('no-such-folder')
    t.match(problems, [
      { file: 'no-such-folder/apis', rule: 'missing-folder', message: /the folder is missing/ },
      { file: 'no-such-folder/plans', rule: 'missing-folder' },
    ])
    t.equal(problems.length, 2)
  },
)

t.test('a folder that the system does not let be read is not called missing', async (t) => {
  const folder = t.testdir({ apis: t.fixture('symlink', 'apis'), plans: {} })
  t.match(await problemsOf(folder), [
    { file: join(folder, 'apis'), rule: 'file-unreadable', message: 'cannot be read: ELOOP' },
  ])
})

t.test(
  'a file with two YAML documents is refused in words of the reader, not of the library',
  async (t) => {
    const [problem] = await problemsOf(join(bad, 'yaml-syntax~several'))
    t.equal(problem?.message, 'the file holds several YAML documents; keep one')
  },
)
