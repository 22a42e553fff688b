import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { JsonObject } from '../../src/catalogue/catalogue.ts'
import {
  CatalogueError,
  type CatalogueProblem,
  loadCatalogue,
  renderCatalogueProblem,
} from '../../src/catalogue/load-catalogue.ts'
import { member } from '../../src/catalogue/reference.ts'

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
      { kind: 'literal', text: 'v1.0.0' },
      { kind: 'literal', text: 'books' },
      { kind: 'parameter', name: 'book-id' },
    ],
    summary: 'Remove a book',
    psd2Role: undefined,
    hasBody: false,
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
    for (const { document } of catalogue.versions.values()) {
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
  const components = catalogue.versions.get('library@1.1.0')?.document['components']
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
  for (const version of catalogue.versions.values()) visit(version)
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
    'apis/library/1.2.yml': '',
    'apis/library/2.0.0.yaml':
      'openapi: 3.1.1\ninfo: { title: A }\npaths: {}\nservers: [{ url: / }]\n',
  })
  const shared = join(folder, 'shared/library.yaml')
  writeFileSync(shared, readFileSync(shared, 'utf8').replace('maxLength: 140', 'maxLength: none'))
  const line =
    readFileSync(shared, 'utf8')
      .split('\n')
      .findIndex((text) => text.includes('none')) + 1
  const problems = await problemsOf(folder)
  t.strictSame(
    problems.map(({ file, line, rule }) => `${file.slice(folder.length + 1)}:${line} ${rule}`),
    [
      'apis/library/1.2.yml:1 unknown-file',
      'apis/library/2.0.0.yaml:2 openapi-structure',
      'apis/library/2.0.0.yaml:4 servers-url',
      'plans/gold.yaml:1 plan-member-type',
      'plans/gold.yaml:3 plan-limits',
      `shared/library.yaml:${line} schema-invalid`,
    ],
    'the fault in the shared file is reported once, although two versions use it',
  )
})

t.test('an operation whose path or id is refused is checked like the others', async (t) => {
  const open = '{ type: object, properties: { a: { type: string } } }'
  const rulesOf = async (path: string, id: string) => {
    const folder = copyOf(t, {
      'apis/library/2.0.0.yaml': `openapi: 3.1.1
info: { title: A, version: 2.0.0 }
servers: [{ url: /v2.0.0 }]
paths:
  ${path}:
    get:
      ${id}
      responses: { 200: { description: b, content: { application/json: { schema: ${open} } } } }
`,
    })
    return (await problemsOf(folder)).map(({ rule }) => rule)
  }
  const ofAnswer = ['response-schema-open', 'response-schema-without-required']
  t.same(await rulesOf('/a', 'operationId: readA'), ofAnswer)
  t.same(await rulesOf('/a', 'operationId: read-a'), ['operation-id-format', ...ofAnswer])
  t.same(await rulesOf('/a', 'summary: b'), ['operation-id-missing', ...ofAnswer])
  t.same(await rulesOf("'/{a}{b}'", 'operationId: readA'), ['path-segment', ...ofAnswer])
})

t.test('a refused id hides no path that is taken, and a refused path no id that is', async (t) => {
  const document = (paths: string) => `openapi: 3.1.1
info: { title: A, version: 2.0.0 }
servers: [{ url: /v2.0.0 }]
paths:
${paths}`
  const get = (path: string, id: string) =>
    `  ${path}: { get: { operationId: ${id}, responses: { 204: { description: b } } } }\n`
  const rulesOf = async (files: Record<string, string>) =>
    (await problemsOf(copyOf(t, files))).map(({ rule }) => rule)
  const claimed = await rulesOf({
    'apis/library/2.0.0.yaml': document(get('/a', 'readA')),
    'apis/shop/2.0.0.yaml': document(get('/a', 'read-a')),
  })
  t.same(claimed.toSorted(), ['operation-claimed', 'operation-id-format', 'version-without-plan'])
  const doubled = await rulesOf({
    'apis/library/2.0.0.yaml': document(get("'/{a}{b}'", 'readA') + get('/c', 'readA')),
  })
  t.same(doubled.toSorted(), ['operation-id-duplicate', 'path-segment'])
})

t.test('a problem that may only follow from another is reported after all others', async (t) => {
  const folder = copyOf(t, {
    // Sorted by file alone, it would come first.
    'apis/he.yaml': 'operations: { listMagazines: a }\n',
    'apis/library/2.0.0.yaml':
      'openapi: 3.1.1\ninfo: { title: A, version: 2.0.0 }\nservers: [{ url: /v2.0.0 }]\npaths: { /magazines: { $ref: ../../../elsewhere.yaml } }\n',
  })
  const problems = await problemsOf(folder)
  t.ok(problems.length > 1)
  t.match(problems[0], { file: /2\.0\.0\.yaml$/, message: /elsewhere/ })
  t.equal(problems.at(-1)?.rule, 'translation-unknown')
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

t.test('a file that cannot be read is a problem among the others', async (t) => {
  const folder = copyOf(t)
  symlinkSync('nowhere.yaml', join(folder, 'plans/gold.yaml'))
  t.match(await problemsOf(folder), [{ rule: 'file-unreadable', line: 1, message: /ENOENT/ }])
})

t.test('files of a mounted ConfigMap that begin with a dot are not looked at', async (t) => {
  const folder = copyOf(t, { 'plans/..data': '', 'apis/.gitkeep': '', 'apis/library/..data': '' })
  t.equal((await loadCatalogue(folder)).versions.size, 2)
})
