import t from 'tap'
import { signUpAndIn, testPassword } from '../support/portal.ts'
import { besidePortal } from '../support/portal-client.ts'
import { runTollgate } from '../support/tollgate.ts'

const tollgate = await runTollgate(t)
const { portal } = tollgate.urls
const { port } = new URL(portal)
const { stores } = await besidePortal(t, tollgate)
const email = 'cross-site@example.com'
const client = await signUpAndIn(tollgate, { email })

/** What a page elsewhere makes a browser send. */
const foreign: readonly Readonly<Record<string, string>>[] = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'null', 'sec-fetch-site': 'same-origin' },
  { origin: `https://localhost:${port}` },
  { origin: 'http://localhost:1' },
  { origin: 'http://localhost' },
  { origin: `http://127.0.0.1.evil.example:${port}` },
  { origin: `http://127.0.0.2:${port}` },
  { origin: `${portal}/` },
  { origin: `${portal}, https://evil.example` },
  { origin: portal.toUpperCase() },
  { origin: portal, 'sec-fetch-site': 'cross-site' },
  { origin: portal, 'sec-fetch-site': 'same-site' },
  { origin: portal, 'sec-fetch-site': '' },
]

/** One call of every method that changes something, signing in among them. */
const calls = [
  ['post', '/api/session', { email, password: testPassword }],
  ['post', '/api/developers', { email: 'new@example.com', name: 'New' }],
  ['post', '/api/password-resets', { email }],
  ['post', '/api/applications', { name: 'Forged' }],
  ['patch', '/api/session/developer', { currentPassword: testPassword, name: 'Forged' }],
  ['put', '/api/session/developer/mails', { limits: false, deprecations: false, expiry: false }],
  ['delete', '/api/session/developer', { currentPassword: testPassword }],
  ['delete', '/api/sessions', undefined],
  ['delete', '/api/session', undefined],
  ['post', '/api/nowhere', {}],
] as const

t.test('whatever another site makes a browser send changes nothing', async (t) => {
  for (const [method, path, body] of calls) {
    for (const headers of foreign) {
      const answer = await client[method](path, body, {
        // The client's own say nothing here; an empty one is not sent.
        headers: { 'sec-fetch-site': 'none', ...headers },
      })
      const name = `${method} ${path} ${JSON.stringify(headers)}`
      t.equal(answer.status, 403, name)
      t.equal(answer.body.code, 'CROSS_SITE', name)
      t.notOk('set-cookie' in answer.headers, name)
    }
  }
  const { body } = await client.get('/api/session')
  t.equal(body.developer.name, 'Ada Lovelace')
  t.same((await client.get('/api/applications')).body.items, [])
  t.equal(await stores.developers.findByEmail('new@example.com'), undefined)
})

t.test('a form of another site is refused even where it says nothing of itself', async (t) => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ]) {
    const answer = await client.post(
      '/api/session',
      JSON.stringify({ email, password: testPassword }),
      {
        headers: { 'content-type': type },
      },
    )
    t.equal(answer.status, 400, type)
  }
})

t.test('the portal is one site under each name of this machine', async (t) => {
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    const answer = await client.post(
      '/api/session',
      { email, password: testPassword },
      {
        headers: { origin: `http://${host}:${port}` },
      },
    )
    t.equal(answer.status, 200, host)
  }
})

t.test(
  'reading is not asked where it comes from, and programs that are no browsers pass',
  async (t) => {
    const read = await client.get('/api/session', {
      headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    })
    t.equal(read.status, 200)
    t.notOk('access-control-allow-origin' in read.headers, 'a page elsewhere cannot read it')
    const answer = await fetch(`${portal}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: testPassword }),
    })
    t.equal(answer.status, 200)
  },
)

t.test('whose attempts they are is not what a client writes into X-Forwarded-For', async (t) => {
  const statuses: number[] = []
  for (let at = 0; at < 12; at++) {
    const body = { email: 'forged@example.com', password: 'a password that is wrong' }
    const headers = { 'x-forwarded-for': `198.51.100.${at}` }
    statuses.push((await client.post('/api/session', body, { headers })).status)
  }
  t.same(statuses, [...new Array(10).fill(401), 429, 429])
})
