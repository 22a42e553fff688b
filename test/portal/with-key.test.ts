import t from 'tap'
import type { OpenApiDocument } from '../../src/catalogue/catalogue.ts'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { createServedDocument } from '../../src/portal/documents/served-document.ts'
import type { Test } from '../support/database.ts'
import { ownApis, ownDocument } from '../support/own-apis.ts'

/** The document that developers get of a version. */
async function served(t: Test, document: object): Promise<OpenApiDocument> {
  const catalogue = await loadCatalogue(ownApis(t, { 'a/1.json': document }))
  const [version] = catalogue.versions.values()
  if (version === undefined) throw new Error('nothing is published')
  const make = createServedDocument({
    gatewayUrl: () => 'https://api.example.com',
    now: () => 0,
    hasDrills: () => false,
  })
  return make(version)
}

const responses = { 200: { description: 'done' } }
const bearer = { type: 'http', scheme: 'bearer' }
const key = { type: 'apiKey', in: 'header', name: 'X-API-Key' }

t.test('every requirement of a document also names the key of the gateway', async (t) => {
  const document = await served(t, {
    ...ownDocument([]),
    paths: {
      '/a': {
        get: { responses },
        post: { responses, security: [] },
        put: { responses, security: [{ token: ['write'] }, {}] },
      },
    },
    security: [{ token: [] }],
    components: { securitySchemes: { token: bearer, gatewayKey: bearer } },
  })
  t.match(document['components'], { securitySchemes: { token: bearer, gatewayKey_: key } })
  t.same(document['security'], [{ gatewayKey_: [], token: [] }])
  t.match(document.paths, {
    '/a': {
      get: { security: undefined },
      post: { security: [{ gatewayKey_: [] }] },
      put: { security: [{ gatewayKey_: [], token: ['write'] }, { gatewayKey_: [] }] },
    },
  })
})

t.test('a scheme that a document has for the key is used', async (t) => {
  for (const name of ['x-api-key', 'X-IBM-Client-Id']) {
    const document = await served(t, {
      ...ownDocument(['GET /a']),
      components: { securitySchemes: { own: { ...key, name } } },
    })
    t.same(document['security'], [{ own: [] }], 'a call with both fields would be refused')
    t.same(Object.keys((document['components'] as never)['securitySchemes']), ['own'])
  }
})

t.test('a parameter for the key is left out: clients would send two', async (t) => {
  const field = (name: string) => ({ name, in: 'header', schema: { type: 'string' } })
  const document = await served(t, {
    ...ownDocument([]),
    paths: {
      '/a': {
        parameters: [field('X-IBM-Client-Id'), field('X-Other')],
        get: { responses, parameters: [{ $ref: '#/components/parameters/key' }] },
        put: { responses, parameters: [{ ...field('X-API-Key'), in: 'query' }] },
      },
    },
    components: { parameters: { key: field('x-api-key') } },
  })
  t.match(document.paths, {
    '/a': {
      parameters: [{ name: 'X-Other' }],
      get: { parameters: [] },
      put: { parameters: [{ name: 'X-API-Key' }] },
    },
  })
  t.match((document.paths['/a'] as never)['parameters'], { length: 1 })
  t.match((document.paths['/a'] as never)['get'], { parameters: { length: 0 } })
})

t.test(
  'fields that never reach a backend are left out, as parameters and as credentials',
  async (t) => {
    const field = (name: string) => ({ name, in: 'header', schema: { type: 'string' } })
    const document = await served(t, {
      ...ownDocument([]),
      paths: {
        '/a': {
          parameters: [field('X-Forwarded-For'), field('traceparent')],
          get: {
            responses,
            parameters: [{ $ref: '#/components/parameters/key' }, field('X-Other')],
          },
          put: { responses, security: [{ own: [] }, { token: ['write'] }] },
          post: { responses, security: [{ own: [], token: [] }] },
          delete: { responses, security: [{ own: [] }, {}] },
          patch: { responses, security: [{ own: [] }, { other: [] }], description: 'Changes.' },
        },
      },
      security: [{ own: [] }],
      components: {
        parameters: { key: { ...field('api_key'), required: true } },
        securitySchemes: {
          own: { ...key, name: 'api_key' },
          other: { ...key, name: 'Client-Cert' },
          token: bearer,
        },
      },
    })
    const names = (path: unknown) =>
      ((path as never)['parameters'] as readonly { name: string }[]).map(({ name }) => name)
    const item = document.paths['/a'] as never
    t.same(names(item), ['traceparent'], 'which the gateway continues')
    t.same(names(item['get']), ['X-Other'])
    t.same(Object.keys((document['components'] as never)['securitySchemes']), [
      'token',
      'gatewayKey',
    ])
    t.same(document['security'], [{ gatewayKey: [] }])
    t.match(item, {
      put: { security: [{ gatewayKey: [], token: ['write'] }] },
      post: { security: [{ gatewayKey: [], token: [] }] },
      delete: { security: [{ gatewayKey: [] }] },
    })
    t.same(item['patch']['security'], [{ gatewayKey: [] }], 'both alternatives become the same')
    const sentence = 'The API asks for header fields that the gateway does not forward: `api_key`'
    t.equal(item['get']['description'], `${sentence}.`, 'as the document asks for it')
    t.equal(item['patch']['description'], `Changes.\n\n${sentence}, \`Client-Cert\`.`)
    for (const met of ['put', 'delete']) t.equal(item[met]['description'], undefined, met)
    t.equal((item['put']['security'] as readonly unknown[]).length, 1, 'the other cannot be met')
  },
)

t.test('a scheme that a callback or a webhook names stays', async (t) => {
  const own = { ...key, name: 'api_key' }
  const done = { post: { responses, security: [{ called: [] }] } }
  const described = {
    ...ownDocument([]),
    paths: { '/a': { get: { responses, callbacks: { done: { '{$request.query.url}': done } } } } },
    security: [{ inherited: [] }],
    components: { securitySchemes: { called: own, inherited: own, unnamed: own } },
  }
  const namesIn = ({ components }: OpenApiDocument) =>
    Object.keys((components as never)['securitySchemes'])
  t.same(namesIn(await served(t, described)), ['called', 'gatewayKey'])
  const webhooks = { event: { post: { responses } } }
  t.same(namesIn(await served(t, { ...described, webhooks })), [
    'called',
    'inherited',
    'gatewayKey',
  ])
})

t.test(
  'the only server is the gateway, methods that it does not serve are left out, and nothing tells of the backend',
  async (t) => {
    const inside = { servers: [{ url: 'http://internal.example' }] }
    const document = await served(t, {
      ...ownDocument([]),
      servers: [{ url: 'https://public.example/v4' }],
      'x-tollgate': { backend: 'http://internal.example' },
      paths: {
        '/a': {
          ...inside,
          head: { responses },
          get: {
            ...inside,
            responses: {
              200: {
                description: 'done',
                links: { next: { operationId: 'b', server: { url: 'http://internal.example' } } },
              },
            },
            callbacks: { done: { '{$request.query.url}': { ...inside, post: { responses } } } },
          },
        },
      },
      webhooks: { event: { ...inside, post: { ...inside, responses } } },
      components: { pathItems: { a: { ...inside, get: { responses } } } },
    })
    t.same(document['servers'], [{ url: 'https://api.example.com/v4' }])
    t.notMatch(JSON.stringify(document), /internal\.example|x-tollgate|"head"/)
    t.match(document['webhooks'], { event: { post: { security: [] } } }, 'a webhook has no key')
  },
)

t.test('each operation has the id under which it is counted', async (t) => {
  const document = await served(t, {
    ...ownDocument(['GET /things', 'GET /things/{id}:close']),
    components: {},
  })
  t.match(document.paths, {
    '/things': { get: { operationId: 'get-things' } },
    '/things/{id}:close': { get: { operationId: 'get-things-id-close' } },
  })
})
