import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { diffVersions, type VersionDiff } from '../../src/catalogue/diff.ts'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'

const minimal = 'test/catalogue/fixtures/minimal'

/** The difference between the library as it is and with its shared file edited. */
async function diffOf(
  t: Test,
  edits: readonly (readonly [string, string])[],
): Promise<VersionDiff> {
  const folder = join(t.testdir(), 'config')
  cpSync(minimal, folder, { recursive: true })
  let shared = readFileSync(join(folder, 'shared/library.yaml'), 'utf8')
  for (const [text, replacement] of edits) {
    if (!shared.includes(text)) throw new Error(`there is no ${text}`)
    shared = shared.replace(text, () => replacement)
  }
  writeFileSync(join(folder, 'shared/library2.yaml'), shared)
  const document = readFileSync(join(folder, 'apis/library/1.0.0.yaml'), 'utf8')
    .replace(/ *x-lifecycle.*\n/, '')
    .replaceAll('1.0.0', '2.0.0')
    .replaceAll('library.yaml', 'library2.yaml')
  writeFileSync(join(folder, 'apis/library/2.0.0.yaml'), document)
  const { versions } = await loadCatalogue(folder)
  const from = versions.get('library@1.0.0')
  const to = versions.get('library@2.0.0')
  if (from === undefined || to === undefined) throw new Error('a version is missing')
  return diffVersions(from, to)
}

/** Changes as `operation where: message`, breaking ones with a mark. */
function told(diff: VersionDiff): readonly string[] {
  return diff.changed.flatMap(({ id, changes }) =>
    changes.map(
      ({ where, message, isBreaking }) => `${id} ${where}: ${message}${isBreaking ? ' !' : ''}`,
    ),
  )
}

t.test('the same content is the same, however it is cut into fragments', async (t) => {
  const diff = await diffOf(t, [
    [
      "$ref: '#/components/schemas/price' }\n        published",
      "$ref: '#/components/schemas/cost' }\n        published",
    ],
    ['    bookContent:\n', '    cost: { $ref: "#/components/schemas/price" }\n    bookContent:\n'],
    [
      'currency: { type: string, enum: [EUR, ILS] }',
      'currency: { description: Which one., enum: [EUR, ILS], type: string }',
    ],
  ])
  t.strictSame(diff, {
    api: 'library',
    from: '1.0.0',
    to: '2.0.0',
    added: [],
    removed: [],
    changed: [],
  })
})

t.test('operations are reported as added or removed by their operationId', async (t) => {
  const { added, removed } = await diffOf(t, [['operationId: removeBook', 'operationId: dropBook']])
  t.strictSame(removed, [
    { id: 'removeBook', method: 'DELETE', template: '/books/{book-id}', summary: 'Remove a book' },
  ])
  t.strictSame(added, [
    { id: 'dropBook', method: 'DELETE', template: '/books/{book-id}', summary: 'Remove a book' },
  ])
})

t.test('parameters, statuses and headers are reported', async (t) => {
  const diff = await diffOf(t, [
    [
      'schema: { type: integer, minimum: 1, maximum: 50, default: 10 }',
      'required: true\n            schema: { type: integer, minimum: 1, maximum: 20, default: 10 }',
    ],
    ['- name: withAuthors', '- name: withWriters'],
    ['X-Request-ID: { $ref', 'X-Other: { $ref'],
    [
      "          '400': { $ref: '#/components/responses/problem' }\n      post",
      "          '403': { $ref: '#/components/responses/problem' }\n      post",
    ],
  ])
  t.strictSame(told(diff), [
    'readBookList query parameter withAuthors: removed !',
    'readBookList query parameter limit: is required now !',
    'readBookList query parameter limit: maximum changed from 50 to 20 !',
    'readBookList query parameter withWriters: added, optional',
    'readBookList response 400: removed',
    'readBookList response 200 header X-Request-ID: removed !',
    'readBookList response 200 header X-Other: added',
    'readBookList response 403: added',
  ])
})

t.test(
  'a member that is asked for breaks requests, one that is missing breaks answers',
  async (t) => {
    const diff = await diffOf(t, [
      ['required: [title, price]', 'required: [title, price, published]'],
    ])
    t.strictSame(told(diff), [
      'readBookList response 200: items[].published is required now',
      'addBook request body: published is required now !',
      'addBook response 201: published is required now',
      'readBook response 200: published is required now',
    ])
  },
)

t.test('what is allowed is compared in the direction it is sent', async (t) => {
  const diff = await diffOf(t, [
    ['enum: [EUR, ILS]', 'enum: [EUR, ILS, USD]'],
    ['        published: { type: string, format: date }\n', ''],
  ])
  t.strictSame(
    told(diff).filter((line) => line.startsWith('addBook')),
    [
      'addBook request body: published removed !',
      'addBook request body: price.currency enum changed from ["EUR","ILS"] to ["EUR","ILS","USD"]',
      'addBook response 201: published removed !',
      'addBook response 201: price.currency enum changed from ["EUR","ILS"] to ["EUR","ILS","USD"] !',
    ],
  )
})

t.test('alternatives are compared one by one, or counted', async (t) => {
  const one = await diffOf(t, [["pattern: '^[0-9]{9}$'", "pattern: '^[0-9]{8}$'"]])
  t.match(told(one)[1], /^addBook request body: writtenBy.registrationNumber pattern changed from/)
  const fewer = await diffOf(t, [['      oneOf:\n', '      oneOf:\n        - { type: string }\n']])
  t.match(told(fewer)[1], 'addBook request body: writtenBy has 3 alternatives instead of 2')
})

t.test('1.7.0 differs from 1.6.0 by the operation it has lost and its links', async (t) => {
  const { versions } = await loadCatalogue('config')
  const from = versions.get('xs2a@1.6.0')
  const to = versions.get('xs2a@1.7.0')
  if (from === undefined || to === undefined) throw new Error('a version is missing')
  const diff = diffVersions(from, to)
  t.strictSame(
    diff.removed.map(({ method, template }) => `${method} ${template}`),
    ['GET /payments/{payment-product}/{paymentId}/authorisations/{authorisationId}'],
  )
  t.strictSame(diff.added, [])
  t.ok(
    diff.changed.every(({ changes }) =>
      changes.every(({ message }) => message.includes('scaStatus')),
    ),
  )
})
