import { randomBytes } from 'node:crypto'
import { Registry } from 'prom-client'
import t from 'tap'
import { type ErrorCode, errors } from '../../src/platform/http/errors.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { createAttempts } from '../../src/portal/accounts/attempts.ts'
import { createPasskeys } from '../../src/portal/accounts/passkeys.ts'
import { createPasswords } from '../../src/portal/accounts/passwords.ts'
import { createTotp } from '../../src/portal/accounts/totp.ts'
import type { PublishedApis } from '../../src/portal/api/schemas/catalogue.ts'
import type { SearchIndex } from '../../src/portal/api/schemas/guides.ts'
import { createPortal } from '../../src/portal/create-portal.ts'
import { createPortalMetrics } from '../../src/portal/metrics/portal-metrics.ts'
import { openPage } from '../../src/portal/pages/open-page.ts'
import { derivePortalSecrets } from '../../src/portal/sealing/portal-secrets.ts'
import { openStores } from '../../src/portal/stores/stores.ts'
import { generateKey } from '../../src/registry/keys/key-format.ts'
import { parsePeppers } from '../../src/registry/keys/key-mac.ts'
import { testDatabase } from '../support/database.ts'
import { callerOf, hourly, startEdge } from '../support/edge.ts'
import { testKeyring } from '../support/keyring.ts'
import { testMails } from '../support/mails.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { TestClock } from '../support/test-clock.ts'

const catalogue = await publishedCatalogue()
const clock = new TestClock(Date.now())
const { database } = await testDatabase(t)
const app = createPortal({
  catalogue: () => catalogue,
  portalUrl: () => 'https://portal.example',
  gatewayUrl: () => 'https://api.example',
  probedGatewayUrl: () => 'https://api.example',
  secrets: derivePortalSecrets(() => 's'.repeat(32)),
  passwords: createPasswords(),
  totp: createTotp({
    key: testKeyring(0),
    brandName: () => 'Tollgate',
    portalUrl: () => 'https://portal.example',
    now: Date.now,
  }),
  passkeys: createPasskeys({
    brandName: () => 'Tollgate',
    portalUrl: () => 'https://portal.example',
  }),
  attempts: createAttempts({
    clientAddress: () => '127.0.0.1',
    key: testKeyring(0),
    redis: undefined,
    monotonic: () => performance.now(),
  }),
  metrics: createPortalMetrics(new Registry()),
  writeAccessLine() {},
  events: { record() {} },
  circumstances: () => ({}),
  auditContext: ({ id }) => ({ requestId: id, personal: {} }),
  stores: await openStores({
    database,
    peppers: parsePeppers('p'.repeat(32)),
    keysPerApplication: 10,
    applicationsPerDeveloper: 10,
  }),
  mails: testMails(),
  webhooks: {
    targets: { read: (url) => ({ url }), isLocalAllowed: false },
    newSecret: () => ({ secret: '', sealed: Buffer.alloc(0) }),
    wake() {},
  },
  clientAddress: () => '127.0.0.1',
  page: await openPage({ log: createLog('silent') }),
  writesMailsToFiles: true,
  oidc: undefined,
  sandbox: undefined,
  hasBank: () => false,
  hasDrills: () => false,
  mailbox: undefined,
  isFactorRequired: false,
  keyMaxDays: 0,
  counter: { peek: async () => [] },
  now: () => clock.now,
  onError: (_requestId, error) => {
    throw error
  },
})
t.teardown(() => app.close())

t.test('the operations and plans of each version are public', async (t) => {
  const { items } = (await app.inject('/api/apis')).json()
  const counts = items.flatMap(
    (api: { api: string; versions: { version: string; operations: unknown[] }[] }) =>
      api.versions.map(({ version, operations }) => [api.api, version, operations.length]),
  )
  t.same(counts, [
    ['mandate', '1.0.0', 4],
    ['xs2a', '1.6.0', 21],
    ['xs2a', '1.7.0', 20],
  ])
  t.match(items[1].versions[0], {
    lifecycle: { deprecated: '2024-04-14', sunset: '2027-10-31', successor: '1.7.0' },
    plans: [
      { name: 'default', title: 'Default Plan', limits: [{ calls: 100, windowSeconds: 3600 }] },
    ],
  })
})

t.test('every version has its document and every pair its difference', async (t) => {
  const document = (await app.inject('/api/apis/xs2a/1.7.0/openapi.json')).json()
  t.equal(document.openapi, '3.1.0')
  t.equal(Object.keys(document.paths).length, 17)
  const diff = (await app.inject('/api/apis/xs2a/diff?from=1.6.0&to=1.7.0')).json()
  t.match(diff, { added: [], removed: [{ id: 'getPaymentAuthorisation' }] })
  for (const path of [
    '/api/apis/xs2a/9.9.9/openapi.json',
    '/api/apis/xs2a/diff?from=1.6.0&to=9.9.9',
    '/api/apis/nope/diff?from=1.6.0&to=1.7.0',
  ]) {
    const answer = await app.inject(path)
    t.equal(answer.statusCode, 404, path)
    t.match(answer.json().detail, /Published are mandate@1\.0\.0/)
  }
  for (const [query, errors] of [
    ['from=1.6.0', [{ path: '/to', rule: 'given' }]],
    ['from=1.6.0&from=1.7.0&to=1.7.0', [{ path: '/from', rule: 'string' }]],
    ['from=1.6.0&to=1.7.0&x=1', [{ path: '/x', rule: 'left out: there is no such member' }]],
  ] as const) {
    const answer = await app.inject(`/api/apis/xs2a/diff?${query}`)
    t.equal(answer.statusCode, 400, query)
    t.same(answer.json().errors, errors)
  }
})

t.test('a served document names the gateway as its server and one key header', async (t) => {
  for (const { api, version, prefix } of catalogue.versions.values()) {
    const document = (await app.inject(`/api/apis/${api}/${version}/openapi.json`)).json()
    t.same(document.servers, [{ url: `https://api.example${prefix}` }])
    t.same(document.security, [{ apiKey: [] }])
    t.match(document.components.securitySchemes, {
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: /X-IBM-Client-Id/ },
    })
    t.same(Object.keys(document.components.securitySchemes), ['apiKey'])
  }
})

t.test('the days in the examples of a served document move with the day', async (t) => {
  const examples = async (day: string) => {
    clock.now = Date.parse(`${day}T12:00:00Z`)
    const document = (await app.inject('/api/apis/xs2a/1.7.0/openapi.json')).json()
    const { post } = document.paths['/consents']
    const { balances } =
      document.paths['/accounts/{account-id}/balances'].get.responses['200'].content[
        'application/json'
      ].examples.twoBalances.value
    const { detailed, bankOffered } = post.requestBody.content['application/json'].examples
    return {
      until: detailed.value.validUntil,
      endless: bankOffered.value.validUntil,
      changed: balances[1].lastChangeDateTime,
      from: document.components.parameters.DateFrom.example,
    }
  }
  t.teardown(() => {
    clock.now = Date.now()
  })
  t.same(await examples('2026-11-20'), {
    until: '2027-05-31',
    endless: '9999-12-31',
    changed: '2026-11-20T09:14:02Z',
    from: '2026-08-01',
  })
  t.same(await examples('2028-03-01'), {
    until: '2028-09-09',
    endless: '9999-12-31',
    changed: '2028-03-01T09:14:02Z',
    from: '2027-11-11',
  })
})

t.test('every version lists the operations that only other versions have', async (t) => {
  const { items } = (await app.inject('/api/apis')).json()
  const [old, young] = items[1].versions
  const removed = { id: 'getPaymentAuthorisation', availableIn: ['1.6.0'], removedIn: '1.7.0' }
  t.same(old.missing, [])
  t.match(
    old.operations.filter((operation: { removedIn: unknown }) => operation.removedIn !== null),
    [removed],
  )
  t.equal(young.missing.length, 1)
  t.match(young.missing, [removed])
  t.match(old, { isDeprecated: true, isRetired: false })
  t.match(young, { isDeprecated: false, isRetired: false })
})

t.test(
  'every code of the error table has a page that says what to do, and no other name has',
  async (t) => {
    for (const [code, { title, status }] of Object.entries(errors)) {
      const answer = await app.inject(`/problems/${code}`)
      t.equal(answer.statusCode, 200, code)
      t.match(answer.headers['content-type'], 'text/html; charset=utf-8')
      t.match(answer.headers['content-security-policy'], "default-src 'none'")
      t.ok(answer.body.includes(title))
      t.ok(answer.body.includes(`status ${status}`))
    }
    for (const name of ['toString', '__proto__', 'NOPE', '%3Cscript%3E']) {
      const answer = await app.inject(`/problems/${name}`)
      t.equal(answer.statusCode, 404, name)
      t.match(answer.headers['content-type'], 'application/problem+json')
      t.notOk(answer.body.includes('script'))
    }
    const person = await app.inject({
      url: '/problems/CONSENT_EXPIRED',
      headers: { accept: 'text/html' },
    })
    t.equal(person.statusCode, 404)
    t.match(person.headers['content-type'], 'text/html')
  },
)

t.test('the first page lists every published path', async (t) => {
  const { body } = await app.inject('/')
  for (const version of catalogue.versions.values()) {
    for (const { path } of version.operations) t.ok(body.includes(path), path)
  }
})

t.test('a portal that is reached over https says that it always is', async (t) => {
  const { headers } = await app.inject('/')
  t.equal(headers['strict-transport-security'], 'max-age=31536000; includeSubDomains')
})

t.test('/problems/ lists every code with a link to its page', async (t) => {
  const answer = await app.inject('/problems/')
  t.equal(answer.statusCode, 200)
  t.match(answer.headers['content-type'], 'text/html')
  for (const code of Object.keys(errors)) t.match(answer.body, `href="/problems/${code}"`)
  const page = await app.inject('/problems/QUOTA_EXCEEDED')
  t.match(page.body, 'href="/problems/"')
  t.match(page.body, 'href="/guides/errors#QUOTA_EXCEEDED"')
})

t.test('without an address for support, the page of an error leads to its guide', async (t) => {
  const { body } = await app.inject('/problems/APPLICATION_SUSPENDED')
  t.match(body, 'class="primary" href="/guides/errors#APPLICATION_SUSPENDED"')
})

t.test('the page of an error shows the answer that the gateway really gives', async (t) => {
  const [key, stranger] = [1, 2].map(() => generateKey(randomBytes).text)
  const edge = await startEdge(t, {
    backendUrl: (await startRawBackend(t)).url,
    plan: { limits: [{ name: 'default', calls: 100, ...hourly }] },
    callers: new Map([
      [String(key), callerOf('app-1')],
      ['tg_without', callerOf('app-2', { plans: new Map() })],
    ]),
  })
  const call = (path: string, key = '', options: RequestInit = {}) =>
    fetch(`${edge.url}/v1.7.0${path}`, { ...options, headers: { 'x-api-key': key } })
  for (let count = 0; count < 100; count += 1) await (await call('/accounts', key)).text()
  const answers: Partial<Record<ErrorCode, Response>> = {
    QUOTA_EXCEEDED: await call('/accounts', key),
    KEY_MISSING: await fetch(`${edge.url}/v1.7.0/accounts`),
    KEY_INVALID: await call('/accounts', stranger),
    NOT_FOUND: await call('/acounts', key),
    METHOD_NOT_ALLOWED: await call('/consents/c1', key, { method: 'POST' }),
    BODY_TOO_LARGE: await call('/consents', key, { method: 'POST', body: 'x'.repeat(1_048_577) }),
    NOT_SUBSCRIBED: await call('/accounts', 'tg_without'),
  }
  const changing = ['instance', 'help', 'log', 'resetsAt']
  const lasting = (problem: object) =>
    Object.fromEntries(Object.entries(problem).filter(([name]) => !changing.includes(name)))
  for (const [code, answer] of Object.entries(answers)) {
    const problem: object = JSON.parse(await answer.text())
    const { body } = await app.inject(`/problems/${code}.md`)
    const [, head = '', json = ''] = /```http\n(.*?)\n\n(.*?)\n```/s.exec(body) ?? []
    const sample: object = JSON.parse(json)
    t.same(lasting(sample), lasting(problem), code)
    t.same(Object.keys(sample).toSorted(), Object.keys(problem).toSorted(), code)
    t.match(head, new RegExp(`^HTTP/1.1 ${answer.status} ${answer.statusText}\n`))
    const names = head.split('\n').map((field) => field.split(':', 1)[0]?.toLowerCase())
    for (const name of names.slice(1)) t.ok(answer.headers.has(String(name)), `${code}: ${name}`)
    for (const name of ['retry-after', 'allow']) {
      t.equal(names.includes(name), answer.headers.has(name), `${code}: ${name}`)
    }
    const html = (await app.inject(`/problems/${code}`)).body
    for (const field of head.split('\n').slice(1)) t.ok(html.includes(field.split(': ')[1] ?? '?'))
  }
})

t.test(
  'the page of an error links to the call of the answer, or to what the code is about',
  async (t) => {
    const primary = async (path: string) =>
      /<a class="primary" href="([^"]+)">/.exec((await app.inject(path)).body)?.[1]
    for (const code of Object.keys(errors)) {
      const [path = '', fragment] = (await primary(`/problems/${code}`))?.split('#') ?? []
      const { statusCode, body } = await app.inject(path)
      t.equal(statusCode, 200, `${code}: ${path}`)
      if (fragment !== undefined) t.match(body, `id="${fragment}"`)
    }
    t.equal(await primary('/problems/QUOTA_EXCEEDED'), '/applications')
    const id = '99391c7e-ad88-49ec-a2ad-99ddcb1f7721'
    t.equal(await primary(`/problems/QUOTA_EXCEEDED?call=${id}`), `/r/${id}`)
    for (const call of ['%22%3E%3Cscript%3E', '..%2Fsign-in', `${id}&call=${id}`]) {
      t.equal(await primary(`/problems/QUOTA_EXCEEDED?call=${call}`), '/applications', call)
    }
  },
)

t.test("an error's page is in the reader's language, with the portal's faces", async (t) => {
  const headers = { 'accept-language': 'he-IL' }
  const { body, headers: sent } = await app.inject({ path: '/problems/KEY_MISSING', headers })
  t.equal(sent['content-language'], 'he')
  t.match(body, '<html lang="he" dir="rtl">')
  t.match(body, '<h1>חסר מפתח API</h1>')
  t.match(body, 'href="/guides/errors#KEY_MISSING"')
  const faces = [...body.matchAll(/url\((\/assets\/[^)]+\.woff2)\)/g)].map(([, path = '']) => path)
  t.equal(faces.length, 3)
  for (const path of faces) t.equal((await app.inject(path)).statusCode, 200, path)
  const all = await app.inject({ path: '/problems/', headers })
  t.match(all.body, 'חסר מפתח API')
})

t.test('the document of a version is written at most once, however often it is read', async (t) => {
  const written = t.capture(JSON, 'stringify', JSON.stringify)
  for (const _time of [1, 2, 3]) {
    const answer = await app.inject('/api/apis/xs2a/1.7.0/openapi.json')
    t.equal(answer.json().openapi, '3.1.0')
  }
  const documents = written().filter(({ args: [value] }) => value?.openapi !== undefined)
  t.ok(documents.length <= 1, `${documents.length} times`)
})

t.test('what anyone may read is made once a minute, however often it is read', async (t) => {
  const written = t.capture(JSON, 'stringify', JSON.stringify)
  const headers = { 'accept-encoding': 'gzip' }
  for (const path of ['/api/apis', '/api/search-index', '/apis/xs2a/1.7.0.md']) {
    for (let again = 0; again < 5; again += 1) {
      const answer = await app.inject({ path, headers })
      t.equal(answer.headers['content-encoding'], 'gzip', path)
    }
  }
  const lists = written().filter(({ args: [value] }) => Array.isArray(value?.items))
  // A minute may end meanwhile.
  t.ok(lists.length <= 4, `${lists.length} lists for ten reads`)
})

t.test(
  '/llms.txt lists guides, reference pages and documents, and each of them is there',
  async (t) => {
    const answer = await app.inject('/llms.txt')
    t.equal(answer.headers['content-type'], 'text/plain; charset=utf-8')
    const links = [...answer.body.matchAll(/\]\(https:\/\/portal\.example([^)]+)\)/g)]
    const paths = links.map(([, path = '']) => path)
    for (const path of [
      '/index.md',
      '/guides/first-call.md',
      '/guides/moving-to-1.7.0.md',
      '/apis/xs2a/1.7.0.md',
      '/guides/errors.md',
    ]) {
      t.ok(paths.includes(path), path)
    }
    for (const path of paths) {
      const found = await app.inject(path)
      t.equal(found.statusCode, 200, path)
      if (path.endsWith('.md'))
        t.equal(found.headers['content-type'], 'text/markdown; charset=utf-8')
    }
    const page = await app.inject('/guides/limits')
    t.equal(page.statusCode, 200)
    t.match(page.body, '<title>Know your limits · Tollgate</title>')
    t.match(page.body, '<h2 id="handle-429">', 'a guide can be read without script')
    t.equal((await app.inject('/guides/nothing')).statusCode, 404)
    const front = (await app.inject('/index.md')).body
    t.match(
      front,
      /```bash\n# CONSENT_ID: from the response to "Create a consent"\ncurl [\s\S]*\?withBalance=true[\s\S]*```json\n\{[\s\S]*1\.7\.0\]\(https:\/\/portal\.example\/apis\/xs2a/,
    )
    t.match((await app.inject('/index.md?language=he')).body, /^# \p{Script=Hebrew}/u)
    const hebrew = await app.inject('/guides/first-call.md?language=he')
    t.match(hebrew.body, /^# הקריאה הראשונה/)
    t.equal((await app.inject('/guides/nothing.md')).statusCode, 404)
  },
)

t.test('errors and differences are Markdown too, in both languages', async (t) => {
  const problem = await app.inject('/problems/KEY_MISSING.md')
  t.equal(problem.headers['content-type'], 'text/markdown; charset=utf-8')
  t.match(problem.body, /^# KEY_MISSING\n\n\*\*401\*\* · \*\*The API key is missing\.\*\* Send /)
  t.match((await app.inject('/problems/KEY_MISSING.md?language=he')).body, /\p{Script=Hebrew}/u)
  t.equal((await app.inject('/problems/toString.md')).statusCode, 404)
  const diff = await app.inject('/apis/xs2a/diff.md?from=1.6.0&to=1.7.0')
  t.equal(diff.headers['content-type'], 'text/markdown; charset=utf-8')
  t.match(diff.body, /## Removed in 1\.7\.0\n\n- `GET [^`]+` \(`getPaymentAuthorisation`\)/)
  t.equal((await app.inject('/apis/xs2a/diff.md?from=1.6.0&to=9.9.9')).statusCode, 404)
})

t.test(
  'the Markdown of a version has every operation with its parameters and answers',
  async (t) => {
    const { body } = await app.inject('/apis/xs2a/1.7.0.md')
    t.equal(body.match(/^### /gm)?.length, 20)
    t.match(body, '| `Consent-ID` | header | yes |')
    t.match(body, '- Default Plan: 100 calls per hour for each operation')
    t.match((await app.inject('/apis/xs2a/1.6.0.md')).body, 'Move to 1.7.0.')
  },
)

t.test(
  'each operation that the portal shows has a summary in Hebrew, in lists, document, search and Markdown',
  async (t) => {
    const hebrew = /\p{Script=Hebrew}/u
    const list = (await app.inject('/api/apis?language=he')).json<PublishedApis>()
    for (const { title, versions } of list.items) {
      t.match(title, hebrew)
      for (const { version, summary, tags, operations, missing } of versions) {
        for (const text of [summary, ...tags.map((tag) => tag.title)])
          t.match(text, hebrew, version)
        for (const each of [...operations, ...missing]) t.match(each.summary, hebrew, each.id)
      }
    }
    const english = (await app.inject('/api/apis')).json<PublishedApis>()
    t.notMatch(
      JSON.stringify(english.items.flatMap(({ versions }) => versions[0]?.operations)),
      hebrew,
    )
    const document = (await app.inject('/api/apis/xs2a/1.7.0/openapi.json?language=he')).body
    t.match(document, '"summary":"רשימת החשבונות"')
    t.match(document, '"description":"החשבונות."', 'of a response')
    t.match(document, '"description":"השם שהלקוח נתן לחשבון."', 'of a member of a schema')
    const plain = (await app.inject('/api/apis/xs2a/1.7.0/openapi.json')).body
    t.match(plain, '"summary":"List accounts"')
    const index = (await app.inject('/api/search-index?language=he')).json<SearchIndex>()
    for (const { kind, title } of index.items) {
      if (kind === 'operation' || kind === 'version') t.match(title, hebrew)
    }
    const markdown = (await app.inject('/apis/xs2a/1.7.0.md?language=he')).body
    t.match(markdown, '### רשימת החשבונות')
    t.match((await app.inject('/llms.txt?language=he')).body, 'תשלומים, חשבונות והסכמות 1.7.0')
    t.equal((await app.inject('/api/apis?language=xx')).statusCode, 400)
  },
)

t.test('who has the search index or a guide already gets 304 and no body', async (t) => {
  for (const path of ['/api/search-index?language=he', '/api/guides/errors', '/llms.txt']) {
    const first = await app.inject(path)
    t.equal(first.headers['cache-control'], 'public, max-age=60')
    const etag = String(first.headers.etag)
    const again = await app.inject({ path, headers: { 'if-none-match': etag } })
    t.equal(again.statusCode, 304)
    t.equal(again.body, '')
    t.equal(again.headers.etag, etag)
  }
})
