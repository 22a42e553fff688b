import t from 'tap'
import { plainBrand } from '../../src/catalogue/brand/brand.ts'
import {
  type ApiVersion,
  type Catalogue,
  type Method,
  versionKey,
} from '../../src/catalogue/catalogue.ts'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { parseTemplate } from '../../src/catalogue/path-template.ts'
import { createRouter, type RouteMatch } from '../../src/catalogue/router.ts'

/** A version with operations given as `GET /things`; the operationId is the same text. */
function versionOf(api: string, version: string, routes: readonly string[]): ApiVersion {
  const operations = routes.map((route) => {
    const [method = '', template = ''] = route.split(' ')
    const segments = parseTemplate(template)
    if (typeof segments === 'string') throw new Error(segments)
    return {
      id: route,
      api,
      version,
      method: method as Method, // written in this file
      path: `/v${version}${template}`,
      template,
      segments: [{ kind: 'literal' as const, text: `v${version}` }, ...segments],
      summary: '',
      psd2Role: undefined,
      hasBody: false,
      availableIn: [version],
    }
  })
  const document = { openapi: '3.1.1', info: {}, paths: {} }
  const plans: string[] = []
  return {
    api,
    version,
    title: api,
    prefix: `/v${version}`,
    lifecycle: {},
    operations,
    document,
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
      return [match.operation.id, ...match.parameters].join(' | ')
    case 'method-not-allowed':
      return `405 ${match.allow.join(',')} elsewhere ${match.availableIn.join(',') || 'nowhere'}`
    case 'not-found':
      return '404'
  }
}

t.test('a path finds its operation and the values of its parameters, in their order', (t) => {
  const router = routerOf(
    versionOf('a', '1.0.0', [
      'GET /things',
      'GET /things/{id}/parts/{part-id}',
      'PUT /things/{id}',
    ]),
  )
  t.equal(told(router.match('GET', '/v1.0.0/things')), 'GET /things')
  t.equal(told(router.match('PUT', '/v1.0.0/things/x')), 'PUT /things/{id} | x')
  t.equal(
    told(router.match('GET', '/v1.0.0/things/~x.y_z/parts/2')),
    'GET /things/{id}/parts/{part-id} | ~x.y_z | 2',
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
    t.equal(told(router.match('GET', '/v1.0.0/things/owner')), 'GET /things/{id} | owner')
    t.equal(told(router.match('GET', '/v1.0.0/things/own/p')), 'GET /things/{id}/{part} | own | p')
    t.equal(
      told(router.match('GET', '/v1.0.0/things/own/p/size')),
      'GET /things/own/{part}/size | p',
    )
    t.equal(
      told(router.match('GET', '/v1.0.0/things/own/parts/p')),
      'GET /things/{id}/parts/{part} | own | p',
      'values of a path that did not match are dropped',
    )
    t.end()
  },
)

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
      const names = [...operation.path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name)
      const path = operation.path.replace(/\{([^}]*)\}/g, 'value-of-$1')
      const match = router.match(operation.method, path)
      if (match.kind !== 'found') t.fail(`${operation.method} ${path} is ${match.kind}`)
      else {
        t.equal(match.operation, operation)
        t.strictSame(
          match.parameters,
          names.map((name) => `value-of-${name}`),
        )
      }
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
      parameters: ['masav', 'p1', 'a1'],
    })
    t.equal(told(router.match('GET', `/v1.7.0${path}`)), '405 PUT elsewhere 1.6.0')
  },
)
