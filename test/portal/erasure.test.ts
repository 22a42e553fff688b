import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { type Kysely, sql } from 'kysely'
import t from 'tap'
import type { RegistrySchema } from '../../src/gateway/registry/schema.ts'
import { fleetMissing, productionEnv, startStores, storesOf } from '../support/fleet.ts'
import { freePort } from '../support/free-port.ts'
import { awaitMail } from '../support/mails.ts'
import { createPortalClient, mailedToken, signUpAndIn, testPassword } from '../support/portal.ts'
import { besidePortal, openBesidePortal, type Send } from '../support/portal-client.ts'
import { bill, consentRequest, mandateRequest } from '../support/requests.ts'
import { runTollgate, spawnTollgate, testConfigDir } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

/** An application of this developer with a consent in each open state, a payment and a mandate that wait. */
async function busyApplication(send: Send, gatewayUrl: string): Promise<string> {
  const { id } = (await send('POST', '/api/applications', { name: `app ${randomUUID()}` })).body
  const path = `/api/applications/${id}`
  for (const [api, version] of [
    ['xs2a', '1.7.0'],
    ['mandate', '1.0.0'],
  ]) {
    await send('POST', `${path}/subscriptions`, { api, version, plan: 'default' })
  }
  const { key } = (await send('POST', `${path}/keys`, { name: 'k' })).body
  const ready = await send('POST', `${path}/sandbox/consents`)
  if (ready.status !== 201) throw new Error(ready.text)
  for (const [target, body] of [
    ['/v1.7.0/consents', consentRequest],
    ['/v1.7.0/payments/fp', { ...bill, endToEndIdentification: randomUUID().slice(0, 30) }],
    ['/v1.0.0/mandates', { ...mandateRequest, mandateId: randomUUID().slice(0, 30) }],
  ] as const) {
    const answer = await fetch(`${gatewayUrl}${target}`, {
      method: 'POST',
      headers: {
        'x-api-key': key,
        'x-request-id': randomUUID(),
        'psu-id': '305567661',
        'psu-ip-address': '192.0.2.44',
        // Waits for pages that no customer opens.
        'tpp-redirect-uri': 'https://tpp.example/back',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    if (answer.status !== 201) throw new Error(`${target}: ${await answer.text()}`)
    await answer.text()
  }
  return id
}

/** What the bank has of an application: statuses by kind. */
async function atBank(db: Kysely<RegistrySchema>, applicationId: string) {
  const { rows } = await sql<{ what: string }>`
    select 'consent ' || status as what from bank.consents where application_id = ${applicationId}
    union all select 'payment ' || status from bank.payments where application_id = ${applicationId}
    union all select 'mandate ' || status from bank.mandates where application_id = ${applicationId}
    union all select 'approval ' || a.status from bank.authorisations a
      left join bank.consents c on c.id = a.consent_id
      left join bank.payments p on p.id = a.payment_id
      left join bank.mandates m on m.id = a.mandate_id
      where ${applicationId} in (c.application_id, p.application_id, m.application_id)
        and a.status <> 'finalised'
    order by what`.execute(db)
  return rows.map(({ what }) => what)
}

const open = ['consent received', 'consent valid', 'mandate received', 'payment RCVD']
const ended = [
  ...['approval failed', 'approval failed', 'approval failed'],
  ...['consent terminatedByTpp', 'consent terminatedByTpp'],
  ...['mandate terminatedByTpp', 'payment CANC'],
]
const resources = (rows: readonly string[]) => rows.filter((row) => !row.startsWith('appr'))

/** The ten minutes in which calls under way may still create something are over. */
const timePasses = (db: Kysely<RegistrySchema>) =>
  sql`update deleted_applications
    set deleted_at = deleted_at - interval '10 minutes', due_at = now()`.execute(db)

/** Has the gateway look for what is due now, in place of some seconds later: it looks at each deletion. */
async function wake(send: Send): Promise<void> {
  const { id } = (await send('POST', '/api/applications', { name: `app ${randomUUID()}` })).body
  await send('DELETE', `/api/applications/${id}`)
}

/** Whether the bank is not asked about an application again. */
const isOver = async (db: Kysely<RegistrySchema>, id: string): Promise<boolean> =>
  (await waiting(db)).every(({ application_id }) => application_id !== id)

const waiting = (db: Kysely<RegistrySchema>) =>
  db.selectFrom('deleted_applications').selectAll().execute()

/** Whether the bank has answered about each, and is asked again later. */
async function allTold(db: Kysely<RegistrySchema>): Promise<boolean> {
  const rows = await waiting(db)
  const soon = Date.now() + 120_000
  return rows.every(({ attempts, due_at }) => attempts === 0 && due_at.getTime() > soon)
}

t.test('a deleted application', async (t) => {
  const tollgate = await runTollgate(t)
  const beside = await besidePortal(t, tollgate)
  const { db, stores } = beside
  const owner = await beside.signIn()
  const { gateway } = tollgate.urls
  const untouched = await busyApplication(owner.send, gateway)

  await t.test('has its consents ended, its payments and mandates cancelled', async (t) => {
    const id = await busyApplication(owner.send, gateway)
    t.same(resources(await atBank(db, id)), open)
    t.equal((await owner.send('DELETE', `/api/applications/${id}`)).status, 204)
    await until('ended', () => allTold(db))
    t.same(await atBank(db, id), ended)
    const entries = await stores.audit.list({ subject: `application:${id}`, limit: 1 })
    t.match(entries, [
      {
        actor: 'system',
        action: 'application.end-at-bank',
        detail: { consents: '2', payments: '1', mandates: '1' },
      },
    ])

    await t.test('and again ten minutes later, for calls that were under way', async (t) => {
      await sql`update bank.consents set status = 'valid' where id = (
        select id from bank.consents where application_id = ${id} limit 1)`.execute(db)
      await timePasses(db)
      await wake(owner.send)
      await until('over', () => isOver(db, id))
      t.same(await atBank(db, id), ended)
      const [last] = await stores.audit.list({ subject: `application:${id}`, limit: 1 })
      t.same(last?.detail, { consents: '1', payments: '0', mandates: '0' })
    })
  })

  await t.test('goes with its developer: the bank ends those, too', async (t) => {
    const other = await beside.signIn()
    const ids = [
      await busyApplication(other.send, gateway),
      await busyApplication(other.send, gateway),
    ]
    await stores.developers.delete({ id: other.developer.id, by: 'operator:test' })
    await until('ended', () => allTold(db))
    for (const id of ids) t.same(await atBank(db, id), ended)
  })

  t.same(resources(await atBank(db, untouched)), open, 'no other one')
})

/** A backend that says what it is told to. */
async function recorder(port: number, status: number) {
  const seen: { target: string; token: string }[] = []
  const server = createServer((request, response) => {
    const token = String(request.headers['gateway-identity'])
    seen.push({ target: `${request.method} ${request.url}`, token })
    response.writeHead(status).end()
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    seen,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

t.test(
  'a bank that was down hears of a deletion when it is back, from whichever process',
  async (t) => {
    const port = await freePort()
    const first = await runTollgate(t, { env: { BACKEND_URL: `http://127.0.0.1:${port}` } })
    const before = await besidePortal(t, first)
    const { send } = await before.signIn()
    const { id } = (await send('POST', '/api/applications', { name: 'app' })).body
    await send('DELETE', `/api/applications/${id}`)
    await until('tried', async () => (await waiting(before.db))[0]?.attempts === 1)
    await first.close()

    const failing = await recorder(port, 503)
    const env = { BACKEND_URL: `http://127.0.0.1:${port}`, DATA_DIR: first.dataDir }
    const second = await runTollgate(t, { env })
    const { db, stores, signIn } = await besidePortal(t, second)
    const other = await signIn()
    async function due(): Promise<void> {
      await sql`update deleted_applications set due_at = now()`.execute(db)
      await wake(other.send)
    }
    await due()
    await until('asked', () => failing.seen.length > 0)
    const isPostponed = async () => {
      const row = (await waiting(db)).find(({ application_id }) => application_id === id)
      return (row?.attempts ?? 0) > 1 && Number(row?.due_at) > Date.now() + 15_000
    }
    await until('refused', isPostponed)
    await failing.stop()

    const bank = await recorder(port, 204)
    t.teardown(() => bank.stop())
    const told = () => bank.seen.find(({ target }) => target === `DELETE /applications/${id}`)
    // A connection that the bank before has just cut may cost an attempt.
    await until('the bank hears of the deletion', async () => {
      await due()
      return told() !== undefined
    })
    const keys = createRemoteJWKSet(new URL(`${second.urls.management}/.well-known/jwks.json`))
    const { payload } = await jwtVerify(told()?.token ?? '', keys, {
      issuer: 'tollgate',
      audience: 'tollgate-backend',
      typ: 'gateway-identity+jwt',
    })
    t.match(payload, { sub: id, api: 'tollgate', version: 'applications' })
    await until('noted', async () => {
      const [entry] = await stores.audit.list({ subject: `application:${id}`, limit: 1 })
      return entry?.action === 'application.end-at-bank'
    })
  },
)

t.test('a backend without such a route is asked twice, and then no more', async (t) => {
  const port = await freePort()
  const bank = await recorder(port, 404)
  t.teardown(() => bank.stop())
  const tollgate = await runTollgate(t, { env: { BACKEND_URL: `http://127.0.0.1:${port}` } })
  const { db, stores, signIn } = await besidePortal(t, tollgate)
  const { send } = await signIn()
  const { id } = (await send('POST', '/api/applications', { name: 'app' })).body
  await send('DELETE', `/api/applications/${id}`)
  await until('asked', () => bank.seen.length === 1)
  await until('noted', () => allTold(db))
  await timePasses(db)
  await wake(send)
  await until('over', () => isOver(db, id))
  t.equal(bank.seen.filter(({ target }) => target.endsWith(id)).length, 2)
  const [entry] = await stores.audit.list({ subject: `application:${id}`, limit: 1 })
  t.equal(entry?.action, 'application.delete', 'nothing was ended')
})

t.test(
  'with roles in processes of their own, the gateway tells the bank what the portal deleted',
  { skip: fleetMissing() },
  async (t) => {
    const { postgres, env } = await startStores(t)
    const [managementPort, backendPort] = [await freePort(), await freePort()]
    const sessionSecret = randomBytes(32).toString('base64url')
    const secret = randomBytes(32).toString('base64url')
    const shared = {
      ...productionEnv(),
      ...env,
      CONFIG_DIR: testConfigDir(t),
      DATA_DIR: t.testdir(),
      SESSION_SECRET: sessionSecret,
      SANDBOX_SECRET: secret,
      GATEWAY_PROCESSES: '2',
      BACKEND_URL: `http://127.0.0.1:${backendPort}`,
    }
    // Two workers: their parent tells the bank.
    const gateway = await spawnTollgate(t, ['gateway'], {
      ...shared,
      GATEWAY_WORKERS: '2',
      MANAGEMENT_PORT: String(managementPort),
    })
    await spawnTollgate(t, ['backend'], {
      ...shared,
      BACKEND_PORT: String(backendPort),
      SANDBOX: 'on',
      IDENTITY_JWKS_URL: `http://127.0.0.1:${managementPort}/.well-known/jwks.json`,
    })
    const { urls } = await spawnTollgate(t, ['portal'], {
      ...shared,
      SANDBOX: 'on',
      GATEWAY_PUBLIC_URL: gateway.urls.gateway,
    })
    const { db, signIn } = openBesidePortal(t, {
      portalUrl: urls.portal,
      stores: await storesOf(t, shared),
      databaseUrl: postgres.url,
      sessionSecret,
    })
    const { send } = await signIn()
    const id = await busyApplication(send, gateway.urls.gateway)
    t.equal((await send('DELETE', `/api/applications/${id}`)).status, 204)
    await until('ended', () => allTold(db))
    t.same(await atBank(db, id), ended)
    await timePasses(db)
    await wake(send)
    await until('over', () => isOver(db, id))
  },
)

t.test('after the deletion of an account no file has its address', async (t) => {
  const tollgate = await runTollgate(t)
  const { dataDir } = tollgate
  const folder = join(dataDir, 'outbox')
  const files = (address: string) =>
    readdirSync(folder).filter((name) => readFileSync(join(folder, name), 'utf8').includes(address))
  const [email, earlier, other] = ['gone@example.com', 'earlier@example.com', 'stays@example.com']
  await signUpAndIn(tollgate, { email: other })
  const leaver = await signUpAndIn(tollgate, { email: earlier })
  const currentPassword = testPassword
  await leaver.patch('/api/session/developer', { currentPassword, email })
  const token = await mailedToken(dataDir, 'email-change', email)
  t.equal((await leaver.post('/api/email-changes/confirm', { token })).status, 204)
  await awaitMail(dataDir, { kind: 'address-changed', to: earlier })
  // What a crash leaves while it writes a file.
  const [sample = ''] = files(email)
  writeFileSync(join(folder, `.${sample}.0123456789ab`), readFileSync(join(folder, sample)))
  const stayed = files(other)
  const copy = join(dataDir, 'outbox-of-another-process')
  cpSync(folder, copy, { recursive: true })

  const deleted = await leaver.delete('/api/session/developer', { currentPassword })
  t.equal(deleted.status, 204)
  await until('gone', () => files(email).length === 0)
  t.same(
    files(earlier).map((name) => /Z-([a-z-]+)-/.exec(name)?.[1]),
    ['address-changed'],
    'the notice to the earlier address stays a day',
  )
  t.same(files(other), stayed)

  // As for a process that was down when the account was deleted.
  await tollgate.close()
  rmSync(folder, { recursive: true })
  cpSync(copy, folder, { recursive: true })
  rmSync(copy, { recursive: true })
  t.ok(files(email).length > 0)
  const again = await runTollgate(t, { env: { DATA_DIR: dataDir } })
  await until('gone there, too', () => files(email).length === 0)
  t.same(files(other), stayed)

  const stranger = createPortalClient(again.urls.portal)
  await stranger.post('/api/developers', { email: 'new@example.com', name: 'New' })
  await awaitMail(dataDir, { kind: 'sign-up', to: 'new@example.com' })
  t.equal(files('new@example.com').length, 1, 'an address whose link works keeps its mail')
})
