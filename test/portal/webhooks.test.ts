import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createLog } from '../../src/platform/log/log.ts'
import { startWebhookDelivery } from '../../src/portal/alerts/deliver-webhooks.ts'
import { createEvents } from '../../src/portal/alerts/events.ts'
import { createWebhookMetrics } from '../../src/portal/alerts/webhook-metrics.ts'
import { newWebhookSecret } from '../../src/portal/alerts/webhook-signature.ts'
import { createWebhookTargets } from '../../src/portal/alerts/webhook-target.ts'
import { createWebhookQueue, deliveriesMax } from '../../src/portal/stores/alerts/webhook-queue.ts'
import { testDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import { alertsRig } from './alerts-rig.ts'

const database = await testDatabase(t)
const by = 'test'
const silent = createLog('silent')

/** The receivers of the tests are here. */
const settings = { webhookNetworks: ['127.0.0.0/8'] }

/** Longer than any test: a silent receiver stays silent, however slow the machine is. */
const sendMs = 3_600_000

/** A receiver on this machine that answers as specified, or once released, and records requests. */
async function receiver(t: Test) {
  const got: { headers: IncomingMessage['headers']; body: string }[] = []
  const held: ServerResponse[] = []
  const answer = { status: 200, location: '', isSilent: false, isEndless: false }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      got.push({ headers: request.headers, body })
      if (answer.isSilent) return void held.push(response)
      response.writeHead(answer.status, answer.location === '' ? {} : { location: answer.location })
      if (answer.isEndless) response.write('x')
      else response.end('x'.repeat(100_000))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  t.teardown(() => server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  const letGo = () => {
    for (const response of held.splice(0)) response.end()
  }
  return { got, answer, letGo, url: `http://127.0.0.1:${port}/hook` }
}

t.test('deliveries are signed, retried, listed and sent again', async (t) => {
  const { db, stores, subscribed, hook, now, events, webhookKey: key } = await alertsRig(database)
  const { got, answer, url } = await receiver(t)
  const metricsRegistry = new Registry()
  const metrics = createWebhookMetrics(metricsRegistry)
  const queue = createWebhookQueue({ db })
  const delivery = startWebhookDelivery({
    queue,
    targets: createWebhookTargets({ settings }),
    key,
    metrics,
    log: silent,
    now,
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
  t.same(
    await stores.deliveries.list({ applicationId: id }),
    [],
    'without a webhook nothing is sent',
  )
  await hook(id, url, secret)

  answer.status = 500
  await test()
  const latest = async () => (await stores.deliveries.list({ applicationId: id }))[0]
  await until('the answer 500 is noted', async () => (await latest())?.responseStatus === 500)
  t.match(await latest(), { state: 'pending', attempts: 1, failure: 'status', nextAt: Date })

  answer.status = 302
  answer.location = 'http://127.0.0.1:1/'
  await db
    .updateTable('webhook_deliveries')
    .set({ due_at: new Date(0) })
    .execute()
  await until('the answer 302 is noted', async () => (await latest())?.responseStatus === 302)
  t.match(await latest(), { state: 'pending', attempts: 2 }, 'a redirect is a failure')

  answer.status = 204
  await db
    .updateTable('webhook_deliveries')
    .set({ due_at: new Date(0) })
    .execute()
  await until('it is delivered', async () => (await latest())?.state === 'delivered')
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
  await until('four messages have come', async () => got.length === 4)
  t.equal(got[3]?.headers['webhook-id'], deliveryId)
  await until('it is delivered', async () => (await latest())?.state === 'delivered')

  answer.status = 500
  await test()
  await until(
    'one attempt is noted',
    async () => (await latest())?.attempts === 1 && (await latest())?.triedAt !== null,
  )
  await sql`update webhook_deliveries set due_at = now(), tried_since = now() - interval '25 hours'
    where due_at is not null`.execute(db)
  await until('it is given up', async () => (await latest())?.state === 'failed')
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
  await until('the address is refused', async () => (await latest())?.failure === 'address')
  t.match(await latest(), { responseStatus: null, state: 'pending' })

  await hook(id, 'https://name.invalid/')
  await test()
  await until('the address is refused', async () => (await latest())?.failure === 'address')
  t.match(await latest(), { responseStatus: null }, 'an unknown name reads as an inner one')

  answer.isEndless = true
  answer.status = 200
  await hook(id, url, secret)
  await test()
  await until('it is delivered', async () => (await latest())?.state === 'delivered')
  t.match(await latest(), { responseStatus: 200 }, 'an answer is over at its status')
})

t.test('events that wait are kept before those that are done', async (t) => {
  const { db, stores, subscribed, hook, now } = await alertsRig(database)
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
  const { db, stores, subscribed, hook, now, events, webhookKey: key } = await alertsRig(database)
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
  const delivery = startWebhookDelivery({
    queue,
    targets: createWebhookTargets({ settings }),
    key,
    metrics: createWebhookMetrics(new Registry()),
    log: silent,
    now,
    pollMs: 20,
    sendMs,
  })
  await until('the silent receiver has both messages', async () => silentOne.got.length === 2)
  const other = await subscribed()
  await hook(other.id, quick.url)
  for (let index = 0; index < 3; index += 1) await post(other.id)
  await until('the quick receiver has three messages', async () => quick.got.length === 3)
  t.equal(silentOne.got.length, 2, 'ten silent applications of one developer hold two places')
  const closing = delivery.close()
  silentOne.letGo()
  await closing

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
  const { db, stores, subscribed, hook, now, events, webhookKey: key } = await alertsRig(database)
  const silentOne = await receiver(t)
  silentOne.answer.isSilent = true
  const quick = await receiver(t)
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
      queue: createWebhookQueue({ db }),
      targets: createWebhookTargets({ settings }),
      key,
      metrics: createWebhookMetrics(new Registry()),
      log: silent,
      now,
      pollMs: 20,
      sendMs,
    }),
  )
  await until('all deliveries to the quick receiver are noted', async () => {
    const list = await stores.deliveries.list({ applicationId: fast.id })
    return list.every(({ state }) => state === 'delivered')
  })
  t.equal(quick.got.length, 10)
  t.equal(new Set(quick.got.map(({ headers }) => headers['webhook-id'])).size, 10)
  t.ok(silentOne.got.length <= 2, 'one at a time for each portal')
  const closing = deliveries.map((one) => one.close())
  silentOne.letGo()
  await Promise.all(closing)
  const { applicationId, body } = { applicationId: fast.id, body: quick.got[0]?.body }
  t.match(JSON.parse(body ?? ''), { application: { id: applicationId } })
})
