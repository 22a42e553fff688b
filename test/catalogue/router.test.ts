import t from 'tap'
import { plainBrand } from '../../src/catalogue/brand/brand.ts'
import {
  type ApiVersion,
  type Catalogue,
  type Method,
  versionKey,
} from '../../src/catalogue/catalogue.ts'
import { keptDocument } from '../../src/catalogue/documents/kept-document.ts'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { parseTemplate } from '../../src/catalogue/path-template.ts'
import { createRouter, type RouteMatch } from '../../src/catalogue/router.ts'

/** A version with operations given as `GET /things`; the operationId is the same text. */
function versionOf(
  api: string,
  version: string,
  routes: readonly string[],
  prefix = `/v${version}`,
): ApiVersion {
  const operations = routes.map((route) => {
    const [method = '', template = ''] = route.split(' ')
    const segments = parseTemplate(template)
    if ('message' in segments) throw new Error(segments.message)
    return {
      id: route,
      api,
      version,
      method: method as Method, // written in this file
      path: prefix + template,
      template,
      segments,
      summary: '',
      tag: '',
      psd2Role: undefined,
      hasBody: false,
      declared: { headers: [], query: [], responseHeaders: [] },
      availableIn: [version],
    }
  })
  const plans: string[] = []
  return {
    api,
    version,
    title: api,
    prefix,
    basePath: prefix,
    backend: undefined,
    forwardHeaders: 'all',
    lifecycle: {},
    credentials: { headers: [], query: [] },
    successorPrefix: undefined,
    operations,
    document: keptDocument({ openapi: '3.1.1', info: {}, paths: {} }),
    translations: {},
    plans,
  }
}

function routerOf(...versions: readonly ApiVersion[]) {
  const catalogue: Catalogue = {
    versions: new Map(
      versions.map((version) => [versionKey(version.api, version.version), version]),
    ),
    plans: new Map(),
    brand: plainBrand,
    digest: 'of a test',
  }
  return createRouter(catalogue)
}

function told(match: RouteMatch): string {
  switch (match.kind) {
    case 'found':
      return match.operation.id
    case 'method-not-allowed':
      return `405 ${match.allow.join(',')} elsewhere ${match.availableIn.join(',') || 'nowhere'}`
    case 'not-found':
      return '404'
  }
}

t.test('a path finds its operation', (t) => {
  const router = routerOf(
    versionOf('a', '1.0.0', [
      'GET /things',
      'GET /things/{id}/parts/{part-id}',
      'PUT /things/{id}',
    ]),
  )
  t.equal(told(router.match('GET', '/v1.0.0/things')), 'GET /things')
  t.equal(told(router.match('PUT', '/v1.0.0/things/x')), 'PUT /things/{id}')
  t.equal(
    told(router.match('GET', '/v1.0.0/things/~x.y_z/parts/2')),
    'GET /things/{id}/parts/{part-id}',
  )
  const found = router.match('GET', '/v1.0.0/things')
  t.match(found, { kind: 'found', apiVersion: { api: 'a', version: '1.0.0' } })
  t.end()
})

t.test(
  'a literal wins over a parameter, and where the rest does not fit the parameter is tried',
  (t) => {
    const router = routerOf(
      versionOf('a', '1.0.0', [
        'GET /things/{id}',
        'GET /things/own',
        'GET /things/own/{part}/size',
        'GET /things/{id}/{part}',
        'GET /things/{id}/parts/{part}',
      ]),
    )
    t.equal(told(router.match('GET', '/v1.0.0/things/own')), 'GET /things/own')
    t.equal(told(router.match('GET', '/v1.0.0/things/owner')), 'GET /things/{id}')
    t.equal(told(router.match('GET', '/v1.0.0/things/own/p')), 'GET /things/{id}/{part}')
    t.equal(told(router.match('GET', '/v1.0.0/things/own/p/size')), 'GET /things/own/{part}/size')
    t.equal(
      told(router.match('GET', '/v1.0.0/things/own/parts/p')),
      'GET /things/{id}/parts/{part}',
    )
    t.end()
  },
)

t.test(
  'text and parameters in one segment come after a literal and before a parameter, most text first',
  (t) => {
    const router = routerOf(
      versionOf('a', '1.0.0', [
        'GET /things/{id}',
        'GET /things/{id}.json',
        'GET /things/all.json',
        'GET /things/{id}-{part}.json',
        'POST /things/{id}:close',
        'GET /things/{id}:close/{part}',
        'GET /{a}{b}/x',
      ]),
    )
    const find = (method: string, path: string) => told(router.match(method, `/v1.0.0${path}`))
    t.equal(find('GET', '/things/x'), 'GET /things/{id}')
    t.equal(find('GET', '/things/all.json'), 'GET /things/all.json')
    t.equal(find('GET', '/things/x.json'), 'GET /things/{id}.json')
    t.equal(find('GET', '/things/.json'), 'GET /things/{id}', 'each parameter has a character')
    t.equal(find('GET', '/things/x-y.json'), 'GET /things/{id}-{part}.json')
    t.equal(find('GET', '/things/-y.json'), 'GET /things/{id}.json')
    t.equal(find('GET', '/things/x--.json'), 'GET /things/{id}-{part}.json')
    t.equal(find('POST', '/things/a:b:close'), 'POST /things/{id}:close')
    t.equal(find('POST', '/things/x'), '405 GET elsewhere nowhere')
    t.equal(find('GET', '/things/x:close'), '405 POST elsewhere nowhere', 'the path decides')
    t.equal(find('GET', '/things/x:close/p'), 'GET /things/{id}:close/{part}')
    t.equal(find('GET', '/ab/x'), 'GET /{a}{b}/x')
    t.equal(find('GET', '/a/x'), '404')
    t.end()
  },
)

t.test('text wins over a parameter across versions, too: prefixes may lie in each other', (t) => {
  const outer = versionOf('a', '1', ['GET /{x}/c', 'GET /{x}/d', 'POST /{x}/c'], '/a')
  const inner = versionOf('b', '1', ['GET /c', 'GET /{y}'], '/a/b')
  for (const versions of [
    [outer, inner],
    [inner, outer],
  ]) {
    const router = routerOf(...versions)
    t.equal(told(router.match('GET', '/a/b/c')), told(routerOf(inner).match('GET', '/a/b/c')))
    t.equal(told(router.match('GET', '/a/b/d')), told(routerOf(inner).match('GET', '/a/b/d')))
    t.equal(told(router.match('GET', '/a/e/c')), told(routerOf(outer).match('GET', '/a/e/c')))
    t.match(told(router.match('POST', '/a/b/c')), /^405 GET/, 'the path decides before the method')
  }
  t.end()
})

t.test('routes added before any call are those that calls add', async (t) => {
  const versions = [
    versionOf('a', '1', ['GET /{x}/c', 'POST /{x}/c', 'GET /b/{y}.json'], '/a'),
    versionOf('a', '2', ['GET /{x}/c', 'DELETE /{x}/c'], '/a/b'),
    versionOf('c', '1', ['GET /a/b/x.json', 'GET /'], ''),
  ]
  const prepared = routerOf(...versions)
  await prepared.prepare()
  for (const path of ['/a/b/c', '/a/b/b/c', '/a/b/x.json', '/a/x/c', '/', '/a/b', '/a']) {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      // A new one each time: a call is the first that its prefixes get.
      t.same(prepared.match(method, path), routerOf(...versions).match(method, path), path)
    }
  }
})

t.test('the order of documents changes no route', (t) => {
  const routes = ['GET /{a}-x', 'GET /x-{a}', 'GET /{a}-{b}', 'GET /{a}']
  const paths = ['/v1/x-x', '/v1/a-x', '/v1/x-a', '/v1/a-b', '/v1/a', '/v1/x--x']
  const found = (order: readonly string[]) => {
    const router = routerOf(versionOf('a', '1', order))
    return paths.map((path) => told(router.match('GET', path)))
  }
  t.same(found(routes), found(routes.toReversed()))
  t.end()
})

t.test(
  'a slash at the end belongs to the path, and a prefix may have any number of segments',
  (t) => {
    const router = routerOf(
      versionOf('a', '1', ['GET /', 'GET /things/', 'GET /things'], '/open-banking/v4.0'),
      versionOf('b', '1', ['GET /', 'GET /things'], ''),
    )
    t.equal(told(router.match('GET', '/open-banking/v4.0/')), 'GET /')
    t.equal(told(router.match('GET', '/open-banking/v4.0')), '404')
    t.equal(told(router.match('GET', '/open-banking/v4.0/things/')), 'GET /things/')
    t.equal(told(router.match('GET', '/open-banking/v4.0/things')), 'GET /things')
    t.match(router.match('GET', '/'), { kind: 'found', apiVersion: { api: 'b' } })
    t.match(router.match('GET', '/things'), { kind: 'found', apiVersion: { api: 'b' } })
    t.equal(told(router.match('GET', '/things/')), '404')
    t.end()
  },
)

t.test('a template has no segment that a path cannot have', (t) => {
  for (const template of [
    'things',
    '//',
    '/a//b',
    '/.',
    '/a/..',
    '/a;b',
    '/a\\b',
    '/a%2Fb',
    '/a%',
    '/{',
    '/a{b',
    '/}a',
    '/{}',
    '/{a/b}',
    '/a\u0000',
    '/a\u200b',
    '/\ud800',
  ]) {
    t.ok('message' in parseTemplate(template), template)
  }
  const shapes = (template: string) => parseTemplate(template)
  t.same(shapes('/a b/é/%7e%c3%a9/x:y@z'), [
    { kind: 'literal', text: 'a%20b' },
    { kind: 'literal', text: '%C3%A9' },
    { kind: 'literal', text: '~%C3%A9' },
    { kind: 'literal', text: 'x:y@z' },
  ])
  t.same(shapes('/?Action=List#x'), [{ kind: 'literal', text: '' }], 'no query, no fragment')
  t.same(shapes('/{a b}/{c}.{d}'), [
    { kind: 'parameter', name: 'a b' },
    { kind: 'mixed', texts: ['', '.', ''] },
  ])
  t.end()
})

t.test('the message about a segment says what is wrong with it', (t) => {
  const twoWays = 'which servers read in two ways'
  for (const [template, message] of [
    ['/a/{', 'has a brace without the other'],
    ['/a}/b', 'has a brace without the other'],
    ['/a/{}', 'has braces without a name'],
    ['/{}.{x', 'has a brace without the other'],
    ['/..', 'is a dot segment, which servers resolve'],
    ['/%2e%2E', 'is a dot segment, which servers resolve'],
    ['/a/.%2e', 'is a dot segment, which servers resolve'],
    ['/a%2Fb', `has "%2F", ${twoWays}`],
    ['/a;b', `has ";", ${twoWays}`],
    ['/%{a}2F', `has "%", ${twoWays}`],
    ['/%20a', 'begins or ends with a character that servers read in two ways'],
    ['/{a}%20', 'begins or ends with a character that servers read in two ways'],
    ['/{a}%20{b}', 'begins or ends with a character that servers read in two ways'],
  ] as const) {
    t.match(parseTemplate(template), { message }, template)
  }
  t.end()
})

t.test('the path decides before the method: a literal path without the method is 405', (t) => {
  const router = routerOf(versionOf('a', '1.0.0', ['GET /things/own', 'DELETE /things/{id}']))
  t.equal(told(router.match('DELETE', '/v1.0.0/things/own')), '405 GET elsewhere nowhere')
  t.end()
})

t.test('nothing that is not exactly a published path is found', (t) => {
  const router = routerOf(versionOf('a', '1.7.0', ['GET /things', 'GET /things/{id}']))
  for (const path of [
    '',
    '/',
    '//v1.7.0/things',
    'v1.7.0/things',
    '/v1.7.0',
    '/v1.7.0/',
    '/v1.7.0/things/',
    '/v1.7.0//things',
    '/v1.7.0/Things',
    '/V1.7.0/things',
    '/v1.7/things',
    '/v1.7.00/things',
    '/v01.7.0/things',
    '/v1.7.0-x/things',
    '/v9.9.9/things',
    '/v1.7.0/things/a/b',
    '/v1.7.0/constructor',
    '/__proto__/things',
  ]) {
    t.equal(told(router.match('GET', path)), '404', path)
  }
  t.end()
})

t.test(
  'a method of another version is reported with all versions that have it, oldest first',
  (t) => {
    const router = routerOf(
      versionOf('a', '1.6.0', ['GET /things/{id}', 'PUT /things/{id}']),
      versionOf('a', '1.7.0', ['PUT /things/{thing-id}', 'POST /things/{thing-id}']),
      versionOf('a', '1.10.0', ['GET /things/{id}']),
      versionOf('b', '1.8.0', ['DELETE /things/{id}']),
    )
    t.equal(told(router.match('GET', '/v1.7.0/things/x')), '405 POST,PUT elsewhere 1.6.0,1.10.0')
    t.equal(told(router.match('POST', '/v1.10.0/things/x')), '405 GET elsewhere 1.7.0')
    t.equal(told(router.match('DELETE', '/v1.6.0/things/x')), '405 GET,PUT elsewhere nowhere')
    for (const method of ['HEAD', 'OPTIONS', 'TRACE', 'get', 'constructor', '']) {
      t.equal(told(router.match(method, '/v1.10.0/things/x')), '405 GET elsewhere nowhere', method)
    }
    t.end()
  },
)

t.test('two APIs may share a version', (t) => {
  const router = routerOf(
    versionOf('a', '1.0.0', ['GET /things', 'GET /things/{id}']),
    versionOf('b', '1.0.0', ['POST /things', 'GET /others']),
  )
  t.match(router.match('GET', '/v1.0.0/things/x'), { apiVersion: { api: 'a' } })
  t.match(router.match('POST', '/v1.0.0/things'), { apiVersion: { api: 'b' } })
  t.match(router.match('GET', '/v1.0.0/others'), { apiVersion: { api: 'b' } })
  t.equal(told(router.match('PUT', '/v1.0.0/things')), '405 GET,POST elsewhere nowhere')
  t.end()
})

t.test('every published operation is found by its own path and by no other method', async (t) => {
  const catalogue = await loadCatalogue('config')
  const router = createRouter(catalogue)
  let operations = 0
  for (const version of catalogue.versions.values()) {
    for (const operation of version.operations) {
      operations++
      const path = operation.path.replace(/\{([^}]*)\}/g, 'value-of-$1')
      const match = router.match(operation.method, path)
      if (match.kind !== 'found') t.fail(`${operation.method} ${path} is ${match.kind}`)
      else t.equal(match.operation, operation)
      t.equal(router.match('HEAD', path).kind, 'method-not-allowed')
    }
  }
  t.equal(operations, 45)
})

t.test(
  'reading a payment authorisation answers on 1.6.0 and is announced as available there on 1.7.0',
  async (t) => {
    const router = createRouter(await loadCatalogue('config'))
    const path = '/payments/masav/p1/authorisations/a1'
    t.match(router.match('GET', `/v1.6.0${path}`), {
      kind: 'found',
    })
    t.equal(told(router.match('GET', `/v1.7.0${path}`)), '405 PUT elsewhere 1.6.0')
  },
)
