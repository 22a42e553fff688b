import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createClient } from '../support/calling.ts'
import { metricsOf } from '../support/metrics.ts'
import { atOnce, besidePortal, type Send, statuses } from '../support/portal-client.ts'
import { runTollgate, testConfigDir } from '../support/tollgate.ts'

/** Beside the Default Plan one more for xs2a 1.7.0, and xs2a 1.6.0 has ended. */
const config = testConfigDir(t, { calls: 100, window: 'P365D' })
writeFileSync(
  join(config, 'plans', 'partner.yaml'),
  `title: Partner Plan
description: More of everything, and a ceiling.
apis: ['xs2a@1.7.0']
limits:
  - { name: each, calls: 500, window: P365D, scope: operation }
  - { name: all, calls: 700, window: P30D, scope: plan }
mode: enforce
onStoreOutage: local-share
`,
)
const old = join(config, 'apis', 'xs2a', '1.6.0.yaml')
writeFileSync(
  old,
  readFileSync(old, 'utf8').replace(
    /x-lifecycle: .*/,
    "x-lifecycle: { deprecated: '2024-04-14', sunset: '2025-10-31', successor: '1.7.0', retired: '2025-10-31' }",
  ),
)

const tollgate = await runTollgate(t, { env: { CONFIG_DIR: config } })
const beside = await besidePortal(t, tollgate)
const gateway = createClient(t, tollgate.urls.gateway, 4)

const accounts = { api: 'xs2a', version: '1.7.0', plan: 'default' }

async function newApplication(send: Send, name = 'app'): Promise<string> {
  const { body } = await send('POST', '/api/applications', { name })
  return `/api/applications/${body.id}`
}

/** What people type, what attackers type, and what breaks programs that count bytes. */
const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "javascript:alert('1')//",
  '{{constructor.constructor("alert(1)")()}} #{7*7} <%= 7*7 %>',
  '$' + '{7*7}',
  "'; drop table applications; --",
  '=HYPERLINK("http://evil.example","x")',
  '+1+1',
  '-2+3',
  '@SUM(A1:A2)',
  'e\u0301 is not \u00e9',
  'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u0334\u0319\u0324\u031e\u0349\u035aalgo',
  '👩‍👩‍👧‍👦 🏳️‍🌈 ❤️',
  '中文 عربي עברית ไทย',
  '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
  '\u0915\u094d\u200d\u0937',
  '1\ufe0f\u20e3 👩🏽\u200d🚀',
  'no\u00a0break',
  'back\\slash "quotes" \'single\' `back`',
  '__proto__',
  'constructor',
  'null',
  'undefined',
  'NaN',
  '-0',
  '%00%0d%0aSet-Cookie: a=b',
  '../../etc/passwd',
  '😀'.repeat(100),
  'x'.repeat(100),
  '\ufffd',
]

/** Rule of the refusal by name. */
const refused: readonly (readonly [name: string, rule: RegExp])[] = [
  ['', /1 to 100 characters/],
  [' ', /at least one visible/],
  ['\u00a0\u3000', /at least one visible/],
  ['\u200b\u200d\u2060\ufeff', /at least one visible/],
  ['\u202e', /at least one visible/],
  ['\u3164', /at least one visible/],
  ['x'.repeat(101), /1 to 100 characters/],
  ['😀'.repeat(101), /1 to 100 characters/],
  ['line\nbreak', /no control characters/],
  ['carriage\rreturn', /no control characters/],
  ['tab\there', /no control characters/],
  ['escape\u001b[31m', /no control characters/],
  ['delete\u007f', /no control characters/],
  ['next line\u0085', /no control characters/],
  ['nul\u0000', /without NUL/],
  ['line separator\u2028', /no control characters/],
  ['\u202egpj.exe\u202c', /marks that change the text direction/],
  ['\u2066isolate\u2069', /marks that change the text direction/],
  ['mark\u200f', /marks that change the text direction/],
  ['mark\u061c', /marks that change the text direction/],
  ['zero\u200bwidth', /invisible marks/],
  ['Budget app\u2060', /invisible marks/],
  ['Budget\u00ad app', /invisible marks/],
  ['Budget app\u{e0041}', /invisible marks/],
  ['Budget app\u206a', /invisible marks/],
  ['Budget app\ufff9', /invisible marks/],
  ['Budget\u200d app', /invisible marks/],
  ['Bud\u200cget app', /invisible marks/],
  ['Budget app\ufe0f', /invisible marks/],
  ['Budget app 1\ufe0f', /invisible marks/],
  ['❤\ufe0f\ufe0f', /invisible marks/],
]

t.test('names of applications and keys come back byte for byte', async (t) => {
  for (const name of hostile) {
    const { send, developer } = await beside.signIn()
    const created = await send('POST', '/api/applications', { name })
    t.equal(created.status, 201, JSON.stringify(name))
    t.equal(created.body.name, name)
    const path = `/api/applications/${created.body.id}`
    t.equal(created.headers['location'], path)
    t.equal((await send('GET', path)).body.name, name)
    t.equal((await send('GET', '/api/applications')).body.items[0].name, name)
    const key = await send('POST', `${path}/keys`, { name })
    t.equal(key.body.name, name)
    t.equal((await send('GET', `${path}/keys`)).body.items[0].name, name)
    const [stored] = await beside.stores.applications.list({ developerId: developer.id, limit: 1 })
    t.equal(stored?.name, name)
    t.equal((await send('PATCH', path, { name: 'other' })).body.name, 'other')
    t.equal((await send('PATCH', path, { name })).body.name, name)
  }
})

t.test('spaces around a name are dropped, so that it is the same name', async (t) => {
  const { send } = await beside.signIn()
  const padded = ' \u00a0Budget app\u3000 '
  const { body } = await send('POST', '/api/applications', { name: padded })
  t.equal(body.name, 'Budget app')
  const path = `/api/applications/${body.id}`
  const twin = await send('POST', '/api/applications', { name: 'Budget app ' })
  t.match(twin, { status: 409, body: { rule: 'name-taken' } })
  t.equal((await send('PATCH', path, { name: ' Other ' })).body.name, 'Other')
  t.equal((await send('POST', `${path}/keys`, { name: ' key ' })).body.name, 'key')
})

t.test('a name from before the rule may stay, and other changes apply', async (t) => {
  const { send } = await beside.signIn()
  const path = await newApplication(send)
  const name = 'Older \u202e\u00ad name '
  await beside.db
    .updateTable('applications')
    .set({ name })
    .where('id', '=', path.split('/').at(-1) ?? '')
    .execute()
  t.match(await send('PATCH', path, { name, strict: true }), {
    status: 200,
    body: { name, strict: true },
  })
})

t.test(
  'names that show nothing, break lines or turn text around are refused, and the refusal says why',
  async (t) => {
    const { send } = await beside.signIn()
    const path = await newApplication(send)
    for (const [name, rule] of refused) {
      for (const [method, target, others] of [
        ['POST', '/api/applications'],
        ['PATCH', path],
        ['POST', `${path}/keys`],
        ['POST', '/api/developers', { email: 'new@example.com' }],
        ['PATCH', '/api/session/developer', { currentPassword: 'any' }],
      ] as const) {
        const answer = await send(method, target, { ...others, name })
        t.equal(answer.status, 400, encodeURIComponent(name))
        t.match(answer.body, { code: 'INPUT_INVALID', errors: [{ path: '/name', rule }] })
      }
    }
    t.equal((await send('GET', '/api/applications')).body.items.length, 1)
  },
)

t.test('a body that is no JSON in UTF-8 is refused and changes nothing', async (t) => {
  const { send } = await beside.signIn()
  for (const [body, contentType, expected] of [
    ['{"name":"\\ud800"}', 'application/json', 400],
    ['{"name":"a"', 'application/json', 400],
    ['{"name":"a"}}', 'application/json', 400],
    ['', 'application/json', 400],
    ['null', 'application/json', 400],
    ['"name"', 'application/json', 400],
    ['{"__proto__":{"name":"a"}}', 'application/json', 400],
    ['{"name":"a","constructor":{"prototype":{"x":1}}}', 'application/json', 400],
    [`${'['.repeat(30_000)}${']'.repeat(30_000)}`, 'application/json', 400],
    ['name=a', 'application/x-www-form-urlencoded', 400],
    ['{"name":"a"}', 'text/plain', 400],
    [JSON.stringify({ name: 'x'.repeat(70_000) }), 'application/json', 413],
  ] as const) {
    const answer = await send('POST', '/api/applications', body, { 'content-type': contentType })
    t.equal(answer.status, expected, body.slice(0, 40))
    t.equal(answer.headers['content-type'], 'application/problem+json')
  }
  const bytes = await fetch(`${tollgate.urls.portal}/api/applications`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
  })
  t.equal(bytes.status, 401, 'the body is not judged without a session')
  t.same((await send('GET', '/api/applications')).body, { items: [] })
})

t.test('bytes that are no UTF-8 are refused, not replaced', async (t) => {
  const { send } = await beside.signIn()
  const broken = Buffer.concat([
    Buffer.from('{"name":"a'),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('"}'),
  ])
  const answer = await send('POST', '/api/applications', broken)
  t.match([answer.status, answer.body.errors], [400, [{ path: '', rule: 'JSON in UTF-8' }]])
})

t.test('developers cannot set members that are not theirs to set', async (t) => {
  const { send } = await beside.signIn()
  const path = await newApplication(send)
  const extra = {
    id: '00000000-0000-4000-8000-000000000000',
    developerId: '00000000-0000-4000-8000-000000000000',
    developer_id: 'x',
    ownerId: 'x',
    createdAt: '2020-01-01T00:00:00Z',
    suspendedAt: null,
    role: 'operator',
    isOperator: true,
    limit: 1_000_000,
    plan: 'default',
    verified: true,
    keyHash: 'x',
    'weird/~name': 1,
  }
  for (const [member, value] of Object.entries(extra)) {
    for (const [method, target, body] of [
      ['POST', '/api/applications', { name: 'more' }],
      ['PATCH', path, { name: 'more' }],
      ['POST', `${path}/keys`, { name: 'more' }],
      ['POST', `${path}/subscriptions`, accounts],
    ] as const) {
      if (member in body) continue
      const answer = await send(method, target, { ...body, [member]: value })
      t.equal(answer.status, 400, `${method} ${target} ${member}`)
      const pointer = `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`
      t.match(answer.body.errors, [{ path: pointer, rule: /no such member/ }])
    }
  }
  t.match((await send('GET', '/api/applications')).body.items, [{ name: 'app' }])
  t.same((await send('GET', `${path}/keys`)).body.items, [])
  t.same((await send('GET', `${path}/subscriptions`)).body.items, [])
})

t.test('a developer says whether only signed calls of an application are taken', async (t) => {
  const { send, developer } = await beside.signIn()
  const path = await newApplication(send)
  const created = (await send('GET', path)).body
  t.equal(created.strict, false)
  const turned = await send('PATCH', path, { strict: true })
  t.same([turned.status, turned.body], [200, { ...created, strict: true }])
  t.same((await send('PATCH', path, { strict: true })).body, turned.body, 'again')
  t.same((await send('GET', '/api/applications')).body.items, [turned.body])
  t.equal((await send('PATCH', path, { name: 'named' })).body.strict, true)
  t.match((await send('PATCH', path, {})).body, { name: 'named', strict: true })
  const { send: asOperator } = await beside.signIn({ isOperator: true })
  const detail = await asOperator('GET', `/api/operator${path.slice('/api'.length)}`)
  t.equal(detail.body.application.strict, true)

  for (const strict of ['true', 1, null]) {
    const answer = await send('PATCH', path, { name: 'not this', strict })
    t.match(
      [answer.status, answer.body.errors],
      [400, [{ path: '/strict', rule: /^true or false/ }]],
    )
  }
  await newApplication(send, 'taken')
  t.equal((await send('PATCH', path, { name: 'taken', strict: false })).status, 409)
  const { send: other } = await beside.signIn()
  t.equal((await other('PATCH', path, { strict: false })).status, 404)
  t.match((await send('GET', path)).body, { name: 'named', strict: true })

  const both = await send('PATCH', path, { name: 'both', strict: false })
  t.match(both.body, { name: 'both', strict: false })
  const subject = `application:${created.id}`
  const [update] = await beside.stores.audit.list({ subject, limit: 1 })
  t.match(update, {
    actor: `developer:${developer.id}`,
    action: 'application.update',
    detail: { strict: 'false' },
  })
})

t.test('names of applications are unique, and their number is limited', async (t) => {
  const { send } = await beside.signIn()
  const answers = await atOnce(50, () => send('POST', '/api/applications', { name: 'same' }))
  t.same(statuses(answers), { 201: 1, 409: 49 })
  t.ok(answers.every(({ status, body }) => status === 201 || body.rule === 'name-taken'))
  const more = await atOnce(50, (at) => send('POST', '/api/applications', { name: `n${at}` }))
  t.same(statuses(more), { 201: 9, 409: 41 })
  const over = more.find(({ status }) => status === 409)
  t.match(over?.body, { rule: 'applications-limit', limit: 10, detail: /at most 10 applications/ })
  const { items } = (await send('GET', '/api/applications')).body
  const renamed = await send('PATCH', `/api/applications/${items[1].id}`, { name: 'same' })
  t.match([renamed.status, renamed.body.rule], [409, 'name-taken'])
  const { send: other } = await beside.signIn()
  t.equal((await other('POST', '/api/applications', { name: 'same' })).status, 201, 'per developer')
})

t.test('applications are listed in pages, and each developer gets only their own', async (t) => {
  const { send } = await beside.signIn()
  const { send: other } = await beside.signIn()
  const foreign = (await other('POST', '/api/applications', { name: 'foreign' })).body.id
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) {
    ids.push((await send('POST', '/api/applications', { name })).body.id)
  }
  const first = (await send('GET', '/api/applications?limit=2')).body
  t.same(
    first.items.map(({ id }: { id: string }) => id),
    ids.slice(0, 2),
  )
  t.equal(first.next, ids[1])
  const rest = (await send('GET', `/api/applications?limit=2&after=${first.next}`)).body
  t.same(
    rest.items.map(({ id }: { id: string }) => id),
    ids.slice(2),
  )
  t.notOk('next' in rest)
  const unknown = '00000000-0000-4000-8000-000000000000'
  t.same(
    (await send('GET', `/api/applications?after=${foreign}`)).body,
    (await send('GET', `/api/applications?after=${unknown}`)).body,
    'a foreign id is as unknown as none',
  )
  for (const query of [
    'limit=0',
    'limit=101',
    'limit=1e1',
    'after=x',
    'after=%00',
    'a=b',
    'limit=1&limit=2',
  ]) {
    t.equal((await send('GET', `/api/applications?${query}`)).status, 400, query)
  }
})

t.test(
  'a suspended application can be seen, renamed and deleted, and gets nothing more',
  async (t) => {
    const { send } = await beside.signIn()
    const path = await newApplication(send)
    const id = path.split('/').at(-1) ?? ''
    const subscription = (await send('POST', `${path}/subscriptions`, accounts)).body
    await beside.stores.applications.suspend({ id, by: 'test' })
    t.match((await send('GET', path)).body, { suspendedAt: /Z$/ })
    t.equal((await send('PATCH', path, { name: 'still mine' })).status, 200)
    const more = await send('POST', `${path}/subscriptions`, {
      ...accounts,
      api: 'mandate',
      version: '1.0.0',
    })
    t.match([more.status, more.body.rule], [409, 'application-suspended'])
    const plan = await send('PATCH', `${path}/subscriptions/${subscription.id}`, {
      plan: 'partner',
    })
    t.match([plan.status, plan.body.rule], [409, 'application-suspended'])
    t.equal((await send('DELETE', `${path}/subscriptions/${subscription.id}`)).status, 204)
    t.equal((await send('DELETE', path)).status, 204)
    t.equal((await send('GET', path)).status, 404)
  },
)

t.test('what cannot be subscribed to is refused, naming what can', async (t) => {
  const { send } = await beside.signIn()
  const path = await newApplication(send)
  for (const [subscription, errors] of [
    [{ ...accounts, api: 'nope' }, [{ path: '/api', rule: 'one of mandate, xs2a' }]],
    [{ ...accounts, version: '9.9.9' }, [{ path: '/version', rule: 'one of 1.7.0' }]],
    [{ ...accounts, plan: 'gold' }, [{ path: '/plan', rule: 'one of default, partner' }]],
    [
      { api: 'mandate', version: '1.0.0', plan: 'partner' },
      [{ path: '/plan', rule: 'one of default' }],
    ],
    [{ ...accounts, api: '__proto__' }, [{ path: '/api' }]],
    [{ api: 'xs2a', version: '1.7.0' }, [{ path: '/plan', rule: 'given' }]],
  ] as const) {
    const answer = await send('POST', `${path}/subscriptions`, subscription)
    t.equal(answer.status, 400, JSON.stringify(subscription))
    t.match(answer.body, { code: 'INPUT_INVALID', errors })
  }
  const retired = await send('POST', `${path}/subscriptions`, { ...accounts, version: '1.6.0' })
  t.equal(retired.status, 409)
  t.match(retired.body, { code: 'CONFLICT', rule: 'version-retired', successor: '1.7.0' })
  t.same((await send('GET', `${path}/subscriptions`)).body, { items: [] })
})

t.test('of 50 subscriptions to one version at once, one is made', async (t) => {
  const { send } = await beside.signIn()
  const path = await newApplication(send)
  const answers = await atOnce(50, () => send('POST', `${path}/subscriptions`, accounts))
  t.same(statuses(answers), { 201: 1, 409: 49 })
  t.ok(answers.every(({ status, body }) => status === 201 || body.rule === 'already-subscribed'))
  const { items } = (await send('GET', `${path}/subscriptions`)).body
  t.match(items, [{ ...accounts, endedAt: null }])
  t.equal(items.length, 1)
  t.equal((await send('DELETE', `${path}/subscriptions/${items[0].id}`)).status, 204)
  t.equal((await send('DELETE', `${path}/subscriptions/${items[0].id}`)).status, 204, 'again')
  t.same((await send('GET', `${path}/subscriptions`)).body, { items: [] })
  const late = await send('PATCH', `${path}/subscriptions/${items[0].id}`, { plan: 'partner' })
  t.match([late.status, late.body.rule], [409, 'subscription-ended'])
  t.equal((await send('POST', `${path}/subscriptions`, accounts)).status, 201, 'and once more')
})

t.test(
  'subscribing and issuing while the application is deleted leaves nothing behind',
  async (t) => {
    const { send } = await beside.signIn()
    const rounds = 5
    for (let round = 0; round < rounds; round += 1) {
      const path = await newApplication(send, `doomed ${round}`)
      const id = path.split('/').at(-1) ?? ''
      const answers = await atOnce(12, (at) => {
        if (at === 4) return send('DELETE', path)
        return at % 2 === 0
          ? send('POST', `${path}/subscriptions`, accounts)
          : send('POST', `${path}/keys`, { name: `k${at}` })
      })
      t.ok(
        answers.every(({ status }) => [201, 204, 404, 409].includes(status)),
        JSON.stringify(statuses(answers)),
      )
      t.equal((await send('GET', path)).status, 404)
      t.same(await beside.stores.subscriptions.list({ applicationId: id, withEnded: true }), [])
      t.same(await beside.stores.keys.list({ applicationId: id }), [])
    }
  },
)

t.test(
  'live usage says what the headers of the gateway say, and a change of plan keeps the count',
  async (t) => {
    const { send } = await beside.signIn()
    const path = await newApplication(send)
    t.match((await send('GET', `${path}/usage`)).body, { generatedAt: /Z$/, items: [] })
    const subscription = (await send('POST', `${path}/subscriptions`, accounts)).body
    await send('POST', `${path}/subscriptions`, {
      api: 'mandate',
      version: '1.0.0',
      plan: 'default',
    })
    const { key } = (await send('POST', `${path}/keys`, { name: 'k' })).body
    const fresh = (await send('GET', `${path}/usage`)).body
    t.equal(fresh.items.length, 20 + 4, 'one for each operation')
    t.ok(fresh.items.every(({ used }: { used: number }) => used === 0))

    let answer = await gateway.call({ key })
    for (let call = 2; call <= 3; call += 1) answer = await gateway.call({ key })
    const usage = (await send('GET', `${path}/usage`)).body
    const listed = usage.items.find(
      ({ operation }: { operation: string }) => operation === 'listAccounts',
    )
    t.match(listed, {
      api: 'xs2a',
      version: '1.7.0',
      limitName: 'default',
      limit: Number(answer.headers['x-ratelimit-limit']),
      used: 3,
      remaining: Number(answer.headers['x-ratelimit-remaining']),
      windowSeconds: 31_536_000,
      overrideUntil: null,
    })
    const resetsIn = (Date.parse(listed.resetsAt) - Date.parse(usage.generatedAt)) / 1000
    t.ok(Math.abs(resetsIn - Number(answer.headers['x-ratelimit-reset'])) < 5, `${resetsIn} s`)
    t.equal(
      usage.items.reduce((sum: number, { used }: { used: number }) => sum + used, 0),
      3,
      'nothing else was counted',
    )

    const target = `${path}/subscriptions/${subscription.id}`
    const changed = await send('PATCH', target, { plan: 'partner' })
    t.match(changed.body, { id: subscription.id, plan: 'partner', endedAt: null })
    t.equal((await send('PATCH', target, { plan: 'partner' })).status, 200, 'again')
    const gold = await send('PATCH', target, { plan: 'gold' })
    t.match(gold.body.errors, [{ path: '/plan', rule: 'one of default, partner' }])
    const after = (await send('GET', `${path}/usage`)).body.items.filter(
      ({ api }: { api: string }) => api === 'xs2a',
    )
    t.equal(after.length, 20 + 1, 'and one for the version as a whole')
    t.match(
      after.find(({ operation }: { operation: string | null }) => operation === 'listAccounts'),
      { limitName: 'each', limit: 500, used: 3, remaining: 497 },
    )
    t.match(
      after.filter(({ operation }: { operation: string | null }) => operation === null),
      [{ limitName: 'all', limit: 700, used: 0, remaining: 700, windowSeconds: 2_592_000 }],
    )

    await beside.stores.overrides.create({
      applicationId: path.split('/').at(-1) ?? '',
      api: 'xs2a',
      version: '1.7.0',
      limit: 'each',
      calls: 1000,
      reason: 'a test',
      expiresAt: new Date(Date.now() + 3_600_000),
      by: 'test',
    })
    const raised = (await send('GET', `${path}/usage`)).body.items.find(
      ({ operation }: { operation: string | null }) => operation === 'listAccounts',
    )
    t.match(raised, { limit: 1000, used: 3, remaining: 997, overrideUntil: /Z$/ })
  },
)

t.test(
  'facts of the page and the state of the gateway are public, and cost no failed call',
  async (t) => {
    const facts = await beside.anonymous('GET', '/api/portal')
    t.same(facts.body, {
      signUp: 'open',
      gatewayUrl: tollgate.urls.gateway,
      writesMailsToFiles: true,
      hasSandbox: true,
      hasBank: true,
      hasMailbox: true,
      signInProvider: null,
      keyMaxDays: 0,
      brand: {
        name: 'Tollgate',
        logo: null,
        icon: null,
        accent: null,
        terms: null,
        support: null,
        privacy: null,
        status: null,
        imprint: null,
      },
    })
    t.equal(facts.headers['cache-control'], 'no-store')
    const state = await beside.anonymous('GET', '/api/gateway')
    t.match(state.body, { isReachable: true, checkedAt: /Z$/ })
    t.equal(state.headers['cache-control'], 'no-store')
    const metrics = await metricsOf(tollgate.urls.management)
    t.match(metrics, /gateway_requests_total\{.*outcome="preflight"\}/, 'the gateway was asked')
    t.notMatch(metrics, 'outcome="NOT_FOUND"', 'and counts no failure for it')
  },
)
