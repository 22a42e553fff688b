import t from 'tap'
import { CatalogueError } from '../../src/catalogue/catalogue-error.ts'
import { operationObject } from '../../src/catalogue/documents/operation-object.ts'
import { inspectCatalogue } from '../../src/catalogue/inspect-catalogue.ts'
import { createServedDocument } from '../../src/portal/documents/served-document.ts'
import { ownApis, ownDocument } from '../support/own-apis.ts'

const responses = { 200: { description: 'done' } }
const get = { get: { responses } }
const body = [{ in: 'body', name: 'b', schema: {} }]

/** Members of a document that are of another kind than OpenAPI says. */
const odd: Readonly<Record<string, object>> = {
  'a response that is null': { paths: { '/a': { get: { responses: { 200: null } } } } },
  'responses as a list': { paths: { '/a': { get: { responses: [null] } } } },
  'a header that is null': {
    paths: { '/a': { get: { responses: { 200: { headers: { X: null } } } } } },
  },
  'an operation that is null': { paths: { '/a': { get: null, post: { responses } } } },
  'an extension that is null': { paths: { '/a': { 'x-a': null, ...get } } },
  'an extension beside a body': { paths: { '/a': { parameters: body, 'x-a': 'b', ...get } } },
  'a path that is null': { paths: { '/a': null, '/b': get } },
  'parameters of other kinds': {
    paths: { '/a': { get: { parameters: [null, 'x', { name: 'y' }, { $ref: 5 }], responses } } },
  },
  'parameters as a mapping': { paths: { '/a': { get: { parameters: { a: 5 }, responses } } } },
  'media types as a number': {
    consumes: 5,
    paths: { '/a': { post: { consumes: 5, parameters: body, responses } } },
  },
  'security schemes that are null': {
    securityDefinitions: { a: null },
    components: { securitySchemes: { a: null } },
    security: [null, 'x', { a: null }],
    paths: { '/a': get },
  },
  'schemas of other kinds': {
    definitions: [null, 5],
    components: { schemas: { A: { properties: { x: null }, allOf: 5 } } },
    paths: { '/a': get },
  },
  'no components': { components: null, info: null, tags: 'x', paths: { '/a': get } },
  'a reference that is null': { paths: { '/a': { $ref: null, ...get } } },
  'a body that is null': { paths: { '/a': { get: { requestBody: null, responses } } } },
  'callbacks of other kinds': {
    webhooks: { a: null, b: [] },
    paths: { '/a': { get: { callbacks: { x: null, y: [] }, responses } } },
  },
  'a percent sign in a path': { paths: { '/a%20b/{id}': get } },
  'servers of other kinds': { servers: [null], host: {}, basePath: 7, paths: { '/a': get } },
}

for (const version of [{ swagger: '2.0' }, { openapi: '3.0.3' }, { openapi: '3.1.0' }]) {
  for (const [name, members] of Object.entries(odd)) {
    t.test(`${name} keeps no document from being served (${Object.values(version)})`, async (t) => {
      const document = { ...version, info: { title: 'A', version: '1' }, ...members }
      const { catalogue } = await inspectCatalogue(ownApis(t, { 'a/1.json': document }))
      const served = createServedDocument({
        gatewayUrl: () => 'https://api.example.com',
        now: () => 0,
        hasDrills: () => false,
      })
      for (const published of catalogue.versions.values()) {
        t.ok(published.operations.length > 0)
        served(published)
        for (const { template, method } of published.operations) {
          t.ok(operationObject(published.document.read(), template, method), template)
        }
      }
    })
  }
}

t.test('a document that is too large or too deep is refused, whatever makes it so', async (t) => {
  const many = Array.from({ length: 4_000 }, () => '*a').join(', ')
  const cases: Readonly<Record<string, string>> = {
    'a list that holds itself': `openapi: 3.1.1\nx-a: &a [${many}]\n`,
    'lists of lists': `openapi: 3.1.1\nx-a: &a [${'1, '.repeat(3_000)}1]\nx-b: [${many}]\n`,
    'many levels': JSON.stringify({ openapi: '3.1.1', 'x-a': 0 }).replace(
      '0',
      `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    ),
  }
  for (const [name, text] of Object.entries(cases)) {
    const file = name === 'many levels' ? 'a/1.json' : 'a/1.yaml'
    try {
      await inspectCatalogue(ownApis(t, { [file]: text }))
      t.fail(name)
    } catch (error) {
      t.ok(error instanceof CatalogueError, name)
      t.match(error, { problems: [{ rule: 'document-too-large' }] }, name)
    }
  }
})

t.test('an operation whose summary shows nothing is called by its id', async (t) => {
  const summaries = [{}, { summary: ' ' }, { summary: 'Read' }]
  const paths = summaries.map((own, at) => [
    `/${at}`,
    { get: { operationId: `read${at}`, ...own, responses } },
  ])
  const document = {
    openapi: '3.1.0',
    info: { title: 'A', version: '1' },
    paths: Object.fromEntries(paths),
  }
  const { catalogue } = await inspectCatalogue(ownApis(t, { 'a/1.json': document }))
  const operations = [...catalogue.versions.values()].flatMap((version) => version.operations)
  t.same(
    operations.map(({ summary }) => summary),
    ['read0', 'read1', 'Read'],
  )
})

t.test('a strict check knows every member of a document that judges no value', async (t) => {
  const document = {
    openapi: '3.0.3',
    info: { title: 'A', version: '1' },
    externalDocs: { url: 'https://example.com' },
    title: 'A member of schemas',
    paths: { '/a': { get: { operationId: 'a', responses } } },
    components: { schemas: { A: { type: 'string', 'x-display.name': 'A', 'x-mark': 1 } } },
  }
  const folder = ownApis(t, { 'a/1.json': document })
  try {
    await inspectCatalogue(folder, { isStrict: true })
    t.fail('a member of another kind is reported')
  } catch (error) {
    t.match(error, { problems: [{ rule: 'openapi-structure', message: /title/ }] })
    t.equal((error as CatalogueError).problems.length, 1)
  }
})

t.test('a warning names the property that an example lacks', async (t) => {
  const thing = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }
  const document = ownDocument(['GET /a'], {
    components: {
      schemas: {
        A: { ...thing, example: {} },
        B: { properties: { thing }, example: { thing: { name: 5 } } },
      },
    },
  })
  const { warnings } = await inspectCatalogue(ownApis(t, { 'a/1.json': document }))
  t.same(
    warnings.flatMap(({ rule, message }) => (rule === 'example-mismatch' ? [message] : [])),
    [
      'components.schemas.A.example: the example lacks the property name',
      'components.schemas.B.example: thing.name of the example must be a string',
    ],
  )
})

t.test(
  'a server without a usable path is a warning, until the prefix and the path of the backend are chosen',
  async (t) => {
    const document = ownDocument(['GET /a'], { servers: [{ url: 'https://example.com/{stage}' }] })
    const withOwn = (own: object) => ({ ...document, 'x-tollgate': own })
    const prefix = '/shop'
    const host = 'http://127.0.0.1:3000'
    const folder = ownApis(t, {
      'none/1.0.0.json': document,
      'prefix/1.0.0.json': withOwn({ prefix, backend: host }),
      'path/2.0.0.json': withOwn({ backend: `${host}/v1` }),
      'both/1.0.0.json': withOwn({ prefix: '/both', backend: `${host}/v2` }),
      'root/1.0.0.json': withOwn({ prefix: '/root', backend: `${host}/` }),
    })
    const { warnings } = await inspectCatalogue(folder)
    const ofServers = warnings.filter(({ rule }) => rule === 'server-path')
    const byVersion = (version: string) => `the prefix is /v${version} (choose it with --prefix)`
    const atRoot =
      'the backend gets calls at its root (give its path with --backend, "/" for the root)'
    const stated = (effects: string) =>
      `servers[0].url: "https://example.com/{stage}" has no path that a gateway can use, so ${effects}: state it in x-tollgate or with tollgate publish`
    t.same(
      ofServers.map(({ file, message }) => [file.split('/').at(-2), message]),
      [
        ['none', stated(`${byVersion('1.0.0')} and ${atRoot}`)],
        ['path', stated(byVersion('2.0.0'))],
        ['prefix', stated(atRoot)],
      ],
    )
  },
)
