import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import type { Json } from '../../src/catalogue/catalogue.ts'
import { isJsonArray, isJsonObject } from '../../src/catalogue/json.ts'
import type { Origin } from '../../src/catalogue/origin.ts'
import { readPlainYaml } from '../../src/catalogue/plain-yaml.ts'
import { createSources, type Sources } from '../../src/catalogue/source.ts'
import { configDir } from '../support/edge.ts'

const folder = mkdtempSync(join(tmpdir(), 'tg-yaml-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

/** A comment that makes the short way give up and changes nothing. */
const unplain = '#\t\n'

/** What the whole parser makes of a text; undefined when it finds fault. */
function readWhole(text: string): { content: Json; sources: Sources } | undefined {
  writeFileSync(join(folder, 'whole.yaml'), `${text}${unplain}`)
  const sources = createSources({ configDir: folder })
  const content = sources.read('whole.yaml')
  return content === undefined ? undefined : { content, sources }
}

/** What the short way makes of it; undefined when it gives up. */
function readPlain(text: string): { content: Json; origins: Map<object, Origin> } | undefined {
  const origins = new Map<object, Origin>()
  const file = {
    path: 'whole.yaml',
    lineAt: (offset: number) => text.slice(0, offset).split('\n').length,
  }
  const plain = readPlainYaml({ text, file, origins })
  return plain && { content: plain.content, origins }
}

/** The line and path of every container and member. */
function places(content: Json, sources: Sources): string[] {
  const found: string[] = []
  const visit = (value: Json | undefined): void => {
    if (!isJsonObject(value) && !isJsonArray(value)) return
    const { line, path } = sources.place(value)
    found.push(`${line} ${path}`)
    for (const [member, inner] of Object.entries(value)) {
      const place = sources.place(value, isJsonArray(value) ? Number(member) : member)
      found.push(`${place.line} ${place.path}`)
      visit(inner)
    }
  }
  visit(content)
  return found
}

const files = globSync('**/*.yaml', { cwd: configDir })

t.test(
  'every published document is read the short way, and as the whole parser reads it',
  async (t) => {
    t.ok(files.length > 5)
    for (const file of files) {
      const text = readFileSync(join(configDir, file), 'utf8')
      const whole = readWhole(text)
      const sources = createSources({ configDir })
      const content = sources.read(file)
      if (whole === undefined || content === undefined) throw new Error(`${file} is not read`)
      t.ok(readPlain(text) !== undefined, `${file} is plain`)
      t.equal(JSON.stringify(content), JSON.stringify(whole.content), file)
      t.same(places(content, sources), places(whole.content, whole.sources), `places of ${file}`)
    }
  },
)

t.test('what is read the short way is what YAML says', async (t) => {
  const text = [
    'text: a, b {c} [d] it\'s "so" -1 x:y a#b # no more',
    "'quoted ''name''': 'one: ''two'' # three'",
    'double: "no: escapes # here"',
    'numbers: [0, -7, 1.50, 2026-08-01, 1.2.3, v1]',
    'truths: [true, false, null, yes, Nothing]',
    'empty:',
    'none: {}',
    'nobody: []',
    "/paths/{id}: { $ref: '#/a', list: [{ a: 1 }, [2, 3]], more: { b: c } }",
    'below:',
    '    [h,',
    '  i]',
    'folded: >-',
    '  one',
    '  two',
    '',
    '',
    '  three',
    '',
    'literal: |',
    '  one',
    '    two',
    '',
    '  three',
    '# a comment',
    'same:',
    '- a: 1',
    '  b:',
    '  - x',
    '- c',
    'deeper:',
    '    - d',
    '    # between',
    '    - e: { f:',
    '        g }',
    '',
  ].join('\n')
  const plain = readPlain(text)
  t.same(plain?.content, readWhole(text)?.content)
  t.match(plain?.content, {
    text: 'a, b {c} [d] it\'s "so" -1 x:y a#b',
    "quoted 'name'": "one: 'two' # three",
    numbers: [0, -7, 1.5, '2026-08-01', '1.2.3', 'v1'],
    truths: [true, false, null, 'yes', 'Nothing'],
    empty: null,
    folded: 'one two\n\nthree',
    literal: 'one\n  two\n\nthree\n',
    same: [{ a: 1, b: ['x'] }, 'c'],
    deeper: ['d', { e: { f: 'g' } }],
  })
})

t.test('faults and what is not plain are left to the whole parser', async (t) => {
  for (const text of [
    'a: 1\na: 2\n',
    "'200': 1\n200: 2\n",
    'a: &x 1\nb: *x\n',
    'a: !!str 1\n',
    'a: "\\u0041"\n',
    'a: b: c\n',
    'a: [1, 2\n',
    'a: { b }\n',
    'a: 0x1F\n',
    'a: 1e3\n',
    'a: ~\n',
    'a: one\n  two\n',
    'a:\n   b: 1\n  c: 2\n',
    '__proto__: 1\n',
    '? a\n: b\n',
    '- a\n',
    'a: >\n  one\n    two\n',
    'a: |2\n   one\n',
    '---\na: 1\n',
    'a: 1',
    'a:\tb\n',
    'a: 1\r\n',
    'a: .inf\n',
    'a: { b: 1, b: 2 }\n',
    'a: [b: 1]\n',
    'a: {b:1}\n',
    "a: 'b' c\n",
    'a: [b\n]\n',
  ]) {
    t.equal(readPlain(text), undefined, JSON.stringify(text))
  }
})

t.test('however a document is disfigured, the short way gives up or is right', async (t) => {
  const documents = files.map((file) => readFileSync(join(configDir, file), 'utf8').split('\n'))
  const snippet = fc
    .tuple(fc.constantFrom(...documents), fc.nat(), fc.integer({ min: 3, max: 25 }))
    .map(([lines, from, count]) => {
      const begin = from % lines.length
      const part = lines.slice(begin, begin + count)
      const margins = part.filter((line) => line.trim() !== '').map((line) => line.search(/\S/))
      const margin = Math.min(...margins, 100)
      return `${part.map((line) => line.slice(margin)).join('\n')}\n`
    })
  const edit = fc.record({
    at: fc.nat(),
    removed: fc.nat({ max: 3 }),
    inserted: fc.oneof(
      fc.constantFrom(
        '',
        ' ',
        '  ',
        '\n',
        '\n  ',
        ': ',
        ':',
        '- ',
        '-',
        '# ',
        ' #',
        '{',
        '}',
        '[',
        ']',
      ),
      fc.constantFrom(
        ',',
        "'",
        '"',
        '|',
        '>',
        '|\n',
        '>-\n',
        '&a ',
        '*a',
        '!',
        '?',
        '? ',
        '@',
        '%',
        '0',
        '~',
      ),
      fc.constantFrom(
        'null',
        'True',
        '1.',
        '.5',
        '0x1',
        '1_0',
        '+1',
        'é',
        '\u00a0',
        '\u3000',
        '\\',
      ),
    ),
  })
  let accepted = 0
  fc.assert(
    fc.property(snippet, fc.array(edit, { maxLength: 3 }), (original, edits) => {
      let text = original
      for (const { at, removed, inserted } of edits) {
        const offset = at % (text.length + 1)
        text = text.slice(0, offset) + inserted + text.slice(offset + removed)
      }
      const plain = readPlain(text)
      if (plain === undefined) return
      accepted += 1
      const whole = readWhole(text)
      if (whole === undefined) throw new Error('the whole parser finds fault')
      if (JSON.stringify(plain.content) !== JSON.stringify(whole.content)) {
        throw new Error(`${JSON.stringify(plain.content)} is not ${JSON.stringify(whole.content)}`)
      }
    }),
    { numRuns: Number(process.env['RUNS'] ?? 3000) },
  )
  t.ok(accepted > 300, `${accepted} were read`)
})
