import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { parse } from 'yaml'
import type { Json } from '../../src/catalogue/catalogue.ts'
import { isJsonArray, isJsonObject } from '../../src/catalogue/json.ts'
import { createSources, type Sources } from '../../src/catalogue/source.ts'
import { configDir } from '../support/published-catalogue.ts'
import '../support/draw.ts'

const folder = mkdtempSync(join(tmpdir(), 'tg-yaml-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

function read(text: string | Buffer): { content: Json | undefined; sources: Sources } {
  writeFileSync(join(folder, 'a.yaml'), text)
  const sources = createSources({ configDir: folder })
  return { content: sources.read('a.yaml'), sources }
}

/** Every container with the names or indices of its members. */
function containers(content: Json | undefined): { at: object; members: (string | number)[] }[] {
  if (isJsonArray(content)) {
    return [{ at: content, members: [...content.keys()] }, ...content.flatMap(containers)]
  }
  if (!isJsonObject(content)) return []
  const members = Object.keys(content)
  return [{ at: content, members }, ...Object.values(content).flatMap(containers)]
}

// The brand that ships has comments only, which is no document.
const files = globSync('**/*.yaml', { cwd: configDir, exclude: ['brand.yaml'] })

t.test(
  'every published document is read as the parser that places faults reads it, and each member stands in its line',
  async (t) => {
    t.ok(files.length > 5)
    for (const file of files) {
      const text = readFileSync(join(configDir, file), 'utf8')
      const lines = text.split('\n')
      const sources = createSources({ configDir })
      const content = sources.read(file)
      t.equal(JSON.stringify(content), JSON.stringify(parse(text)), file)
      const all = containers(content)
      // A place costs a walk from the top: of a large document, some of each part.
      for (const { at, members } of all.filter((_, index) => index % 7 === 0)) {
        for (const member of members) {
          const { line } = sources.place(at, member)
          const isThere =
            typeof member === 'number'
              ? /[-[,]/.test(lines.slice(line - 2, line).join())
              : lines[line - 1]?.includes(member.replaceAll("'", "''"))
          if (!isThere) t.fail(`${file}:${line} does not have ${member}`)
        }
      }
    }
  },
)

t.test('what is read is what YAML 1.2 says', async (t) => {
  const text = [
    '--- # begins',
    'text: a, b {c} [d] it\'s "so" -1 x:y a#b # no more',
    "'quoted ''name''': 'one: ''two'' # three'",
    'double: "no: \\u0065scapes # here"',
    'numbers: [0, -7, 1.50, 2026-08-01, 1.2.3, v1, 0x1F, 1e3]',
    'truths: [true, False, null, ~, yes, on, Nothing]',
    'empty:',
    "/paths/{id}: { $ref: '#/a', list: [{ a: 1 }, [2, 3]], more: { b: c } }",
    '404: found',
    'below:',
    '    [h,',
    '  i]',
    'folded: >-',
    '  one',
    '  two',
    '',
    '',
    '  three',
    'literal: |',
    '  one',
    '    two',
    '# a comment',
    'same:',
    '- a: 1',
    '  b:',
    '  - x',
    '- c',
    'aliased: &x { d: 1 }',
    'alias: *x',
    'indented:',
    '  e: {',
    '    "f": [ 1 ]',
    '  }',
    'more than',
    '  one line: d',
  ]
  t.strictSame(read([...text.slice(0, -2), ''].join('\n')).content, {
    404: 'found',
    text: 'a, b {c} [d] it\'s "so" -1 x:y a#b',
    "quoted 'name'": "one: 'two' # three",
    double: 'no: escapes # here',
    numbers: [0, -7, 1.5, '2026-08-01', '1.2.3', 'v1', 31, 1000],
    truths: [true, false, null, null, 'yes', 'on', 'Nothing'],
    empty: null,
    '/paths/{id}': { $ref: '#/a', list: [{ a: 1 }, [2, 3]], more: { b: 'c' } },
    below: ['h', 'i'],
    folded: 'one two\n\nthree',
    literal: 'one\n  two\n',
    same: [{ a: 1, b: ['x'] }, 'c'],
    aliased: { d: 1 },
    alias: { d: 1 },
    indented: { e: { f: [1] } },
  })
  t.equal(read(text.join('\n')).content, undefined)
})

t.test('what has no one JSON form is refused with its line, and why', async (t) => {
  const cases: [text: string, ...expected: string[]][] = [
    ['a: 1\na: 2\n', '2 the member a occurs twice in one mapping'],
    ["'200': 1\n200: 2\n", '2 the member 200 occurs twice in one mapping'],
    [
      'a: { b: 1, b: 2 }\nc: 1\nc: 2\n',
      '1 the member b occurs twice in one mapping',
      '3 the member c occurs twice in one mapping',
    ],
    ['a: &x 1\nb: *y\n', '2 '],
    ['a: &x { b: *x }\n', '1 '],
    ['a: 1\n__proto__: 1\n', '2 a member name must be a plain text'],
    ['? [a]\n: b\n', '1 a member name must be a plain text'],
    ['a:\n  - .inf\n', '2 the value has no JSON form'],
    ['a: 1\n---\nb: 1\n', '2 the file holds several YAML documents; keep one'],
    ['a: [1, 2\n', '2 the indentation differs from the lines above, or a bracket is not closed'],
    ['a:\n   b: 1\n  c: 2\n', '3 the indentation differs from the lines above'],
    [
      'a:\n  b: 1\n   c: 2\n',
      '2 this line or the next is indented wrongly, or a text with ": " needs',
    ],
    [
      'a: b: c\n',
      '1 this line or the next is indented wrongly, or a text with ": " needs quotation',
    ],
    ['a:\n  b:1\n  c: 2\n', '2 the line has no ": " between a name and its value'],
    ['a: !what 1\n', '1 '],
    // What only the parser that reads refuses, not the one that places faults.
    ['a: 1\nb: !!set { a, b }\n', '2 unknown mapping tag'],
    ['a: 1\nb: "x\0y"\n', '2 null byte is not allowed'],
  ]
  for (const [text, ...expected] of cases) {
    const { content, sources } = read(text)
    t.equal(content, undefined, JSON.stringify(text))
    const said = sources.problems.map(({ line, message }) => `${line} ${message}`)
    t.equal(said.length, expected.length, said.join())
    for (const [index, words] of expected.entries()) {
      t.ok(said[index]?.startsWith(words), `${said[index]} should be ${words}`)
    }
  }
})

t.test('a file that is not UTF-8 is refused with its first such line', async (t) => {
  const latin1 = Buffer.from('a: 1\n# caf\xe9\nb: caf\xe9\n', 'latin1')
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('a: é\n', 'utf16le')])
  const cut = Buffer.from('a: é').subarray(0, -1)
  for (const [bytes, line] of [
    [latin1, 2],
    [utf16, 1],
    [cut, 1],
  ] as const) {
    const { content, sources } = read(bytes)
    t.equal(content, undefined)
    t.match(sources.problems, [{ line, rule: 'text-encoding', message: /is not UTF-8/ }])
  }
  t.same(read('\ufeffa: é\n').content, { a: 'é' }, 'a byte-order mark is none of the text')
})

t.test(
  'however a document is disfigured, it is read or refused, at a line of the file',
  async (t) => {
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
    const indicators = ': |:|- |-|# | #|{|}|[|]|,|\'|"|>-\n|&a |*a|!|?|? |@|%|\n|\n  | '.split('|')
    const values = ['|\n', '0', '~', 'null', 'True', '1.', '.5', '0x1', '1_0', '+1', 'é', '\u00a0']
    const edit = fc.record({
      at: fc.nat(),
      removed: fc.nat({ max: 3 }),
      inserted: fc.constantFrom('', ...indicators, ...values),
    })
    let accepted = 0
    fc.assert(
      fc.property(snippet, fc.array(edit, { maxLength: 3 }), (original, edits) => {
        let text = original
        for (const { at, removed, inserted } of edits) {
          const offset = at % (text.length + 1)
          text = text.slice(0, offset) + inserted + text.slice(offset + removed)
        }
        const { content, sources } = read(text)
        if (content !== undefined) accepted += 1
        else if (sources.problems.length === 0) throw new Error('nothing is reported')
        const places = containers(content).map(({ at }) => sources.place(at))
        const lines = text.split('\n').length
        for (const { line } of [...sources.problems, ...places]) {
          if (line < 1 || line > lines) throw new Error(`there is no line ${line}`)
        }
      }),
      { numRuns: 400 },
    )
    t.ok(accepted > 50, `${accepted} were read`)
  },
)

t.test('a problem of a file that vanished after it was read is in line 1', (t) => {
  const { content, sources } = read('a: 1\nb: 2\n')
  rmSync(join(folder, 'a.yaml'))
  if (!isJsonObject(content)) throw new Error('the file is no mapping')
  sources.report({ rule: 'r', at: content, member: 'b', message: 'is wrong' })
  const file = join(folder, 'a.yaml')
  t.same(sources.problems, [{ file, line: 1, rule: 'r', message: 'b: is wrong' }])
  t.end()
})
