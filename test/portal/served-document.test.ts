import t from 'tap'
import type { Method, OpenApiDocument } from '../../src/catalogue/catalogue.ts'
import { operationObject } from '../../src/catalogue/documents/operation-object.ts'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { createServedDocument } from '../../src/portal/documents/served-document.ts'
import type { Test } from '../support/database.ts'
import { ownApis, ownDocument } from '../support/own-apis.ts'

const served = createServedDocument({
  gatewayUrl: () => 'https://api.example.com',
  now: () => 0,
  hasDrills: () => false,
})

/** Versions with documents of these sizes in MiB. */
async function versionsOfSizes(t: Test, sizes: readonly number[]) {
  const files = sizes.map((size, at): [string, object] => [
    `a${at}/1.json`,
    ownDocument([`GET /a${at}`], { 'x-long': 'x'.repeat(size * 1024 * 1024) }),
  ])
  const catalogue = await loadCatalogue(ownApis(t, Object.fromEntries(files)))
  return [...catalogue.versions.values()]
}

t.test('of many documents, those used last are kept, and the others made again', async (t) => {
  const versions = await versionsOfSizes(t, [6, 6, 6])
  const [first, second, third] = versions.map((version) => served(version))
  const [again1, again2, again3] = versions.toReversed().map((version) => served(version))
  t.equal(again1, third)
  t.equal(again2, second)
  t.not(again3, first)
  t.same(again3, first)
})

t.test('a document larger than all that is kept is served', async (t) => {
  const versions = await versionsOfSizes(t, [17])
  for (const version of versions) {
    t.match(served(version).paths, { '/a0': { get: { operationId: 'get-a0' } } })
  }
})

/** The name of each parameter of a path, the operation's own before those of the path. */
function namesOf(document: OpenApiDocument, template: string, method: Method) {
  return operationObject(document, template, method)?.parameters.map(({ name }) => name)
}

t.test(
  'each operation has the parameters of its path, also those that the document does not declare',
  async (t) => {
    const { paths } = ownDocument(['POST /b/{z}{?page}']) as { paths: object }
    const x = { name: 'x', in: 'path', required: true, schema: {}, example: 'first' }
    const get = { parameters: [x], responses: { 200: { description: 'done' } } }
    const document = ownDocument([], { paths: { ...paths, '/a/{x}/{y}.json': { get } } })
    const folder = ownApis(t, { 'own/1.json': document })
    const { versions } = await loadCatalogue(folder)
    for (const version of versions.values()) {
      const found = served(version)
      t.same(namesOf(found, '/a/{x}/{y}.json', 'GET'), ['x', 'y'])
      t.same(namesOf(found, '/b/{z}{?page}', 'POST'), ['z'])
      t.match(found.paths, {
        '/a/{x}/{y}.json': { get: { parameters: [{ example: 'first' }] } },
        '/b/{z}{?page}': { post: { parameters: [{ in: 'path', required: true }] } },
      })
    }
  },
)

t.test(
  'a parameter that the path writes with "+" or "*" is one parameter, named as in the path',
  async (t) => {
    const declared = (name: string) => ({ name, in: 'path', required: true, description: name })
    const responses = { 200: { description: 'done' } }
    const get = { parameters: [declared('proxy')], responses }
    const paths = {
      '/f/{proxy+}': { get },
      '/g/{id}/{rest*}': { parameters: [declared('id'), declared('rest')], get: { responses } },
      '/h/{a+}/{a}': { get: { parameters: [declared('a')], responses } },
    }
    const folder = ownApis(t, { 'own/1.json': ownDocument([], { paths }) })
    const { versions } = await loadCatalogue(folder)
    for (const version of versions.values()) {
      const found = served(version)
      t.same(namesOf(found, '/f/{proxy+}', 'GET'), ['proxy+'])
      t.same(namesOf(found, '/g/{id}/{rest*}', 'GET'), ['id', 'rest*'])
      t.same(namesOf(found, '/h/{a+}/{a}', 'GET'), ['a', 'a+'])
      t.match(found.paths, { '/f/{proxy+}': { get: { parameters: [{ description: 'proxy' }] } } })
    }
  },
)
