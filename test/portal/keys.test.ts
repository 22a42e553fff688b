import t from 'tap'
import { createClient } from '../support/calling.ts'
import { atOnce, besidePortal, type Send, statuses } from '../support/portal-client.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const tollgate = await runTollgate(t)
const beside = await besidePortal(t, tollgate)
const gateway = createClient(t, tollgate.urls.gateway, 4)
const { send } = await beside.signIn()

let applications = 0

/** A new application, by default of its own developer, subscribed to accounts. */
async function newApplication(owner: Send = send): Promise<string> {
  const { body } = await owner('POST', '/api/applications', { name: `app ${++applications}` })
  const id: string = body.id
  await owner('POST', `/api/applications/${id}/subscriptions`, {
    api: 'xs2a',
    version: '1.7.0',
    plan: 'default',
  })
  return `/api/applications/${id}`
}

async function works(key: string): Promise<boolean> {
  const { status } = await gateway.call({ key })
  return status !== 401
}

t.test(
  'a key issued here works at the gateway, and is shown in that one answer only',
  async (t) => {
    const { send } = await beside.signIn()
    const application = await newApplication(send)
    const issued = await send('POST', `${application}/keys`, { name: 'first' })
    t.equal(issued.status, 201)
    t.equal(issued.headers['cache-control'], 'no-store')
    const { key, ...shown } = issued.body
    t.match(key, /^tg_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
    t.match(shown, {
      name: 'first',
      hint: `tg_${shown.id}_…${key.slice(-4)}`,
      state: 'active',
      createdAt: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      replacedBy: null,
    })
    t.ok(await works(key))
    const listed = await send('GET', `${application}/keys`)
    t.match(listed.body, { items: [{ id: shown.id, name: 'first' }] })
    t.equal(listed.body.items.length, 1)
    t.notOk(listed.text.includes(key))
    t.notOk('key' in listed.body.items[0])
  },
)

t.test('a revoked key dies at once, and revoking it again changes nothing', async (t) => {
  const { send } = await beside.signIn()
  const application = await newApplication(send)
  const { body } = await send('POST', `${application}/keys`, { name: 'short' })
  t.ok(await works(body.key))
  const revoked = await send('DELETE', `${application}/keys/${body.id}`)
  t.equal(revoked.status, 204)
  t.equal(revoked.text, '')
  await until('refused before memory is refreshed', async () => !(await works(body.key)))
  t.equal((await send('DELETE', `${application}/keys/${body.id}`)).status, 204)
  const { items } = (await send('GET', `${application}/keys`)).body
  t.match(items, [{ state: 'revoked', revokedAt: String }])
  const again = await send('POST', `${application}/keys`, { name: 'short' })
  t.equal(again.status, 201, 'its name is free again')
})

t.test('a rotated key works on for its overlap and dies after it', async (t) => {
  const { send } = await beside.signIn()
  const application = await newApplication(send)
  const old = (await send('POST', `${application}/keys`, { name: 'rotated' })).body
  t.ok(await works(old.key))
  const rotation = await send('POST', `${application}/keys/${old.id}/rotate`, {
    overlapSeconds: 3600,
  })
  t.equal(rotation.status, 201)
  t.equal(rotation.headers['cache-control'], 'no-store')
  t.match(rotation.body, { name: 'rotated', state: 'active' })
  t.ok(await works(rotation.body.key))
  t.ok(await works(old.key), 'the old one works on')
  const { items } = (await send('GET', `${application}/keys`)).body
  t.match(items, [
    { id: rotation.body.id, state: 'active' },
    { id: old.id, state: 'replaced', replacedBy: rotation.body.id },
  ])
  const early = await send('POST', `${application}/keys/${rotation.body.id}/rotate`, {
    overlapSeconds: 60,
  })
  t.match([early.status, early.body.rule], [409, 'key-overlap'])

  // The end of the overlap, as if an hour had passed; any change makes the gateway look the key up again.
  await beside.db
    .updateTable('api_keys')
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where('id', '=', old.id)
    .execute()
  const applicationId = application.split('/').at(-1) ?? ''
  await send('PATCH', application, { name: 'told to all' })
  await until('refused before memory is refreshed', async () => !(await works(old.key)))
  t.ok(await works(rotation.body.key))
  const after = (await send('GET', `/api/applications/${applicationId}/keys`)).body.items
  t.match(after, [{ state: 'active' }, { id: old.id, state: 'expired', revokedAt: null }])

  const sudden = await send('POST', `${application}/keys/${rotation.body.id}/rotate`, {
    overlapSeconds: 0,
  })
  t.equal(sudden.status, 201)
  await until('without overlap', async () => !(await works(rotation.body.key)))
  t.ok(await works(sudden.body.key))
  const dead = await send('POST', `${application}/keys/${rotation.body.id}/rotate`, {
    overlapSeconds: 0,
  })
  t.match([dead.status, dead.body.code], [409, 'CONFLICT'])
})

t.test('of 50 requests at once for a key of one name, one makes it', async (t) => {
  const application = await newApplication()
  const answers = await atOnce(50, () => send('POST', `${application}/keys`, { name: 'double' }))
  t.same(statuses(answers), { 201: 1, 409: 49 })
  t.ok(answers.every(({ status, body }) => status === 201 || body.rule === 'name-taken'))
  t.equal((await send('GET', `${application}/keys`)).body.items.length, 1)
})

t.test('of 50 rotations of one key at once, one happens', async (t) => {
  const application = await newApplication()
  const { id } = (await send('POST', `${application}/keys`, { name: 'turned' })).body
  const answers = await atOnce(50, () =>
    send('POST', `${application}/keys/${id}/rotate`, { overlapSeconds: 60 }),
  )
  t.same(statuses(answers), { 201: 1, 409: 49 })
  t.ok(answers.every(({ status, body }) => status === 201 || body.rule === 'key-inactive'))
  t.equal((await send('GET', `${application}/keys`)).body.items.length, 2)
})

t.test('50 different keys at once stop at the limit, which the refusal names', async (t) => {
  const application = await newApplication()
  const answers = await atOnce(50, (at) =>
    send('POST', `${application}/keys`, { name: `key ${at}` }),
  )
  t.same(statuses(answers), { 201: 10, 409: 40 })
  const refused = answers.find(({ status }) => status === 409)
  t.match(refused?.body, { code: 'CONFLICT', rule: 'keys-limit', limit: 10 })
  t.match(refused?.body.detail, /at most 10 active keys/)
})

t.test('keys that work are listed first, in pieces', async (t) => {
  const { send } = await beside.signIn()
  const application = await newApplication(send)
  const made: string[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    made.push((await send('POST', `${application}/keys`, { name })).body.id)
  }
  const [a = '', b = '', c = '', d = '', e = ''] = made
  await send('DELETE', `${application}/keys/${d}`)
  await send('DELETE', `${application}/keys/${b}`)
  const order = [e, c, a, d, b]
  const whole = (await send('GET', `${application}/keys`)).body
  t.same(
    whole.items.map(({ id }: { id: string }) => id),
    order,
  )
  t.notOk('next' in whole)
  const pieces: string[] = []
  let query = 'limit=2'
  for (let piece = 0; piece < 5; piece += 1) {
    const { items, next } = (await send('GET', `${application}/keys?${query}`)).body
    pieces.push(...items.map(({ id }: { id: string }) => id))
    if (next === undefined) break
    query = `limit=2&after=${next}`
  }
  t.same(pieces, order)
  const foreign = await newApplication()
  const { id } = (await send('POST', `${application}/keys`, { name: 'f' })).body
  t.same((await beside.anonymous('GET', `${foreign}/keys?after=${id}`)).status, 401)
  t.same((await send('GET', `${application}/keys?after=zzzzzzzzzzzz`)).body, { items: [] })
})

t.test('what cannot be is refused with its place and its rule', async (t) => {
  const application = await newApplication()
  const past = new Date(Date.now() - 1000).toISOString()
  for (const [body, path, rule] of [
    [{}, '/name', /given/],
    [{ name: '' }, '/name', /1 to 100 characters/],
    [{ name: 'x', expiresAt: past }, '/expiresAt', /in the future/],
    [{ name: 'x', expiresAt: '9999-12-31T23:59:59-12:00' }, '/expiresAt', /before the year 10000/],
    [{ name: 'x', expiresAt: 'tomorrow' }, '/expiresAt', /./],
    [{ name: 'x', expiresAt: null }, '/expiresAt', /./],
    [{ name: 'x', key: 'tg_mine' }, '/key', /no such member/],
    [{ name: 'x', id: 'a'.repeat(12) }, '/id', /no such member/],
    [{ name: 7 }, '/name', /./],
    [[], '', /./],
  ] as const) {
    const answer = await send('POST', `${application}/keys`, body)
    t.equal(answer.status, 400, JSON.stringify(body))
    t.match(answer.body, { code: 'INPUT_INVALID', errors: [{ path, rule }] })
  }
  const { id } = (await send('POST', `${application}/keys`, { name: 'x' })).body
  for (const overlapSeconds of [-1, 2_592_001, 0.5, '60', null, undefined]) {
    const answer = await send('POST', `${application}/keys/${id}/rotate`, { overlapSeconds })
    t.equal(answer.status, 400, String(overlapSeconds))
    t.match(answer.body.errors, [{ path: '/overlapSeconds' }])
  }
})

t.test('a key ends when it was said to', async (t) => {
  const { send } = await beside.signIn()
  const application = await newApplication(send)
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const { key, ...issued } = (
    await send('POST', `${application}/keys`, { name: 'ending', expiresAt })
  ).body
  t.equal(issued.expiresAt, expiresAt)
  t.ok(await works(key))
  await beside.db
    .updateTable('api_keys')
    .set({ expires_at: new Date(Date.now() - 1) })
    .where('id', '=', issued.id)
    .execute()
  t.match((await send('GET', `${application}/keys`)).body.items, [{ state: 'expired' }])
  const again = await send('POST', `${application}/keys`, { name: 'ending' })
  t.equal(again.status, 201, 'its name is free')
})

t.test('a key may last to the end of the calendar, and the one that replaces it', async (t) => {
  const { send } = await beside.signIn()
  const application = await newApplication(send)
  const expiresAt = '9999-12-31T23:59:59.999Z'
  const { body } = await send('POST', `${application}/keys`, { name: 'last', expiresAt })
  t.equal(body.expiresAt, expiresAt)
  const rotation = await send('POST', `${application}/keys/${body.id}/rotate`, {
    overlapSeconds: 0,
  })
  t.match(rotation, { status: 201, body: { expiresAt } })
})

t.test('a suspended application gets no key, and its keys can be revoked', async (t) => {
  const { send } = await beside.signIn()
  const application = await newApplication(send)
  const { id } = (await send('POST', `${application}/keys`, { name: 'kept' })).body
  const applicationId = application.split('/').at(-1) ?? ''
  await beside.stores.applications.suspend({ id: applicationId, by: 'test' })
  const issue = await send('POST', `${application}/keys`, { name: 'more' })
  t.match([issue.status, issue.body.rule], [409, 'application-suspended'])
  const rotate = await send('POST', `${application}/keys/${id}/rotate`, { overlapSeconds: 0 })
  t.match([rotate.status, rotate.body.rule], [409, 'application-suspended'])
  t.equal((await send('DELETE', `${application}/keys/${id}`)).status, 204)
})
