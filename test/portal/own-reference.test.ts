import t from 'tap'
import { ownApis, ownDocument } from '../support/own-apis.ts'
import { petstore } from '../support/petstore.ts'
import { runTollgate } from '../support/tollgate.ts'

/** A hundred operations that take and answer an object of 60 members. */
function wide(prefix: string, description: string): object {
  const properties = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`member${at}`, { type: 'string' }]),
  )
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Wide' } } }
  const responses = { 200: { description: 'done', content } }
  const item = { put: { description, requestBody: { content }, responses } }
  return {
    ...ownDocument([], { 'x-tollgate': { prefix, backend: 'http://127.0.0.1:9' } }),
    paths: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`/things${at}`, item])),
    components: { schemas: { Wide: { type: 'object', properties } } },
  }
}

/** Security in forms that need more than a look. */
const secured = {
  ...ownDocument([], { 'x-tollgate': { prefix: '/secured', backend: 'http://127.0.0.1:9' } }),
  paths: {
    '/certificates': { get: { security: [{ mutual: [] }, { shared: ['read'] }, {}] } },
    '/cookies': { get: { security: [{ session: [] }] } },
  },
  components: {
    securitySchemes: {
      mutual: { type: 'mutualTLS' },
      shared: { $ref: '#/components/securitySchemes/login' },
      login: { type: 'oauth2', flows: {} },
      session: { type: 'apiKey', in: 'cookie', name: 'sid' },
    },
  },
}

const CONFIG_DIR = ownApis(t, {
  'secured/1.json': secured,
  'pets/1.json': petstore,
  'wide/1.json': wide('/wide', 'Replaces it.'),
  'wordy/1.json': wide('/wordy', 'Replaces it. '.repeat(400)),
})
const { urls } = await runTollgate(t, { env: { CONFIG_DIR } })

async function open(path: string, accept: string): Promise<string> {
  const answer = await fetch(`${urls.portal}${path}`, { headers: { accept } })
  t.equal(answer.status, 200, path)
  return answer.text()
}

/** The operations of an API before any script, as HTML. */
async function outlines(api: string): Promise<readonly string[]> {
  const html = await open(`/apis/${api}/1`, 'text/html')
  return html.match(/<article class="sk-op".*?<\/article>/gs) ?? []
}

function textOf(html: string): string {
  return html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
}

t.test('an operation names the fields that its API asks for and the gateway refuses', async (t) => {
  const document = JSON.parse(await open('/api/apis/pets/1/openapi.json', 'application/json'))
  const { get, delete: remove } = document.paths['/pets/{petId}']
  t.same(get.parameters, [])
  t.notMatch(get, { description: String }, 'a login will do')
  t.match(remove.description, 'that the gateway does not forward: `api_key`')
  t.same(Object.keys(document.components.securitySchemes), ['login', 'gatewayKey'])
  const [, ofGet = '', ofDelete = ''] = (await open('/apis/pets/1.md', 'text/markdown')).split(
    '/api/v3/pets/{petId}',
  )
  t.notMatch(ofGet, 'api_key')
  t.match(ofDelete, 'that the gateway does not forward: `api_key`')
})

t.test(
  'before any script, an operation has its security, all responses, and types of what it takes and answers',
  async (t) => {
    const [get = '', remove = ''] = await outlines('pets')
    const text = textOf(get)
    for (const shown of [
      '/api/v3/pets/{petId}',
      'In addition to your API key Authorization login , scopes read:pets',
      'petId integer required',
      'Response 200 The pet. application/json object name string required tags array of string',
      'Response 404 No pet has this id. application/json object',
      'Response default Something else. application/json object',
    ]) {
      t.match(text, shown)
    }
    t.match(remove, 'Response 404')
    t.notMatch(remove, 'In addition to your API key')
    t.match(remove, /that the gateway does not forward: <code[^>]*>api_key/)
  },
)

t.test('before any script, each alternative of security has its own name', async (t) => {
  const [certificates = '', cookies = ''] = (await outlines('secured')).map(textOf)
  t.match(
    certificates,
    'your API key mutualTLS mutual Authorization shared , scopes read Only your API key',
  )
  t.match(cookies, 'your API key sid session')
})

t.test(
  'the page of a version is at most 300,000 characters and lists each operation',
  async (t) => {
    for (const [api, described] of [
      ['wide', 100],
      ['wordy', 0],
    ] as const) {
      const html = await open(`/apis/${api}/1`, 'text/html')
      t.ok(html.length <= 300_000, `${api}: ${html.length}`)
      t.equal(html.match(/<li><a href="#tag\/\/put-things\d+">/g)?.length, 100, api)
      t.equal(html.split('<article class="sk-op"').length - 1, described, api)
    }
  },
)
