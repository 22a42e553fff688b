import t from 'tap'
import type { JsonObject, Method } from '../../src/catalogue/catalogue.ts'
import { partOfDocument } from '../../src/portal/documents/part-of-document.ts'

const names = ['Cat', 'Dog', 'Node', 'Pet'] as const

/** The part of an operation whose answer has a schema, in a document with some more. */
function partWith(schema: JsonObject, method: Method = 'GET') {
  const responses = { 200: { content: { 'application/json': { schema } } } }
  const document = {
    openapi: '3.1.1',
    info: {},
    paths: {
      '/a': {
        parameters: [],
        get: { responses },
        post: { responses: { 200: { description: 'made' } } },
        put: { responses: {} },
      },
      '/b': { parameters: [], get: { responses }, delete: { responses } },
    },
    components: { schemas: Object.fromEntries(names.map((name) => [name, { title: name }])) },
  }
  const part = partOfDocument(document, { template: '/a', method })
  return part as unknown as Pick<typeof document, 'paths' | 'components'>
}

t.test('an operation keeps what it refers to in another of its path', (t) => {
  const { paths } = partWith({ $ref: '#/paths/~1a/post/responses/200' })
  t.same(Object.keys(paths), ['/a'])
  t.same(Object.keys(paths['/a']), ['parameters', 'get', 'post'])
  t.same(Object.keys(partWith({}, 'PUT').paths['/a']), ['parameters', 'put'])
  t.end()
})

t.test('of another path that an operation refers to, only that operation is kept', (t) => {
  const { paths } = partWith({ $ref: '#/paths/~1b/get/responses/200' })
  t.same(Object.keys(paths['/b']), ['parameters', 'get'])
  t.same(Object.keys(partWith({ $ref: '#/paths/~1b' }).paths['/b']), [
    'parameters',
    'get',
    'delete',
  ])
  t.end()
})

t.test('schemas that a discriminator names are kept', (t) => {
  const mapping = { c: 'Cat', d: '#/components/schemas/Dog' }
  const { components } = partWith({ discriminator: { propertyName: 'kind', mapping } })
  t.same(Object.keys(components.schemas), ['Cat', 'Dog'])
  t.end()
})

t.test('all schemas are kept for a reference to an anchor', (t) => {
  for (const schema of [{ $ref: '#node' }, { $dynamicRef: '#node' }]) {
    t.same(Object.keys(partWith(schema).components.schemas), names)
  }
  t.end()
})

t.test('an operation with a list of 200,000 items has a part', (t) => {
  const { paths } = partWith({ enum: Array.from({ length: 200_000 }, (_, at) => at) })
  t.same(Object.keys(paths), ['/a'])
  t.end()
})
