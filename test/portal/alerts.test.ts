import { sql } from 'kysely'
import t from 'tap'
import type { Lifecycle } from '../../src/catalogue/catalogue.ts'
import { createExpiryAlerts } from '../../src/portal/alerts/expiry-alerts.ts'
import { thresholdOf } from '../../src/portal/alerts/limit-alerts.ts'
import { createDeprecationReminders } from '../../src/portal/mail/deprecation-reminders.ts'
import { pruneAlerts } from '../../src/portal/stores/alerts/prune-alerts.ts'
import { testDatabase } from '../support/database.ts'
import { alertsRig } from './alerts-rig.ts'

const database = await testDatabase(t)
const by = 'test'
const dayMs = 86_400_000

/** The fewest calls that are 80 % of a limit. */
const callsAt80 = (calls: number): number => Math.ceil(calls * 0.8)

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

t.test('limits are reported once by two portals, with one email an hour', async (t) => {
  const { clock, look, use, subscribed, hook, letters, eventsOf, counter, stores, db, now, limit } =
    await alertsRig(database)
  const { calls } = limit
  const at80 = callsAt80(calls)
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
      type: 'limit.reached',
      application: { id, name: 'app' },
      api: 'xs2a',
      version: '1.7.0',
      at: '2099-11-20T10:30:00.000Z',
      resetsAt: '2099-11-20T11:00:00.000Z',
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
  t.equal((await eventsOf(id)).length, 4, 'but the webhook is called at once')
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
    applicationId: id,
    ...by20,
    reason: 'a test',
    by,
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
})

t.test('each switch stops its kind on its channel', async (t) => {
  const { clock, look, use, subscribed, hook, letters, eventsOf, stores, db, counter, limit } =
    await alertsRig(database)
  const { calls } = limit
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
  await use(paused.id, 'getConsent', callsAt80(calls))
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

t.test(
  'keys and certificates are announced 30, 7 and 1 days before they expire, once',
  async (t) => {
    const { clock, now, db, outbox, events, stores, subscribed, hook, letters, eventsOf } =
      await alertsRig(database)
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
        application_id: id,
        use: 'signing',
        name: 'seal',
        thumbprint: 'a'.repeat(43),
        subject: 's',
        issuer: 'i',
        roles: '[]',
        authorisation_number: null,
        signed_digest: 'a'.repeat(43),
        valid_from: new Date(0),
        valid_until: new Date(end),
        created_at: new Date(clock.ms),
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
        found
          .map((event) => `${(event.key ?? event.certificate).name} ${event.daysLeft}`)
          .toSorted(),
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
  },
)

t.test('a portal that did not run warns of the nearest day alone', async (t) => {
  const { clock, now, db, outbox, events, stores, subscribed, letters } = await alertsRig(database)
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

t.test('a deprecation is announced by webhook, too, with its own switch', async (t) => {
  const { clock, now, db, outbox, events, stores, subscribed, hook, letters, eventsOf, catalogue } =
    await alertsRig(database)
  const lifecycle: Lifecycle = {
    deprecated: '2099-11-01',
    sunset: '2100-11-01',
    successor: '2.0.0',
  }
  const published = catalogue.versions.get('xs2a@1.7.0')
  if (published === undefined) throw new Error('no version 1.7.0')
  const versions = new Map([['xs2a@1.7.0', { ...published, lifecycle }]])
  const reminders = [1, 2].map(() =>
    createDeprecationReminders({
      db,
      outbox,
      events,
      now,
      catalogue: () => ({ ...catalogue, versions }),
    }),
  )
  const both = await subscribed()
  const hookOnly = await subscribed()
  await stores.alerts.choose({ applicationId: hookOnly.id, mails: [], by })
  const none = await subscribed()
  await stores.alerts.choose({ applicationId: none.id, mails: [], hooks: [], by })
  for (const { id } of [both, hookOnly, none]) await hook(id)
  clock.ms = Date.parse('2099-11-20T00:00:00Z')
  await Promise.all(reminders.map((job) => job.run()))
  await Promise.all(reminders.map((job) => job.run()))
  t.same(
    (await letters()).map(({ to }) => to),
    [both.developer.email],
  )
  for (const { id } of [both, hookOnly]) {
    const facts = { deprecated: '2099-11-01', sunset: '2100-11-01', retired: null, daysLeft: null }
    t.match(await eventsOf(id), [{ type: 'version.deprecated', version: '1.7.0', ...facts }])
  }
  t.same(await eventsOf(none.id), [])
})
