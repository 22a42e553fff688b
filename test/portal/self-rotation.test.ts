import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { awaitMail } from '../support/mails.ts'
import { mistyped } from '../support/mistyped.ts'
import { besidePortal } from '../support/portal-client.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const tollgate = await runTollgate(t, { plan: { calls: 5, window: 'P365D' } })
const portal = await besidePortal(t, tollgate)

async function application(email: string) {
  const { send, developer } = await portal.signIn({ email })
  const { body } = await send('POST', '/api/applications', { name: 'app' })
  return { send, developer, id: String(body.id), path: `/api/applications/${body.id}` }
}

const rotate = (key: string | undefined, body?: unknown) =>
  portal.anonymous(
    'POST',
    '/api/keys/self/rotate',
    body,
    key === undefined ? {} : { 'x-api-key': key },
  )

async function call(key: string): Promise<number> {
  const { status } = await fetch(`${tollgate.urls.gateway}/v1.7.0/accounts`, {
    headers: { 'x-api-key': key },
  })
  return status
}

t.test('a key replaces itself only where its owner has allowed that', async (t) => {
  const email = 'rotating@example.com'
  const { send, path } = await application(email)
  const allowedAddresses = ['127.0.0.0/8']
  const { body: issued } = await send('POST', `${path}/keys`, { name: 'worker', allowedAddresses })
  t.equal(issued.mayReplaceItself, false, 'off by default')

  const refused = await rotate(issued.key)
  t.match(refused, { status: 401, body: { code: 'KEY_INVALID' } })
  for (const key of [undefined, '', 'nonsense', mistyped(issued.key)]) {
    const { status, body } = await rotate(key)
    t.same([status, { ...body, instance: '' }], [401, { ...refused.body, instance: '' }])
  }

  const allowed = await send('PATCH', `${path}/keys/${issued.id}`, { mayReplaceItself: true })
  t.match(allowed, { status: 200, body: { mayReplaceItself: true, allowedAddresses } })
  await awaitMail(tollgate.dataDir, { kind: 'key-self-replacement', to: email })
  const { body: guarded } = await send('POST', `${path}/keys`, { name: 'b', allowedAddresses })
  const open = { mayReplaceItself: true, allowedAddresses: [] }
  t.match(await send('PATCH', `${path}/keys/${guarded.id}`, open), { status: 200, body: open })
  const isTold = async () => {
    const { text } = await awaitMail(tollgate.dataDir, { kind: 'key-self-replacement', to: email })
    return text.includes(guarded.hint) && text.includes('from every address')
  }
  await until('one email tells both changes', isTold)
  t.equal((await rotate(issued.key, { overlapSeconds: 3_599 })).status, 400, 'an hour at least')

  const rotated = await rotate(issued.key)
  t.match(rotated, {
    status: 201,
    headers: { 'cache-control': 'no-store' },
    body: { name: 'worker', mayReplaceItself: true, allowedAddresses, state: 'active' },
  })
  const { body: list } = await send('GET', `${path}/keys`)
  const old = list.items.find(({ id }: { id: string }) => id === issued.id)
  t.equal(old.state, 'replaced')
  t.ok(Date.parse(old.expiresAt) >= Date.parse(old.createdAt) + 3_600_000)
  t.equal(await call(issued.key), 403, 'the old one is known: it lacks only a subscription')
  t.equal(await call(rotated.body.key), 403)

  t.match(await rotate(rotated.body.key), { status: 409, body: { rule: 'key-overlap' } })
  await portal.db
    .updateTable('api_keys')
    .set({ last_used_at: new Date() })
    .where('id', '=', rotated.body.id)
    .execute()
  t.match(await rotate(issued.key), { status: 409, body: { rule: 'key-inactive' } })
  await send('PATCH', `${path}/keys/${issued.id}`, { mayReplaceItself: false })
  const notAnyMore = await rotate(issued.key)
  t.same([notAnyMore.status, notAnyMore.body.detail], [401, refused.body.detail])
  const mail = await awaitMail(tollgate.dataDir, { kind: 'key-replaced', to: email })
  t.match(mail.text, /replaced itself/)
  t.notOk(mail.text.includes(rotated.body.key))
  const [entry] = await portal.stores.audit.list({ actor: `key:${issued.id}`, limit: 1 })
  t.match(entry, { action: 'key.issue', subject: `key:${rotated.body.id}` })

  const { body: elsewhere } = await send('POST', `${path}/keys`, {
    name: 'elsewhere',
    allowedAddresses: ['192.0.2.1'],
    mayReplaceItself: true,
  })
  const stolen = await rotate(elsewhere.key)
  t.same([stolen.status, stolen.body.detail], [401, refused.body.detail], 'from a foreign address')
})

t.test('a program that lost the answer asks again, until its new key was used', async (t) => {
  const email = 'lost@example.com'
  const { send, path } = await application(email)
  const { body: issued } = await send('POST', `${path}/keys`, {
    name: 'worker',
    mayReplaceItself: true,
    expiresAt: new Date(Date.now() + 30 * 86_400_000).toISOString(),
  })
  const found = async (id: string) => {
    const { body } = await send('GET', `${path}/keys`)
    return body.items.find((key: { id: string }) => key.id === id)
  }
  const { body: lost } = await rotate(issued.key)
  const { expiresAt: end } = await found(issued.id)
  const again = await rotate(issued.key, { overlapSeconds: 86_400 })
  t.match(again, { status: 201, body: { name: 'worker', state: 'active', mayReplaceItself: true } })
  t.equal(again.body.expiresAt, lost.expiresAt, 'it lives as long as the lost one would have')
  t.match(await found(issued.id), { state: 'replaced', expiresAt: end, replacedBy: again.body.id })
  t.match(await found(lost.id), { state: 'revoked' }, 'at no time three keys work')
  t.equal(await call(again.body.key), 403, 'it is known: it lacks only a subscription')
  t.equal(await call(lost.key), 401)
  const told = async () => {
    const mail = await awaitMail(tollgate.dataDir, { kind: 'key-replaced', to: email })
    return mail.text.includes(again.body.hint)
  }
  await until('the email names the key that works', told)

  const { body: byHand } = await send('POST', `${path}/keys`, {
    name: 'by hand',
    mayReplaceItself: true,
  })
  await send('POST', `${path}/keys/${byHand.id}/rotate`, { overlapSeconds: 3_600 })
  const refused = await rotate(byHand.key)
  t.match(refused, { status: 409, body: { rule: 'key-inactive' } }, 'a person has that new key')
})

t.test('a webhook gets signed events, and its secret is shown once', async (t) => {
  const got: { headers: IncomingHttpHeaders; body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      got.push({ headers: request.headers, body })
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo

  const { send, path, id, developer } = await application('hooked@example.com')
  t.match(await send('POST', `${path}/webhook/test`), { status: 409, body: { rule: 'no-webhook' } })
  for (const url of ['https://10.0.0.1/', 'http://example.com/', 'https://169.254.169.254/']) {
    t.match(await send('PUT', `${path}/webhook`, { url }), { status: 400 }, url)
  }
  const url = `http://127.0.0.1:${port}/hook?token=secret`
  const { status, body: made } = await send('PUT', `${path}/webhook`, { url })
  t.equal(status, 200)
  t.match(made, { url, secret: /^whsec_/ })
  const { body: shown } = await send('GET', `${path}/alerts`)
  t.match(shown, { mails: { limits: true, expiry: true, deprecations: true }, webhook: { url } })
  t.notOk(JSON.stringify(shown).includes(made.secret))
  const [set] = await portal.stores.audit.list({ actor: `developer:${developer.id}`, limit: 1 })
  t.match(set, {
    action: 'application.set-webhook',
    detail: { origin: `http://127.0.0.1:${port}` },
  })
  t.notMatch(JSON.stringify(set), 'token=secret')

  t.equal((await send('POST', `${path}/webhook/test`)).status, 201)
  const { body: issued } = await send('POST', `${path}/keys`, { name: 'k' })
  await send('POST', `${path}/keys/${issued.id}/rotate`, { overlapSeconds: 60 })
  await until('two messages have come', async () => got.length === 2)
  t.same(got.map(({ body }) => JSON.parse(body).type).toSorted(), ['key.rotated', 'test'])
  for (const { headers, body } of got) {
    const mac = createHmac('sha256', Buffer.from(made.secret.slice(6), 'base64'))
    mac.update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
    t.equal(headers['webhook-signature'], `v1,${mac.digest('base64')}`)
    t.match(JSON.parse(body), { application: { id, name: 'app' } })
    t.notOk(body.includes(issued.key))
  }
  await until('both deliveries are noted', async () => {
    const { body } = await send('GET', `${path}/webhook/deliveries`)
    return body.items.every(({ state }: { state: string }) => state === 'delivered')
  })
  const suspendedDelivery = (await send('GET', `${path}/webhook/deliveries`)).body.items[0].id
  await portal.stores.applications.suspend({ id, by: 'test' })
  for (const action of ['test', `deliveries/${suspendedDelivery}/redeliver`]) {
    const refused = await send('POST', `${path}/webhook/${action}`)
    t.match(refused, { status: 409, body: { rule: 'application-suspended' } }, action)
  }
  await portal.stores.applications.resume({ id, by: 'test' })
  t.equal((await send('DELETE', `${path}/webhook`)).status, 204)
  t.match((await send('GET', `${path}/alerts`)).body, {
    webhook: null,
    isLocalWebhookAllowed: true,
  })
  t.same((await send('GET', `${path}/webhook/deliveries`)).body, { items: [] })
})

t.test('a used-up limit is announced within a minute, through the whole gateway', async (t) => {
  const email = 'limited@example.com'
  const { send, path } = await application(email)
  await send('POST', `${path}/subscriptions`, { api: 'xs2a', version: '1.7.0', plan: 'default' })
  const { body: issued } = await send('POST', `${path}/keys`, { name: 'k' })
  const { body: usage } = await send('GET', `${path}/usage`)
  const [{ limit }] = usage.items
  for (let made = 0; made < limit; made += 1) await call(issued.key)
  const mail = await awaitMail(tollgate.dataDir, { kind: 'limits-reached', to: email })
  t.match(mail.text, `${limit} of ${limit} calls used`)
  t.ok(mail.headers.has('list-unsubscribe'))
})
