import t from 'tap'
import { longDocument } from '../support/long-document.ts'
import { ownApis } from '../support/own-apis.ts'
import { runTollgate } from '../support/tollgate.ts'

const operations = 900
const document = longDocument({ operations, basePath: '/v1' })
const { urls } = await runTollgate(t, {
  env: {
    CONFIG_DIR: ownApis(t, { 'long/1.json': document }),
    BACKEND_URL: 'http://127.0.0.1:9',
  },
})

/** Answer to a browser, with the bytes that travel. */
async function open(path: string) {
  const answer = await fetch(`${urls.portal}${path}`, {
    headers: { accept: 'text/html,*/*;q=0.8', 'accept-encoding': 'gzip, br' },
  })
  t.equal(answer.status, 200, path)
  return { text: await answer.text(), bytes: Number(answer.headers.get('content-length')) }
}

/** Addresses that a document of the page preloads. */
function preloaded(html: string): readonly string[] {
  const links = html.matchAll(/<link rel="preload" as="fetch"[^>]* href="([^"]+)"/g)
  return Array.from(links, ([, href = '']) => href)
}

t.test('of 900 operations, the page of one asks for at most 300 KB', async (t) => {
  const page = await open('/apis/long/1')
  t.same(preloaded(page.text), ['/api/apis'], 'the document is no part of it')
  const parts = ['/api/apis', '/api/apis/long/1/operations/readResource7']
  const answers = await Promise.all(parts.map(open))
  const bytes = answers.reduce((sum, answer) => sum + answer.bytes, page.bytes)
  t.ok(bytes > 10_000 && bytes <= 300 * 1024, `${bytes} bytes`)
})

t.test('the page of 900 operations lists each, before any script, and once', async (t) => {
  const { text } = await open('/apis/long/1')
  t.equal(text.match(/<li><a href="#tag\/subject-\d+\/\w+">/g)?.length, operations)
  t.equal(text.match(/readResource7\b/g)?.length, 1)
})

t.test('an operation comes with what it refers to, and with nothing else', async (t) => {
  const { text } = await open('/api/apis/long/1/operations/createResource7')
  const part = JSON.parse(text)
  const whole = JSON.parse((await open('/api/apis/long/1/openapi.json')).text)
  t.same(Object.keys(part.paths), ['/resources7'])
  t.same(Object.keys(part.paths['/resources7']), ['post'])
  t.same(part.paths['/resources7'].post, whole.paths['/resources7'].post)
  t.same(part.info, whole.info)
  t.same(part.servers, whole.servers)
  t.same(part.components.securitySchemes, whole.components.securitySchemes)
  const referred = new Set(
    [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name),
  )
  t.same(new Set(Object.keys(part.components.schemas)), referred)
  for (const [name, schema] of Object.entries(part.components.schemas)) {
    t.same(schema, whole.components.schemas[name], name)
  }
  const unknown = await fetch(`${urls.portal}/api/apis/long/1/operations/nope`)
  t.equal(unknown.status, 404)
})
