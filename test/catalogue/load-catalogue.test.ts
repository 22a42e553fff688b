import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { JsonObject } from '../../src/catalogue/catalogue.ts'
import { member } from '../../src/catalogue/documents/reference.ts'
import { translatedDocument } from '../../src/catalogue/in-language.ts'
import { inspectCatalogue } from '../../src/catalogue/inspect-catalogue.ts'
import {
  CatalogueError,
  type CatalogueProblem,
  loadCatalogue,
  renderCatalogueProblem,
} from '../../src/catalogue/load-catalogue.ts'
import { ownApis, ownDocument } from '../support/own-apis.ts'

const minimal = 'test/catalogue/fixtures/minimal'

async function problemsOf(configDir: string): Promise<readonly CatalogueProblem[]> {
  try {
    await loadCatalogue(configDir)
    return []
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error
    return error.problems
  }
}

/** A copy of the minimal configuration, with files written into it. */
function copyOf(t: Test, files: Readonly<Record<string, string>> = {}): string {
  const folder = join(t.testdir(), 'config')
  cpSync(minimal, folder, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

t.test('a version is loaded with its operations, lifecycle and plans', async (t) => {
  const catalogue = await loadCatalogue(minimal)
  t.strictSame([...catalogue.versions.keys()], ['library@1.0.0', 'library@1.1.0'])
  const version = catalogue.versions.get('library@1.0.0')
  t.match(version, {
    api: 'library',
    version: '1.0.0',
    title: 'Library',
    prefix: '/v1.0.0',
    lifecycle: { deprecated: '2024-04-14', sunset: '2027-10-31', successor: '1.1.0' },
    plans: ['default'],
  })
  t.strictSame(
    version?.operations.map(({ id, method, path }) => `${id} ${method} ${path}`),
    [
      'readBookList GET /v1.0.0/books',
      'addBook POST /v1.0.0/books',
      'readBook GET /v1.0.0/books/{book-id}',
      'removeBook DELETE /v1.0.0/books/{book-id}',
    ],
  )
  t.strictSame(version?.operations[3], {
    id: 'removeBook',
    api: 'library',
    version: '1.0.0',
    method: 'DELETE',
    path: '/v1.0.0/books/{book-id}',
    template: '/books/{book-id}',
    segments: [
      { kind: 'literal', text: 'books' },
      { kind: 'parameter', name: 'book-id' },
    ],
    summary: 'Remove a book',
    tag: '',
    psd2Role: undefined,
    hasBody: false,
    declared: { headers: ['X-Request-ID'], query: [], responseHeaders: [] },
    availableIn: ['1.0.0'],
  })
  t.strictSame(version?.operations[1]?.hasBody, true)
  t.strictSame(version?.operations[2]?.availableIn, ['1.0.0', '1.1.0'])
  t.strictSame(catalogue.plans.get('default'), {
    name: 'default',
    title: 'Default Plan',
    description: 'For everybody.',
    apis: ['library@*'],
    limits: [
      { name: 'default', calls: 100, windowLength: 3600, isAdvertised: true, scope: 'operation' },
    ],
    mode: 'enforce',
    onStoreOutage: 'local-share',
    translations: {},
  })
})

t.test(
  'a document is in one piece: no reference leaves it, each leads somewhere, cycles included',
  async (t) => {
    const catalogue = await loadCatalogue(minimal)
    for (const version of catalogue.versions.values()) {
      const document = version.document.read()
      const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)]
      t.ok(references.length > 10, 'there are references')
      for (const [, reference = ''] of references) {
        t.match(reference, /^#\/components\/[a-zA-Z]+\/[A-Za-z0-9._-]+$/)
        const root = { value: document, pointer: '' }
        t.ok(
          member(document, root, ...reference.slice(2).split('/')),
          `${reference} leads somewhere`,
        )
      }
    }
  },
)

t.test('fragments of two files that bear one name stay two', async (t) => {
  const folder = copyOf(t, {
    'shared/other.yaml': 'components:\n  schemas:\n    book: { type: string, maxLength: 9 }\n',
  })
  const path = join(folder, 'apis/library/1.1.0.yaml')
  writeFileSync(
    path,
    readFileSync(path, 'utf8')
      .replace(
        '      responses:\n',
        '      parameters: [{ name: kind, in: query, schema: { $ref: ../../shared/other.yaml#/components/schemas/book } }]\n      responses:\n',
      )
      .replace('  securitySchemes:', '  schemas: { price: { type: boolean } }\n  securitySchemes:'),
  )
  const catalogue = await loadCatalogue(folder)
  const components = catalogue.versions.get('library@1.1.0')?.document.read()['components']
  const schemas = (components as JsonObject)['schemas'] as JsonObject // components are mappings
  t.strictSame(schemas['price'], { type: 'boolean' }, 'the document keeps its own name')
  t.match(schemas['library.price'], { required: ['currency', 'amount'] })
  const both = [schemas['book'], schemas['other.book'], schemas['library.book']]
  t.equal(both.filter((schema) => schema !== undefined).length, 2)
})

t.test('a path item may add to the one it refers to, over several files', async (t) => {
  const folder = copyOf(t, {
    'shared/more.yaml': `books:
  $ref: library.yaml#/components/pathItems/books
  delete:
    operationId: removeAllBooks
    responses:
      '204': { description: Gone. }
`,
  })
  const path = join(folder, 'apis/library/1.1.0.yaml')
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(
      'library.yaml#/components/pathItems/books',
      'more.yaml#/books',
    ),
  )
  const version = (await loadCatalogue(folder)).versions.get('library@1.1.0')
  t.strictSame(
    version?.operations.map(({ id }) => id),
    ['readBookList', 'addBook', 'removeAllBooks', 'readBook'],
  )
})

t.test('a loaded catalogue is immutable', async (t) => {
  const catalogue = await loadCatalogue(minimal)
  const seen = new Set<unknown>()
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    if (!Object.isFrozen(value)) t.fail('something is not frozen')
    for (const member of Object.values(value)) visit(member)
  }
  visit(catalogue)
  for (const version of catalogue.versions.values()) {
    visit(version)
    visit(version.document.read())
  }
  for (const plan of catalogue.plans.values()) visit(plan)
  t.ok(seen.size > 200, 'much was looked at')
  for (const map of [catalogue.versions, catalogue.plans]) {
    t.notOk('set' in map || 'delete' in map || 'clear' in map, 'the maps cannot be written')
    t.throws(() => Map.prototype.set.call(map, 'a', 'b'), TypeError)
    let handed: unknown
    map.forEach((_value, _key, self) => {
      handed = self
    })
    t.equal(handed, map, 'forEach does not give the inner map away')
  }
})

t.test('all problems are reported together, by file and line, each once', async (t) => {
  const folder = copyOf(t, {
    'plans/gold.yaml':
      'title: 5\napis: [library@*]\nlimits: []\nmode: enforce\nonStoreOutage: deny\n',
    'apis/library/v1.2.yaml': '',
    'apis/library/2.0.0.yaml': 'openapi: 3.1.1\nx-tollgate: { prefix: a }\npaths: { "/a{b": {} }\n',
    'apis/library/3.0.0.yaml': 'openapi: 4.0.0\n',
  })
  const shared = join(folder, 'shared/library.yaml')
  const text = readFileSync(shared, 'utf8')
  writeFileSync(shared, text.replace('maxLength: 140', '$ref: gone.yaml'))
  const line = text.split('\n').findIndex((each) => each.includes('maxLength: 140')) + 1
  const problems = await problemsOf(folder)
  t.strictSame(
    problems.map(({ file, line, rule }) => `${file.slice(folder.length + 1)}:${line} ${rule}`),
    [
      'apis/library/2.0.0.yaml:2 prefix-invalid',
      'apis/library/2.0.0.yaml:3 path-segment',
      'apis/library/3.0.0.yaml:1 openapi-version',
      'apis/library/v1.2.yaml:1 unknown-file',
      'plans/gold.yaml:1 plan-member-type',
      'plans/gold.yaml:3 plan-limits',
      `shared/library.yaml:${line} reference-unresolvable`,
    ],
    'the fault in the shared file is reported once, although two versions use it',
  )
})

t.test('a problem that may only follow from another is reported after all others', async (t) => {
  const folder = copyOf(t, {
    // Sorted by file alone, it would come first.
    'apis/a/he.yaml': 'operations: { listMagazines: a }\n',
    'apis/a/1.yaml': 'openapi: 3.1.1\ninfo: { title: A, version: 1.0.0 }\npaths: {}\n',
    'plans/a.yaml':
      'title: A\napis: [a@*]\nlimits: [{ name: a, calls: 1, window: PT1H, scope: operation }]\nmode: enforce\nonStoreOutage: deny\n',
    'apis/library/2.0.0.yaml':
      'openapi: 3.1.1\ninfo: { title: A, version: 2.0.0 }\nservers: [{ url: /v2.0.0 }]\npaths: { /magazines: { $ref: ../../../elsewhere.yaml } }\n',
  })
  const problems = await problemsOf(folder)
  t.ok(problems.length > 1)
  t.match(problems[0], { file: /2\.0\.0\.yaml$/, message: /elsewhere/ })
  t.equal(problems.at(-1)?.rule, 'translation-unknown')
})

t.test('a path that cannot be routed is refused with what is wrong in it', async (t) => {
  const wrong = {
    '/a/b;c': 'has ";", which servers read in two ways',
    '/{a}/{b}%2F{c}': 'has "%2F", which servers read in two ways',
    '/a\\b': 'has "\\\\", which servers read in two ways',
    '/caf%C3%A9%': 'has "%", which servers read in two ways',
    '/a/..': 'is a dot segment, which servers resolve',
    '/ a': 'begins or ends with a character that servers read in two ways',
    '/{a': 'has a brace without the other',
    '/a//b': 'is empty: servers merge slashes',
  }
  const document = ownDocument(Object.keys(wrong).map((path) => `GET ${path}`))
  const problems = await problemsOf(ownApis(t, { 'a/1.json': document }))
  t.same(
    problems.map(({ message }) => message.replace(/.*: the segment ("([^"\\]|\\.)*") /, '')),
    Object.values(wrong),
  )
})

t.test('versions that publish the same operations are one problem for each pair', async (t) => {
  const document = ownDocument(['GET /a', 'GET /b/{id}', 'POST /b/{id}'], {
    servers: [{ url: '/shop' }],
  })
  const other = ownDocument(['GET /b/{other}', 'GET /c'], { servers: [{ url: '/shop' }] })
  const files = { 'shop/1.json': document, 'shop/2.json': document, 'store/1.json': other }
  const problems = await problemsOf(ownApis(t, files))
  t.match(problems, [
    {
      file: /shop\/2\.json$/,
      rule: 'operation-claimed',
      message:
        'paths./a.get: shop@2 and shop@1 both publish GET /shop/a and 2 more; give one of the versions another prefix, in x-tollgate or with tollgate publish --prefix',
      example: 'x-tollgate: { prefix: /shop/v2 }',
    },
    {
      file: /store\/1\.json$/,
      message:
        /^paths\.\/b\/\{other\}\.get: store@1 and shop@1 both publish GET \/shop\/b\/\{other\}; give/,
    },
  ])
  t.equal(problems.length, 2)
})

t.test('a problem reads: file, line, rule, place, what is wrong, an example', (t) => {
  const problem = {
    file: 'config/plans/default.yaml',
    line: 7,
    rule: 'limit-window',
    message: 'limits[0].window: "1 hour" is not an ISO 8601 duration',
    example: 'PT1H',
  }
  const text =
    'config/plans/default.yaml:7 limit-window: limits[0].window: "1 hour" is not an ISO 8601 duration (e.g. PT1H)'
  t.equal(renderCatalogueProblem(problem), text)
  t.equal(new CatalogueError([problem]).message, text)
  t.end()
})

t.test('1.10.0 is younger than 1.9.0', async (t) => {
  const folder = copyOf(t)
  const text = readFileSync(join(folder, 'apis/library/1.1.0.yaml'), 'utf8')
  for (const version of ['1.10.0', '1.9.0']) {
    writeFileSync(join(folder, `apis/library/${version}.yaml`), text.replaceAll('1.1.0', version))
  }
  const catalogue = await loadCatalogue(folder)
  t.strictSame(
    [...catalogue.versions.values()].map(({ version }) => version),
    ['1.0.0', '1.1.0', '1.9.0', '1.10.0'],
  )
  t.strictSame(catalogue.versions.get('library@1.0.0')?.operations[0]?.availableIn, [
    '1.0.0',
    '1.1.0',
    '1.9.0',
    '1.10.0',
  ])
})

t.test('a link that leads out of the configuration is refused', async (t) => {
  const folder = copyOf(t)
  writeFileSync(join(folder, '../outside.yaml'), 'type: string\n')
  symlinkSync('../../outside.yaml', join(folder, 'shared/outside.yaml'))
  const path = join(folder, 'apis/library/1.1.0.yaml')
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(
      '../../shared/library.yaml#/components/schemas/book',
      '../../shared/outside.yaml',
    ),
  )
  t.match(await problemsOf(folder), [{ rule: 'reference-outside' }])
})

t.test('a reference may stand for all paths, and for an operation', async (t) => {
  const head = 'openapi: 3.1.1\ninfo: { title: A, version: "2" }\n'
  const folder = copyOf(t, {
    'apis/library/2.yaml': `${head}paths: { $ref: parts/paths.yaml }\n`,
    'apis/library/3.yaml': `${head}paths: { /c: { get: { $ref: '#/x-get' }, put: { $ref: parts/put.yaml } } }\nx-get: { operationId: getC, responses: { 200: { $ref: '#/components/responses/done' } } }\ncomponents: { responses: { done: { description: done } } }\n`,
    'apis/library/parts/paths.yaml': '/a: { put: { $ref: put.yaml } }\n/b: { $ref: item.yaml }\n',
    'apis/library/parts/item.yaml':
      "get: { responses: { 200: { $ref: '../3.yaml#/components/responses/done' } } }\n",
    'apis/library/parts/put.yaml': 'requestBody: { content: {} }\nresponses: {}\n',
  })
  const { versions } = await loadCatalogue(folder)
  const operationsOf = (version: string) =>
    versions
      .get(`library@${version}`)
      ?.operations.map(({ id, path, hasBody }) => `${id} ${path} ${hasBody}`)
  t.same(operationsOf('2'), ['put-a /v2/a true', 'get-b /v2/b false'])
  t.same(operationsOf('3'), ['getC /v3/c false', 'put-c /v3/c true'])
  for (const [paths, message] of [
    ['{ $ref: gone.yaml }', /names no YAML or JSON file/],
    ["{ $ref: '#/paths' }", /refers to itself without end/],
    ["{ /a: { get: { $ref: '#/nowhere' } } }", /leads to nothing/],
  ] as const) {
    writeFileSync(join(folder, 'apis/library/2.yaml'), `${head}paths: ${paths}\n`)
    t.match(await problemsOf(folder), [{ rule: 'reference-unresolvable', line: 3, message }])
  }
})

t.test('a file named .json that is not JSON is refused at its line', async (t) => {
  const head = '{\n"openapi": "3.1.1",\n"info": { "title": "A", "version": "1" },\n'
  const paths = '"paths": {}'
  const folder = ownApis(t, {
    'a/1.json': `${head}"x-a": {\n  "a": 1,\n},\n${paths}\n}`,
    'a/2.json': `${head}"x-a": [\n  "a",\n],\n${paths}\n}`,
    'a/3.json': `${head}// no comments\n${paths}\n}`,
    'a/4.json': `${head}"x-a": [1\n${paths}\n}`,
    'a/5.json': 'openapi: 3.1.1\ninfo: { title: A, version: 1 }\npaths: {}\n',
    'a/7.json': `${head}"x-a":`,
    // A reader may ignore a byte order mark (RFC 8259, 8.1).
    'a/6.json': `\uFEFF${head}${paths}\n}`,
    'a/8.json': `${head}${paths}\n}\n}`,
    'a/9.json': '{\n\n\n"a":\n]',
  })
  const problems = await problemsOf(folder)
  t.same(
    problems.map(({ file, line, rule, message }) => `${file.at(-6)}:${line} ${rule} ${message}`),
    [
      '1:6 yaml-syntax the file is not JSON: expected double-quoted property name',
      "2:6 yaml-syntax the file is not JSON: unexpected token ']'",
      '3:4 yaml-syntax the file is not JSON: expected double-quoted property name',
      "4:5 yaml-syntax the file is not JSON: expected ',' or ']' after array element",
      "5:1 yaml-syntax the file is not JSON: unexpected token 'o'",
      '7:4 yaml-syntax the file is not JSON: unexpected end of JSON input',
      '8:6 yaml-syntax the file is not JSON: unexpected non-whitespace character after JSON',
      "9:5 yaml-syntax the file is not JSON: unexpected token ']'",
    ],
  )
})

t.test('a member that occurs twice is refused in JSON, too, at its line', async (t) => {
  const folder = copyOf(t, {
    'apis/library/2.0.0.json': `{
\t"openapi": "3.1.1", "x-a": [":", "\\":", { "a": 1 }, { "a": 1, "b": "{:" }],
\t"info": { "title": "A", "version": "2", "x-colon:": "\\\\" },
\t"paths": {
\t\t"/a": { "get": { "responses": {} } },
\t\t"\\/\\u0061": {}
\t}
}`,
  })
  t.match(await problemsOf(folder), [
    { file: /2\.0\.0\.json$/, line: 6, rule: 'duplicate-key', message: /occurs twice/ },
  ])
  const file = join(folder, 'apis/library/2.0.0.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace('u0061', 'u0062'))
  t.equal((await loadCatalogue(folder)).versions.get('library@2.0.0')?.operations.length, 1)
})

t.test('a file that cannot be read is a problem among the others', async (t) => {
  const folder = copyOf(t)
  symlinkSync('nowhere.yaml', join(folder, 'plans/gold.yaml'))
  t.match(await problemsOf(folder), [{ rule: 'file-unreadable', line: 1, message: /ENOENT/ }])
})

t.test('files of a mounted ConfigMap that begin with a dot are not looked at', async (t) => {
  const folder = copyOf(t, { 'plans/..data': '', 'apis/.gitkeep': '', 'apis/library/..data': '' })
  t.equal((await loadCatalogue(folder)).versions.size, 2)
})

t.test(
  'a translation has every text of a document by its English text, and a check counts what it lacks',
  async (t) => {
    const document = `openapi: 3.1.1
info: { title: Demo, version: 1.0.0, description: A demo. }
tags: [{ name: Things, description: All about things. }]
paths:
  /things:
    get:
      operationId: readThings
      summary: Read the things
      tags: [Things]
      responses:
        '200':
          description: The things.
          headers: { Left: { description: Calls left., schema: { type: integer } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/things' } } }
components:
  schemas:
    things:
      description: |
        | Kind | Meaning |
        |---|---|
        | a | old |
      oneOf:
        - { title: One thing, type: object, properties: { name: { type: string, description: The things. } } }
        - { title: Many, type: array, items: { type: string, title: Not shown } }
`
    const hebrew = `versions: { 1.0.0: { title: הדגמה, description: הדגמה. } }
tags: { Things: דברים }
operations: { readThings: הצגת הדברים }
texts:
  The things.: הדברים.
  One thing: דבר אחד
  ? |
    | Kind | Meaning |
    |---|---|
    | a | old |
  : טבלה
`
    const plan =
      'title: A\napis: ["*@*"]\nlimits: [{ name: a, calls: 1, window: PT1H, scope: operation }]\nmode: enforce\nonStoreOutage: deny\n'
    const folder = copyOf(t, {
      'apis/demo/1.0.0.yaml': document,
      'apis/demo/he.yaml': hebrew,
      'plans/demo.yaml': plan.replace('*@*', 'demo@*'),
    })
    const { catalogue, warnings } = await inspectCatalogue(folder)
    t.match(
      warnings.filter(({ rule }) => rule === 'translation-missing'),
      [
        {
          file: join(folder, 'apis/demo/he.yaml'),
          line: 1,
          message: '3 texts of demo have no translation, for example texts.All about things.',
        },
      ],
    )
    const version = catalogue.versions.get('demo@1.0.0')
    const { he } = version?.translations ?? {}
    if (version === undefined || he === undefined) throw new Error('it is translated')
    const translated = translatedDocument(version.document.read(), he)
    t.match(translated, {
      tags: [{ name: 'Things', description: 'All about things.' }],
      paths: { '/things': { get: { responses: { 200: { description: 'הדברים.' } } } } },
      components: {
        schemas: {
          things: {
            description: 'טבלה',
            oneOf: [
              { title: 'דבר אחד', properties: { name: { description: 'הדברים.' } } },
              { title: 'Many', items: { title: 'Not shown' } },
            ],
          },
        },
      },
    })
    // Only an API with a file of its own is expected to be complete.
    writeFileSync(join(folder, 'apis/he.yaml'), hebrew.replace(/versions.*\n/, ''))
    rmSync(join(folder, 'apis/demo/he.yaml'))
    const shared = await inspectCatalogue(folder)
    t.same(
      shared.warnings.filter(({ rule }) => rule.startsWith('translation')),
      [],
    )
  },
)
