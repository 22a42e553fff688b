import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import type { Lifecycle } from '../../src/catalogue/catalogue.ts'
import { bucketName } from '../../src/gateway/counters/bucket.ts'
import type { BucketWindow } from '../../src/gateway/counters/counter.ts'
import { startWebhookDelivery } from '../../src/gateway/portal/alerts/deliver-webhooks.ts'
import { createEvents } from '../../src/gateway/portal/alerts/events.ts'
import { createExpiryAlerts } from '../../src/gateway/portal/alerts/expiry-alerts.ts'
import { createLimitAlerts, thresholdOf } from '../../src/gateway/portal/alerts/limit-alerts.ts'
import { isPublicAddress } from '../../src/gateway/portal/alerts/public-address.ts'
import { createWebhookMetrics } from '../../src/gateway/portal/alerts/webhook-metrics.ts'
import { sealSecret } from '../../src/gateway/portal/alerts/webhook-secret.ts'
import { newWebhookSecret } from '../../src/gateway/portal/alerts/webhook-signature.ts'
import { createWebhookTargets } from '../../src/gateway/portal/alerts/webhook-target.ts'
import { createDeprecationReminders } from '../../src/gateway/portal/mail/deprecation-reminders.ts'
import type { Letter } from '../../src/gateway/portal/mail/letters.ts'
import type { Outbox } from '../../src/gateway/portal/mail/outbox.ts'
import { queueMail } from '../../src/gateway/registry/mail-queue.ts'
import { pruneAlerts } from '../../src/gateway/registry/prune-alerts.ts'
import type { RegistrySchema } from '../../src/gateway/registry/schema.ts'
import { createWebhookQueue, deliveriesMax } from '../../src/gateway/registry/webhook-queue.ts'
import { createLog } from '../../src/platform/log.ts'
import { eventually } from '../support/calling.ts'
import {
  postgresMissing,
  type TestDatabase,
  testDatabase,
  testPostgres,
} from '../support/database.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'
import { testApplication, testStores } from '../support/registry.ts'

const catalogue = await publishedCatalogue()
const by = 'test'
const limit = firstLimit()
const { calls } = limit
const at80 = Math.ceil(calls * 0.8)
const dayMs = 86_400_000
const embedded = await testDatabase(t)
const key = Buffer.alloc(32, 7)
const silent = createLog('silent')

function firstLimit() {
  const [first] = catalogue.plans.get('default')?.limits ?? []
  if (first === undefined) throw new Error('the default plan has no limit')
  return first
}

/** An empty registry, a counter of the test's choosing, and a clock that moves. */
async function rig({ database }: TestDatabase = embedded) {
  const clock = { ms: Date.parse('2026-11-20T10:30:00Z') }
  const now = () => clock.ms
  const stores = await testStores(database, { now })
  const db = database.connect<RegistrySchema>()
  await sql`truncate developers, mails, portal_state, changes cascade`.execute(db)
  const outbox: Outbox = {
    post: (trx, letter, to) => queueMail(trx, Buffer.from(JSON.stringify({ letter, to }))),
  }
  const events = createEvents({ onPost: () => undefined })
  const counts = new Map<string, number>()
  const counter = {
    peeked: 0,
    async peek(buckets: readonly BucketWindow[]) {
      counter.peeked += buckets.length
      return buckets.map(({ bucket }) => ({
        ...{ bucket, count: counts.get(bucket) ?? 0, window: Math.floor(clock.ms / 3_600_000) },
        resetMs: 3_600_000 - (clock.ms % 3_600_000),
      }))
    },
  }
  const options = { db, catalogue: () => catalogue, counter, outbox, events, now, turnSeconds: 0 }
  const portals = [1, 2].map(() => createLimitAlerts(options))

  /** What two portals do at once, until nothing changes. */
  async function look(): Promise<void> {
    await Promise.all(portals.map((job) => job.run()))
    await Promise.all(portals.map((job) => job.run()))
  }

  /** So much of the limit of an operation is used, and the last call was just now. */
  async function use(applicationId: string, operation: string, calls: number): Promise<void> {
    const of = { api: 'xs2a', version: '1.7.0', id: operation }
    counts.set(bucketName(applicationId, of, limit), calls)
    await sql`
      insert into usage_minutes (application_id, at, api, version, operation, admitted, refused, refused_by_limit,
        errors, duration_ms_sum, duration_ms_max)
      values (${applicationId}, date_trunc('minute', ${new Date(clock.ms)}::timestamptz), 'xs2a', '1.7.0',
        ${operation}, 1, 0, 0, 0, 1, 1)
      on conflict do nothing`.execute(db)
  }

  async function subscribed() {
    const { developer, application } = await testApplication(stores)
    const version = { api: 'xs2a', version: '1.7.0', plan: 'default' }
    await stores.subscriptions.add({ applicationId: application.id, ...version, by })
    return { developer, id: application.id }
  }

  function hook(
    applicationId: string,
    url = 'https://receiver.example/hook',
    secret = newWebhookSecret(),
  ) {
    const sealedSecret = sealSecret(key, applicationId, secret)
    return stores.alerts.setWebhook({ applicationId, url, sealedSecret, by })
  }

  async function letters(): Promise<{ letter: Letter & { alerts?: object[] }; to: string }[]> {
    const rows = await db.selectFrom('mails').select('sealed').orderBy('id').execute()
    return rows.map(({ sealed }) => JSON.parse(sealed.toString()))
  }

  async function eventsOf(applicationId: string) {
    const rows = await db
      .selectFrom('webhook_deliveries')
      .select('body')
      .where('application_id', '=', applicationId)
      .orderBy('created_at')
      .execute()
    return rows.map(({ body }) => JSON.parse(body))
  }

  return {
    stores,
    db,
    clock,
    now,
    outbox,
    events,
    counter,
    look,
    use,
    subscribed,
    hook,
    letters,
    eventsOf,
  }
}

t.test('a threshold is reached at exactly 80 and 100 per cent', async (t) => {
  t.equal(thresholdOf(79, 100), undefined)
  t.equal(thresholdOf(80, 100), 80)
  t.equal(thresholdOf(99, 100), 80)
  t.equal(thresholdOf(100, 100), 100)
  t.equal(thresholdOf(101, 100), 100)
  t.equal(thresholdOf(0, 1), undefined)
  t.equal(thresholdOf(1, 1), 100)
  t.equal(thresholdOf(7, 9), undefined, '77.8 per cent')
  t.equal(thresholdOf(8, 9), 80)
})

async function limitsOnce(t: Test, database: TestDatabase): Promise<void> {
  const { clock, look, use, subscribed, hook, letters, eventsOf, counter, stores, db, now } =
    await rig(database)
  const { id, developer } = await subscribed()
  const idle = await subscribed()
  await hook(id)
  await use(id, 'listAccounts', at80 - 1)
  await look()
  t.same([await letters(), await eventsOf(id)], [[], []], 'one call below 80 %: nothing')

  await use(id, 'listAccounts', at80)
  await use(id, 'getConsent', calls)
  await look()
  t.match(await eventsOf(id), [
    {
      ...{ type: 'limit.reached', application: { id, name: 'app' }, api: 'xs2a', version: '1.7.0' },
      at: '2026-11-20T10:30:00.000Z',
      resetsAt: '2026-11-20T11:00:00.000Z',
      limit: calls,
    },
    { type: 'limit.reached' },
  ])
  t.same(
    (await eventsOf(id)).map((event) => [event.operation, event.threshold, event.used]).toSorted(),
    [
      ['getConsent', 100, calls],
      ['listAccounts', 80, at80],
    ],
  )
  t.match(await letters(), [
    { to: developer.email, letter: { kind: 'limits-reached', applicationId: id } },
  ])
  const first = await letters()
  t.equal(first.length, 1, 'one email, two portals')

  const before = counter.peeked
  await use(id, 'listAccounts', calls)
  await use(id, 'getConsentStatus', calls)
  await look()
  t.equal((await letters()).length, 1, 'what follows within the hour waits')
  t.equal((await eventsOf(id)).length, 4, 'but the webhook is told at once')
  await look()
  t.ok(counter.peeked - before <= 2 * 2, 'a limit that is used up is not read again')

  clock.ms += 3_599_000
  await look()
  t.equal((await letters()).length, 1)
  clock.ms += 1_000
  await look()
  const both = await letters()
  t.equal(both.length, 2, 'an hour later one email sums up the rest')
  t.equal(both[1]?.letter.alerts?.length, 2)

  await use(id, 'listAccounts', at80)
  await look()
  t.equal((await eventsOf(id)).length, 5, 'a new window begins anew')
  const by20 = { api: 'xs2a', version: '1.7.0', limit: limit.name, calls: calls * 20 }
  await stores.overrides.create({
    ...{ applicationId: id, ...by20, reason: 'a test', by },
    expiresAt: new Date(now() + dayMs),
  })
  await use(id, 'listAccounts', calls)
  await look()
  t.equal((await eventsOf(id)).length, 5, 'an override counts instead of the plan')
  await use(id, 'listAccounts', calls * 16)
  await look()
  t.match((await eventsOf(id)).at(-1), { threshold: 80, limit: calls * 20 })

  t.same(await eventsOf(idle.id), [])
  clock.ms += 2 * dayMs
  await look()
  await pruneAlerts(db, now())
  t.same(await db.selectFrom('limit_alerts').selectAll().execute(), [], 'old rows go')
}

t.test('limits are told of once by two portals, with one email an hour', (t) =>
  limitsOnce(t, embedded),
)

t.test('and on PostgreSQL', { skip: postgresMissing() }, async (t) => {
  const database = await testPostgres(t)
  if (database === undefined) throw new Error('PostgreSQL is not installed')
  await limitsOnce(t, database)
})

t.test('each switch stops its kind on its channel', async (t) => {
  const { clock, look, use, subscribed, hook, letters, eventsOf, stores, db, counter } = await rig()
  const quiet = await subscribed()
  await stores.alerts.choose({ applicationId: quiet.id, mails: ['expiry'], by })
  const optedOut = await subscribed()
  await stores.profiles.chooseMails({
    developerId: optedOut.developer.id,
    mails: { limits: false },
  })
  const suspended = await subscribed()
  await stores.applications.suspend({ id: suspended.id, by })
  const onlyMail = await subscribed()
  await hook(onlyMail.id)
  await stores.alerts.choose({ applicationId: onlyMail.id, hooks: [], by })
  for (const { id } of [quiet, optedOut, suspended, onlyMail]) await use(id, 'getConsent', calls)
  await look()
  t.same(
    (await letters()).map(({ to }) => to),
    [onlyMail.developer.email],
  )
  t.same(await eventsOf(onlyMail.id), [])
  t.ok(counter.peeked <= 2, 'nothing is read for those who want nothing')

  await stores.profiles.chooseMails({
    developerId: onlyMail.developer.id,
    mails: { limits: false },
  })
  await hook(quiet.id)
  await use(quiet.id, 'getConsent', calls)
  await look()
  t.equal((await letters()).length, 1)
  t.equal((await eventsOf(quiet.id)).length, 1, 'by webhook alone')

  const paused = await subscribed()
  await use(paused.id, 'getConsent', at80)
  await look()
  t.equal((await letters()).length, 2)
  await use(paused.id, 'getConsent', calls)
  await look()
  await stores.applications.suspend({ id: paused.id, by })
  clock.ms += 3_600_000
  await look()
  t.equal((await letters()).length, 2, 'nothing while it is suspended')
  await stores.applications.resume({ id: paused.id, by })
  await look()
  t.match((await letters())[2]?.letter.alerts, [{ threshold: 100 }], 'the warning waited')

  await stores.developers.delete({ id: quiet.developer.id, by })
  for (const table of [
    'webhooks',
    'webhook_deliveries',
    'limit_alerts',
    'limit_alert_mails',
  ] as const) {
    const rows = await db
      .selectFrom(table)
      .select('application_id')
      .where('application_id', '=', quiet.id)
      .execute()
    t.same(rows, [], `${table}: an account takes everything with it`)
  }
})

t.test('keys and certificates are told of 30, 7 and 1 days before they expire, once', async (t) => {
  const { clock, now, db, outbox, events, stores, subscribed, hook, letters, eventsOf } =
    await rig()
  const portals = [1, 2].map(() => createExpiryAlerts({ db, outbox, events, now }))
  const run = () => Promise.all(portals.map((job) => job.run()))
  const { id, developer } = await subscribed()
  await hook(id)
  const end = clock.ms + 40 * dayMs
  const issue = (name: string, expiresAt: number) =>
    stores.keys.issue({ applicationId: id, name, expiresAt: new Date(expiresAt), by })
  const long = await issue('long', end)
  const short = await issue('short', clock.ms + 5 * dayMs)
  const replaced = await issue('replaced', end)
  await stores.keys.rotate({ id: replaced.id, overlapSeconds: 3600, by })
  const revoked = await issue('revoked', end)
  await stores.keys.revoke({ id: revoked.id, by })
  await sql`update api_keys set created_at = ${new Date(clock.ms)}`.execute(db)
  await sql`update api_keys set expires_at = ${new Date(end + 400 * dayMs)}
    where name = 'replaced' and replaced_by is null`.execute(db)
  await db
    .insertInto('certificates')
    .values({
      ...{ application_id: id, use: 'signing', name: 'seal', thumbprint: 'a'.repeat(43) },
      ...{
        subject: 's',
        issuer: 'i',
        roles: '[]',
        authorisation_number: null,
        signed_digest: null,
      },
      ...{ valid_from: new Date(0), valid_until: new Date(end), created_at: new Date(clock.ms) },
    })
    .execute()
  const told: string[][] = []
  async function advance(toMs: number) {
    clock.ms = toMs
    const before = (await eventsOf(id)).length
    await run()
    await run()
    const found = (await eventsOf(id)).slice(before)
    told.push(
      found.map((event) => `${(event.key ?? event.certificate).name} ${event.daysLeft}`).toSorted(),
    )
  }
  await advance(clock.ms + 4 * dayMs)
  await advance(end - 30 * dayMs - 1)
  await advance(end - 30 * dayMs)
  await advance(end - 7 * dayMs)
  await advance(end - dayMs)
  await advance(end)
  const both = (days: number) => [`long ${days}`, `seal ${days}`]
  t.same(told, [['short 1'], [], both(30), both(7), both(1), []])
  t.match(
    (await eventsOf(id)).find(({ type }) => type === 'key.expiring'),
    {
      key: { id: short.id, hint: short.hint },
    },
  )
  t.notMatch(JSON.stringify(await eventsOf(id)), long.key)
  const mails = await letters()
  t.equal(mails.length, 4, 'what is due together shares an email')
  t.ok(mails.every(({ to, letter }) => to === developer.email && letter.kind === 'expiring'))
})

t.test('a portal that did not run warns of the nearest day alone', async (t) => {
  const { clock, now, db, outbox, events, stores, subscribed, letters } = await rig()
  const job = createExpiryAlerts({ db, outbox, events, now })
  const { id } = await subscribed()
  const end = clock.ms + 100 * dayMs
  const { id: keyId } = await stores.keys.issue({ applicationId: id, expiresAt: new Date(end), by })
  await sql`update api_keys set created_at = ${new Date(clock.ms)} where id = ${keyId}`.execute(db)
  clock.ms = end - 3 * dayMs
  await job.run()
  await job.run()
  t.match(await letters(), [{ letter: { items: [{ days: 7, daysLeft: 3 }] } }])
  t.equal((await letters()).length, 1)
})

t.test('a deprecation is told by webhook too, each on its own switch', async (t) => {
  const { clock, now, db, outbox, events, stores, subscribed, hook, letters, eventsOf } =
    await rig()
  const lifecycle: Lifecycle = {
    deprecated: '2026-11-01',
    sunset: '2027-11-01',
    successor: '2.0.0',
  }
  const published = catalogue.versions.get('xs2a@1.7.0')
  if (published === undefined) throw new Error('no version 1.7.0')
  const versions = new Map([['xs2a@1.7.0', { ...published, lifecycle }]])
  const reminders = [1, 2].map(() =>
    createDeprecationReminders({
      ...{ db, outbox, events, now },
      catalogue: () => ({ ...catalogue, versions }),
    }),
  )
  const both = await subscribed()
  const hookOnly = await subscribed()
  await stores.alerts.choose({ applicationId: hookOnly.id, mails: [], by })
  const none = await subscribed()
  await stores.alerts.choose({ applicationId: none.id, mails: [], hooks: [], by })
  for (const { id } of [both, hookOnly, none]) await hook(id)
  clock.ms = Date.parse('2026-11-20T00:00:00Z')
  await Promise.all(reminders.map((job) => job.run()))
  await Promise.all(reminders.map((job) => job.run()))
  t.same(
    (await letters()).map(({ to }) => to),
    [both.developer.email],
  )
  for (const { id } of [both, hookOnly]) {
    const facts = { deprecated: '2026-11-01', sunset: '2027-11-01', retired: null, daysLeft: null }
    t.match(await eventsOf(id), [{ type: 'version.deprecated', version: '1.7.0', ...facts }])
  }
  t.same(await eventsOf(none.id), [])
})

t.test('webhooks reach public addresses alone', async (t) => {
  for (const address of [
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.8.8.8', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.168.1.1', '192.0.0.8', '192.0.2.1', '198.18.0.1'],
    ...['198.51.100.1', '203.0.113.9', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:7f00:1', '::127.0.0.1'],
    ...['fe80::1', 'fc00::1', 'fd12:3456::1', 'ff02::1', '64:ff9b::a00:1', '64:ff9b:1::1'],
    ...['2001:db8::1', '2001::1', '2002:7f00:1::', '100::1', 'fec0::1', '3fff::1', 'nonsense', ''],
  ]) {
    t.notOk(isPublicAddress(address), `${address} is refused`)
  }
  for (const address of [
    '1.1.1.1',
    '93.184.215.14',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
  ]) {
    t.ok(isPublicAddress(address), `${address} is allowed`)
  }
})

const remote = {
  webhookNetworks: [],
  portal: { host: '0.0.0.0', port: 0 },
  portalPublicUrl: 'https://developer.bank.example',
  trustedProxies: [],
}

t.test(
  'an address is refused however it is spelled, and a name by what it stands for',
  async (t) => {
    const names: Record<string, string[]> = {
      'inner.example': ['10.0.0.5'],
      'mixed.example': ['1.1.1.1', '127.0.0.1'],
      'mapped.example': ['::ffff:169.254.169.254'],
      'outer.example': ['1.1.1.1', '2606:4700::1111'],
      'nothing.example': [],
    }
    const lookup = async (name: string) => (names[name] ?? []).map((address) => ({ address }))
    const targets = createWebhookTargets({ settings: remote, lookup })
    for (const url of [
      ...['http://outer.example/', 'ftp://outer.example/', 'javascript:alert(1)', 'nonsense', ''],
      ...['https://u:p@outer.example/', 'https://outer.example/#x', 'https://outer.example/#'],
      ...['https://127.0.0.1/', 'https://2130706433/', 'https://0x7f.1/', 'https://0177.0.0.1/'],
      ...['https://127.1/', 'https://[::1]/', 'https://[::ffff:10.0.0.1]/', 'https://localhost/'],
      ...['https://169.254.169.254/latest/meta-data', `https://outer.example/${'x'.repeat(500)}`],
    ]) {
      t.match(targets.read(url), { rule: /^an https address/ }, url.slice(0, 60))
    }
    t.same(targets.read('https://outer.example/a?b=c'), { url: 'https://outer.example/a?b=c' })
    for (const name of ['inner', 'mixed', 'mapped', 'nothing']) {
      await t.rejects(
        targets.resolve(`https://${name}.example/`),
        { message: /public internet/ },
        name,
      )
    }
    const found = await targets.resolve('https://outer.example/')
    t.match(
      found,
      { address: '1.1.1.1', family: 4 },
      'the request goes to the address that was checked',
    )

    const settings = { ...remote, webhookNetworks: ['10.0.0.0/24'] }
    const own = createWebhookTargets({ settings, lookup })
    t.match(
      await own.resolve('https://inner.example/'),
      { address: '10.0.0.5' },
      'WEBHOOK_NETWORKS',
    )
    t.match(own.read('http://10.0.0.5/'), { rule: /https/ })
    const local = createWebhookTargets({
      settings: { ...remote, portal: { host: '127.0.0.1', port: 0 }, portalPublicUrl: undefined },
      lookup,
    })
    t.match(local.read('http://127.0.0.1:9/hook'), { url: 'http://127.0.0.1:9/hook' })
    t.match(local.read('http://outer.example/'), { rule: /this machine/ })
    t.match(local.read('https://10.0.0.5/'), { rule: /https/ })
  },
)

/** A receiver on this machine that answers as told, and keeps what it got. */
async function receiver(t: Test) {
  const got: { headers: IncomingMessage['headers']; body: string }[] = []
  const answer = { status: 200, location: '', isSilent: false, isEndless: false }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      got.push({ headers: request.headers, body })
      if (answer.isSilent) return
      response.writeHead(answer.status, answer.location === '' ? {} : { location: answer.location })
      if (answer.isEndless) response.write('x')
      else response.end('x'.repeat(100_000))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  t.teardown(() => server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  return { got, answer, url: `http://127.0.0.1:${port}/hook` }
}

t.test('deliveries are signed, retried, listed and sent again', async (t) => {
  const { db, stores, subscribed, hook, now, events } = await rig()
  const { got, answer, url } = await receiver(t)
  const settings = { ...remote, portal: { host: '127.0.0.1', port: 0 }, portalPublicUrl: undefined }
  const metricsRegistry = new Registry()
  const metrics = createWebhookMetrics(metricsRegistry)
  const queue = createWebhookQueue({ db })
  const delivery = startWebhookDelivery({
    ...{ queue, targets: createWebhookTargets({ settings }), key, metrics, log: silent, now },
    pollMs: 20,
  })
  t.teardown(() => delivery.close())
  const { id } = await subscribed()
  const secret = newWebhookSecret()
  const test = () =>
    db
      .transaction()
      .execute((trx) =>
        events.post(trx, { type: 'test' }, { applicationId: id, at: new Date(now()) }),
      )
  await test()
  t.same(await eventually(async () => got.length === 0), true, 'without a webhook nothing is sent')
  await hook(id, url, secret)

  answer.status = 500
  await test()
  const latest = async () => (await stores.deliveries.list({ applicationId: id }))[0]
  await eventually(async () => (await latest())?.responseStatus === 500)
  t.match(await latest(), { state: 'pending', attempts: 1, failure: 'status', nextAt: Date })

  answer.status = 302
  answer.location = 'http://127.0.0.1:1/'
  await db
    .updateTable('webhook_deliveries')
    .set({ due_at: new Date(0) })
    .execute()
  await eventually(async () => (await latest())?.responseStatus === 302)
  t.match(await latest(), { state: 'pending', attempts: 2 }, 'a redirect is a failure')

  answer.status = 204
  await db
    .updateTable('webhook_deliveries')
    .set({ due_at: new Date(0) })
    .execute()
  await eventually(async () => (await latest())?.state === 'delivered')
  t.match(await latest(), { attempts: 3, responseStatus: 204, failure: null, nextAt: null })
  t.equal(got.length, 3)
  const [first, , third] = got
  t.equal(first?.headers['webhook-id'], third?.headers['webhook-id'], 'an event keeps its id')
  for (const { headers, body } of got) {
    const { 'webhook-id': messageId, 'webhook-timestamp': timestamp } = headers
    const mac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    const signature = mac.update(`${messageId}.${timestamp}.${body}`).digest('base64')
    t.equal(headers['webhook-signature'], `v1,${signature}`)
    t.equal(headers['content-type'], 'application/json')
    t.equal(timestamp, String(now() / 1000))
  }
  t.match(JSON.parse(first?.body ?? ''), { type: 'test', application: { id, name: 'app' } })

  const { id: deliveryId = '' } = (await latest()) ?? {}
  t.match(await stores.deliveries.again(deliveryId), { attempts: 0 }, 'the tries count anew')
  await eventually(async () => got.length === 4)
  t.equal(got[3]?.headers['webhook-id'], deliveryId)
  await eventually(async () => (await latest())?.state === 'delivered')

  answer.status = 500
  await test()
  await eventually(
    async () => (await latest())?.attempts === 1 && (await latest())?.triedAt !== null,
  )
  await sql`update webhook_deliveries set due_at = now(), tried_since = now() - interval '25 hours'
    where due_at is not null`.execute(db)
  await eventually(async () => (await latest())?.state === 'failed')
  t.match(await latest(), { nextAt: null, attempts: 2 }, 'after a day it is over')
  const metric = await metricsRegistry.getSingleMetric('portal_webhooks_total')?.get()
  t.same(
    metric?.values.map(({ labels, value }) => [labels['result'], value]),
    [
      ['delivered', 2],
      ['retried', 3],
      ['given-up', 1],
      ['dropped', 0],
    ],
  )

  // A name that has come to stand for an inner address since it was set.
  await hook(id, 'https://169.254.169.254/')
  await test()
  await eventually(async () => (await latest())?.failure === 'address')
  t.match(await latest(), { responseStatus: null, state: 'pending' })

  await hook(id, 'https://name.invalid/')
  await test()
  await eventually(async () => (await latest())?.failure === 'address')
  t.match(await latest(), { responseStatus: null }, 'an unknown name reads as an inner one')

  answer.isEndless = true
  answer.status = 200
  await hook(id, url, secret)
  await test()
  await eventually(async () => (await latest())?.state === 'delivered')
  t.match(await latest(), { responseStatus: 200 }, 'an answer is over at its status')
})

t.test('events that wait are kept before those that are done', async (t) => {
  const { db, stores, subscribed, hook, now } = await rig()
  const { id } = await subscribed()
  await hook(id)
  let dropped = 0
  const events = createEvents({
    onPost: (queued) => {
      dropped += queued.dropped
    },
  })
  const post = () =>
    db
      .transaction()
      .execute((trx) =>
        events.post(trx, { type: 'test' }, { applicationId: id, at: new Date(now()) }),
      )
  const count = async (state: string) => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from webhook_deliveries
      where case ${state} when 'waiting' then due_at is not null else due_at is null end`.execute(
      db,
    )
    return rows[0]?.count
  }
  await sql`insert into webhook_deliveries (application_id, type, body, created_at)
    select ${id}, 'key.rotated', '{}', now() - make_interval(secs => n) from generate_series(1, 98) n`.execute(
    db,
  )
  const add = () =>
    stores.deliveries.add({ applicationId: id, event: () => ({ type: 'test', body: '{}' }) })
  await add()
  await add()
  await t.rejects(add(), { message: /wait for the webhook/ }, 'tests push no event out')

  await sql`insert into webhook_deliveries (application_id, type, body, due_at)
    select ${id}, 'test', '{}', null from generate_series(1, 150)`.execute(db)
  await post()
  t.same([await count('waiting'), await count('done'), dropped], [101, deliveriesMax, 0])
  t.equal((await stores.deliveries.list({ applicationId: id })).length, deliveriesMax)
  await sql`insert into webhook_deliveries (application_id, type, body)
    select ${id}, 'test', '{}' from generate_series(1, 899)`.execute(db)
  await post()
  t.same([await count('waiting'), await count('done'), dropped], [1_000, deliveriesMax, 1])
})

t.test('a developer holds two places, and who waited longest is next', async (t) => {
  const { db, stores, subscribed, hook, now, events } = await rig()
  const silentOne = await receiver(t)
  silentOne.answer.isSilent = true
  const quick = await receiver(t)
  const post = (applicationId: string) =>
    db
      .transaction()
      .execute((trx) => events.post(trx, { type: 'test' }, { applicationId, at: new Date(now()) }))
  const many = await subscribed()
  const applications = [many.id]
  for (let index = 1; index < 10; index += 1) {
    const input = { developerId: many.developer.id, name: `app ${index}`, by }
    applications.push((await stores.applications.create(input)).id)
  }
  for (const id of applications) {
    await hook(id, silentOne.url)
    for (let index = 0; index < 4; index += 1) await post(id)
  }
  const queue = createWebhookQueue({ db })
  const settings = { ...remote, portal: { host: '127.0.0.1', port: 0 }, portalPublicUrl: undefined }
  const delivery = startWebhookDelivery({
    ...{ queue, targets: createWebhookTargets({ settings }), key },
    ...{ metrics: createWebhookMetrics(new Registry()), log: silent, now, pollMs: 20 },
  })
  await eventually(async () => silentOne.got.length === 2)
  const other = await subscribed()
  await hook(other.id, quick.url)
  for (let index = 0; index < 3; index += 1) await post(other.id)
  await eventually(async () => quick.got.length === 3)
  t.equal(silentOne.got.length, 2, 'ten silent applications of one developer hold two places')
  await delivery.close()

  await sql`update webhook_deliveries set due_at = created_at, tried_at = null, failure = null`.execute(
    db,
  )
  const third = await subscribed()
  await hook(third.id, quick.url)
  await post(third.id)
  const claim = async (underWay: { applicationId: string; developerId: string }[] = [], max = 8) =>
    (await queue.claim({ max, forSeconds: 0, underWay })).map(({ developerId }) => developerId)
  const ids = [many, other, third].map(({ developer }) => developer.id)
  t.same((await claim()).toSorted(), ids.toSorted(), 'one of each developer at a time')
  await sql`update webhook_deliveries set tried_at = now() where application_id = ${applications[3]}`.execute(
    db,
  )
  await sql`update webhook_deliveries set tried_at = now() - interval '1 minute'
    where application_id = ${other.id}`.execute(db)
  t.same(await claim([], 1), [third.developer.id], 'first who was never tried')
  await sql`delete from webhook_deliveries where application_id = ${third.id}`.execute(db)
  t.same(await claim([], 1), [other.developer.id], 'then who was tried longest ago')
  const busy = { applicationId: applications[0] ?? '', developerId: many.developer.id }
  const busyToo = { ...busy, applicationId: applications[1] ?? '' }
  t.same((await claim([busy])).toSorted(), [other.developer.id, many.developer.id].toSorted())
  t.same(await claim([busy, busyToo]), [other.developer.id])

  await sql`update webhook_deliveries set failure = 'timeout', response_status = null, tried_at = now()
    where application_id = ${other.id}`.execute(db)
  t.same(await claim([busy, busyToo]), [], 'a webhook rests after silence')
  await hook(other.id, quick.url)
  t.same(await claim([busy, busyToo]), [other.developer.id], 'until it is set anew')
  await stores.applications.suspend({ id: other.id, by })
  t.same(await claim([busy, busyToo]), [], 'a suspended application gets nothing')
})

t.test('a silent receiver does not hold up others, and two portals send once', async (t) => {
  const { db, stores, subscribed, hook, now, events } = await rig()
  const silentOne = await receiver(t)
  silentOne.answer.isSilent = true
  const quick = await receiver(t)
  const settings = { ...remote, portal: { host: '127.0.0.1', port: 0 }, portalPublicUrl: undefined }
  const slow = await subscribed()
  const fast = await subscribed()
  await hook(slow.id, silentOne.url)
  await hook(fast.id, quick.url)
  for (const applicationId of [slow.id, fast.id]) {
    for (let index = 0; index < 10; index += 1) {
      await db
        .transaction()
        .execute((trx) =>
          events.post(trx, { type: 'test' }, { applicationId, at: new Date(now()) }),
        )
    }
  }
  const deliveries = [1, 2].map(() =>
    startWebhookDelivery({
      ...{ queue: createWebhookQueue({ db }), targets: createWebhookTargets({ settings }), key },
      ...{ metrics: createWebhookMetrics(new Registry()), log: silent, now, pollMs: 20 },
    }),
  )
  await eventually(async () => {
    const list = await stores.deliveries.list({ applicationId: fast.id })
    return list.every(({ state }) => state === 'delivered')
  })
  t.equal(quick.got.length, 10)
  t.equal(new Set(quick.got.map(({ headers }) => headers['webhook-id'])).size, 10)
  t.ok(silentOne.got.length <= 2, 'one at a time for each portal')
  await Promise.all(deliveries.map((one) => one.close()))
  const { applicationId, body } = { applicationId: fast.id, body: quick.got[0]?.body }
  t.match(JSON.parse(body ?? ''), { application: { id: applicationId } })
})
