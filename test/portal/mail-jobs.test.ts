import { sql } from 'kysely'
import { pino } from 'pino'
import t from 'tap'
import type { ApiVersion, Catalogue, Lifecycle } from '../../src/catalogue/catalogue.ts'
import { createEvents } from '../../src/portal/alerts/events.ts'
import {
  createDeprecationReminders,
  dueMilestone,
} from '../../src/portal/mail/deprecation-reminders.ts'
import { createKeyMails } from '../../src/portal/mail/key-mails.ts'
import type { Letter } from '../../src/portal/mail/letters.ts'
import type { Outbox } from '../../src/portal/mail/outbox.ts'
import type { NotedChange } from '../../src/portal/stores/mail/key-digests.ts'
import { queueMail } from '../../src/portal/stores/mail/mail-queue.ts'
import type { PortalSchema } from '../../src/portal/stores/schema.ts'
import { testDatabase } from '../support/database.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'
import { testApplication, testStores } from '../support/registry.ts'

const catalogue = await publishedCatalogue()
const events = createEvents({ onPost: () => undefined })

/** An outbox whose letters can be read, and come true with their transaction as real ones do. */
function readableOutbox(): Outbox & {
  readonly letters: { letter: Letter; to: string | undefined }[]
} {
  const letters: { letter: Letter; to: string | undefined }[] = []
  return {
    letters,
    async post(trx, letter, to) {
      await queueMail(trx, Buffer.from(JSON.stringify({ letter, to })))
      letters.push({ letter, to })
    },
  }
}

const { database } = await testDatabase(t)

/** An empty registry. */
async function rig() {
  const stores = await testStores(database)
  const db = database.connect<PortalSchema>()
  await sql`truncate developers, mails, portal_state, changes cascade`.execute(db)
  const outbox = readableOutbox()
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  return { stores, db, outbox, log, lines }
}

/** What was written, whatever became of letters whose transaction failed. */
async function written(db: Awaited<ReturnType<typeof rig>>['db']) {
  const rows = await db.selectFrom('mails').select('sealed').orderBy('id').execute()
  return rows.map(({ sealed }): { letter: Letter; to: string } => JSON.parse(sealed.toString()))
}

t.test('each change of a key is announced once, a rotation as one', async (t) => {
  const { stores, db, outbox, log } = await rig()
  const notices = createKeyMails({ db, outbox, events, log })
  const { developer, application } = await testApplication(stores)
  const applicationId = application.id
  await stores.keys.issue({ applicationId, name: 'before', by: 'test' })
  await notices.begin()
  await notices.run()
  t.same(outbox.letters, [], 'nothing of what was before')

  const issued = await stores.keys.issue({ applicationId, name: 'first', by: 'test' })
  const overlapped = await stores.keys.rotate({ id: issued.id, overlapSeconds: 3600, by: 'test' })
  await stores.keys.revoke({ id: issued.id, by: 'test' })
  const cut = await stores.keys.rotate({ id: overlapped.id, overlapSeconds: 0, by: 'test' })
  await stores.keys.revoke({ id: cut.id, by: 'test' })
  await stores.keys.revoke({ id: cut.id, by: 'test' })
  await notices.run()
  await notices.run()
  await createKeyMails({ db, outbox, events, log }).run()

  const told = outbox.letters.map(({ letter }) => letter)
  t.same(
    told.map((letter) => [letter.kind, 'hint' in letter ? letter.hint : undefined]),
    [
      ['key-issued', issued.hint],
      ['key-replaced', issued.hint],
      ['key-revoked', issued.hint],
      ['key-replaced', overlapped.hint],
      ['key-revoked', cut.hint],
    ],
  )
  const [, overlap, , sharp] = told
  t.match(overlap, { newHint: overlapped.hint, keyName: 'first', applicationName: 'app' })
  t.ok(overlap !== undefined && 'worksUntil' in overlap && overlap.worksUntil instanceof Date)
  t.match(sharp, { newHint: cut.hint, worksUntil: null })
  for (const { to } of outbox.letters) t.equal(to, developer.email)
  t.notMatch(
    JSON.stringify(told),
    new RegExp([issued, overlapped, cut].map(({ key }) => key.slice(16)).join('|')),
  )
})

t.test('keys that went with their application are not written about', async (t) => {
  const { stores, db, outbox, log } = await rig()
  const notices = createKeyMails({ db, outbox, events, log })
  await notices.begin()
  const gone = await testApplication(stores)
  await stores.keys.issue({ applicationId: gone.application.id, by: 'test' })
  await stores.applications.delete({ id: gone.application.id, by: 'test' })
  await notices.run()
  t.same(outbox.letters, [])
})

t.test('a letter says what an update of a key changed', async (t) => {
  const { stores, outbox, db, log } = await rig()
  const notices = createKeyMails({ db, outbox, events, log })
  const { application } = await testApplication(stores)
  const { id } = await stores.keys.issue({
    applicationId: application.id,
    mayReplaceItself: true,
    by: 'test',
  })
  await notices.begin()
  await stores.keys.update({ id, mayReplaceItself: false, by: 'test' })
  await stores.keys.update({ id, allowedAddresses: ['192.0.2.1'], by: 'test' })
  await stores.keys.update({ id, allowedAddresses: [], by: 'test' })
  await notices.run()
  t.match(
    outbox.letters.map(({ letter }) => letter),
    [
      { kind: 'key-self-replacement', mayReplaceItself: false },
      { kind: 'key-addresses', allowedAddresses: 1 },
      { kind: 'key-addresses', allowedAddresses: 0 },
    ],
  )
})

t.test('of many changes in an hour five get a letter each, the others one digest', async (t) => {
  const { stores, db, outbox, log } = await rig()
  const notices = createKeyMails({ db, outbox, events, log })
  await notices.begin()
  const { developer, application } = await testApplication(stores)
  const applicationId = application.id
  for (let at = 0; at < 60; at += 1) {
    const { id } = await stores.keys.issue({ applicationId, by: 'test' })
    await stores.keys.revoke({ id, by: 'test' })
    if (at % 7 === 0) await notices.run()
  }
  await notices.run()
  t.equal(outbox.letters.length, 5)

  const self = await stores.keys.issue({ applicationId, mayReplaceItself: true, by: 'test' })
  const guarded = await stores.keys.issue({
    applicationId,
    allowedAddresses: ['192.0.2.1'],
    by: 'test',
  })
  await stores.keys.update({
    id: guarded.id,
    mayReplaceItself: true,
    allowedAddresses: [],
    by: 'test',
  })
  await stores.keys.revoke({ id: self.id, by: 'test' })
  await stores.keys.revoke({ id: guarded.id, by: 'test' })
  await notices.run()
  t.match(
    outbox.letters.splice(5).map(({ letter }) => letter),
    [
      { kind: 'key-issued', hint: self.hint, mayReplaceItself: true },
      { kind: 'key-self-replacement', hint: guarded.hint, allowedAddresses: 0 },
    ],
    'a key that may replace itself never waits for the digest',
  )
  const other = await testApplication(stores)
  await stores.keys.issue({ applicationId: other.application.id, by: 'test' })
  await notices.run()
  t.equal(outbox.letters.at(-1)?.to, other.developer.email, 'another developer is notified at once')

  await sql`update key_digests set began_at = now() - interval '61 minutes'`.execute(db)
  await notices.run()
  await notices.run()
  t.equal(outbox.letters.length, 7)
  const digest = outbox.letters.at(-1)
  t.match(digest, {
    to: developer.email,
    letter: { kind: 'keys-changed', more: 18, developerId: developer.id },
  })
  t.equal(Object(digest?.letter).changes.length, 100)
  await stores.keys.issue({ applicationId, by: 'test' })
  await notices.run()
  t.match(outbox.letters.at(-1)?.letter, { kind: 'key-issued' }, 'the next hour begins anew')
})

t.test(
  'after a long pause the gap is reported; after a restored backup it starts over',
  async (t) => {
    const { stores, db, outbox, log, lines } = await rig()
    const notices = createKeyMails({ db, outbox, events, log })
    await notices.begin()
    const { application } = await testApplication(stores)
    await stores.keys.issue({ applicationId: application.id, by: 'test' })
    await sql`update portal_state set changed_at = now() - interval '3 hours' where name = 'key-notices'`.execute(
      db,
    )
    await notices.run()
    t.match(lines.join(''), /"minutes":180.*may be missing/)
    t.equal(outbox.letters.length, 1, 'what is still known is announced')

    await sql`update portal_state set value = '999999999999', changed_at = now() - interval '10 minutes' where name = 'key-notices'`.execute(
      db,
    )
    await notices.run()
    await stores.keys.issue({ applicationId: application.id, by: 'test' })
    await notices.run()
    t.match(lines.join(''), /restored/)
    t.equal(outbox.letters.length, 2)
  },
)

t.test('a reset of second factors is announced once, among any number of keys', async (t) => {
  const { stores, db, outbox, log } = await rig()
  const notices = [1, 2].map(() => createKeyMails({ db, outbox, events, log }))
  const run = () => Promise.all(notices.map((job) => job.run()))
  await notices[0]?.begin()
  const { developer, application } = await testApplication(stores)
  const gone = await testApplication(stores)
  for (let at = 0; at < 60; at += 1) {
    const { id } = await stores.keys.issue({ applicationId: application.id, by: 'test' })
    await stores.keys.revoke({ id, by: 'test' })
    if (at === 30) await stores.factors.reset({ developerId: developer.id, by: 'operator:test' })
  }
  await stores.factors.reset({ developerId: gone.developer.id, by: 'operator:test' })
  await stores.developers.delete({ id: gone.developer.id, by: 'operator:test' })
  await run()
  await run()
  const resets = outbox.letters.filter(({ letter }) => letter.kind === 'factors-reset')
  t.match(resets, [{ to: developer.email, letter: { at: Date } }])
  t.equal(resets.length, 1)
})

t.test('processes that race write each letter once', async (t) => {
  const { stores, db, log } = await rig()
  const jobs = [1, 2, 3].map(() => createKeyMails({ db, outbox: readableOutbox(), events, log }))
  for (const job of jobs) await job.begin()
  const { application } = await testApplication(stores)
  const applicationId = application.id
  const hints: string[] = []
  let isIssuing = true
  const issuing = (async () => {
    for (let round = 0; round < 5; round++) {
      const keys = await Promise.all(
        Array.from({ length: 8 }, () => stores.keys.issue({ applicationId, by: 'test' })),
      )
      hints.push(...keys.map(({ hint }) => hint))
      await Promise.all(keys.map(({ id }) => stores.keys.revoke({ id, by: 'test' })))
    }
    isIssuing = false
  })()
  const running = jobs.map(async (job) => {
    while (isIssuing) await job.run()
  })
  await Promise.all([issuing, ...running])
  await Promise.all(jobs.map((job) => job.run()))
  // Until the hour is over: the letters, and the changes that wait for the digest.
  const waiting = await db.selectFrom('key_digests').select('changes').execute()
  const noted = waiting.flatMap(({ changes }): NotedChange[] => Object(changes))
  for (const [kind, action] of [
    ['key-issued', 'issue'],
    ['key-revoked', 'revoke'],
  ] as const) {
    const told = [
      ...(await written(db)).flatMap(({ letter }) =>
        letter.kind === kind && 'hint' in letter ? [letter.hint] : [],
      ),
      ...noted.flatMap((change) => (change.action === action ? [change.hint] : [])),
    ]
    t.same(
      told.toSorted(),
      hints.toSorted(),
      `${kind}: ${told.length} letters for ${hints.length} keys`,
    )
  }
})

t.test('milestones: the nearest that is reached, and none that is over', async (t) => {
  const lifecycle = { deprecated: '2026-06-01', sunset: '2026-12-31', successor: '2.0.0' }
  const due = (today: string, of: Lifecycle = lifecycle) => dueMilestone(of, today)?.name
  t.equal(due('2026-05-31'), undefined)
  t.equal(due('2026-06-01'), 'deprecated 2026-06-01')
  t.equal(due('2026-10-01'), 'deprecated 2026-06-01')
  t.equal(due('2026-10-02'), '90 days before 2026-12-31')
  t.equal(due('2026-12-01'), '30 days before 2026-12-31')
  t.equal(due('2026-12-24'), '7 days before 2026-12-31')
  t.equal(due('2026-12-30'), '7 days before 2026-12-31')
  t.equal(due('2026-12-31'), undefined, 'it has ended: no reminder of the deprecation now')
  const both = { ...lifecycle, retired: '2027-06-30' }
  t.equal(due('2027-01-15', both), undefined)
  t.equal(due('2027-04-01', both), '90 days before 2027-06-30')
  t.equal(due('2027-06-30', both), undefined)
  t.equal(due('2027-01-01', { retired: '2027-01-31' }), '30 days before 2027-01-31')
  t.equal(due('2027-01-01', {}), undefined)
})

t.test('each developer is notified once of a milestone, with the calls still made', async (t) => {
  const { stores, db, outbox } = await rig()
  let nowMs = Date.parse('2026-09-01T10:00:00Z')
  let lifecycle: Lifecycle = { deprecated: '2026-06-01', sunset: '2026-12-31', successor: '1.7.0' }
  const reminders = [1, 2].map(() =>
    createDeprecationReminders({
      db,
      events,
      catalogue: () => ending(lifecycle),
      outbox,
      now: () => nowMs,
    }),
  )
  const run = () => Promise.all(reminders.map((job) => job.run()))
  const subscribed = await testApplication(stores)
  const other = await stores.applications.create({
    developerId: subscribed.developer.id,
    name: 'idle',
    by: 'test',
  })
  const left = await testApplication(stores)
  const optedOut = await testApplication(stores)
  for (const { id } of [subscribed.application, other, left.application, optedOut.application]) {
    const { id: subscriptionId } = await stores.subscriptions.add({
      applicationId: id,
      api: 'xs2a',
      version: '1.6.0',
      plan: 'default',
      by: 'test',
    })
    if (id === left.application.id)
      await stores.subscriptions.end({ id: subscriptionId, by: 'test' })
  }
  await db
    .updateTable('developers')
    .set({ mails_deprecations: false })
    .where('id', '=', optedOut.developer.id)
    .execute()
  const applicationId = subscribed.application.id
  await recordUse(db, {
    applicationId,
    operation: 'getAccounts',
    version: '1.6.0',
    day: '2026-08-30',
    admitted: 40,
    refused: 9,
  })
  await recordUse(db, {
    applicationId,
    operation: 'getBalances',
    version: '1.6.0',
    day: '2026-08-31',
    admitted: 2,
    refused: 0,
  })
  await recordUse(db, {
    applicationId,
    operation: 'getAccounts',
    version: '1.6.0',
    day: '2026-07-01',
    admitted: 1000,
    refused: 0,
  })
  await recordUse(db, {
    applicationId,
    operation: 'getAccounts',
    version: '1.7.0',
    day: '2026-08-31',
    admitted: 500,
    refused: 0,
  })

  await run()
  await run()
  t.equal(outbox.letters.length, 1)
  t.equal(outbox.letters[0]?.to, subscribed.developer.email)
  t.match(outbox.letters[0]?.letter, {
    kind: 'deprecation',
    api: 'xs2a',
    version: '1.6.0',
    sunset: '2026-12-31',
    successor: '1.7.0',
    daysLeft: undefined,
    applications: [
      { name: 'app', calls: 42 },
      { name: 'idle', calls: 0 },
    ],
  })

  nowMs = Date.parse('2026-12-10T00:00:00Z')
  await run()
  await run()
  t.equal(outbox.letters.length, 2, 'no process ran at 90 days or on the day itself: one mail')
  t.match(outbox.letters[1]?.letter, { daysLeft: 21 })

  await db
    .updateTable('developers')
    .set({ mails_deprecations: true })
    .where('id', '=', optedOut.developer.id)
    .execute()
  await run()
  t.same(
    outbox.letters.slice(2).map(({ to }) => to),
    [optedOut.developer.email],
    'a developer who wants them again gets it',
  )

  lifecycle = { ...lifecycle, sunset: '2027-01-05' }
  await run()
  t.equal(outbox.letters.length, 5, 'another end is another milestone')

  nowMs = Date.parse('2027-01-05T00:00:00Z')
  await run()
  t.equal(outbox.letters.length, 5)
})

/** The published configuration with another life cycle of xs2a 1.6.0. */
function ending(lifecycle: Lifecycle): Catalogue {
  const versions = new Map<string, ApiVersion>()
  for (const [key, version] of catalogue.versions) {
    versions.set(
      key,
      key === 'xs2a@1.6.0' ? { ...version, lifecycle } : { ...version, lifecycle: {} },
    )
  }
  return { ...catalogue, versions }
}

async function recordUse(
  db: Awaited<ReturnType<typeof rig>>['db'],
  use: {
    applicationId: string
    operation: string
    version?: string
    day: string
    admitted: number
    refused: number
  },
): Promise<void> {
  await db
    .insertInto('usage_days')
    .values({
      application_id: use.applicationId,
      at: new Date(`${use.day}T00:00:00Z`),
      api: 'xs2a',
      version: use.version ?? '1.7.0',
      operation: use.operation,
      admitted: use.admitted,
      refused: use.refused,
      refused_by_limit: use.refused,
      errors: 0,
      duration_ms_sum: 0,
      duration_ms_max: 0,
    })
    .execute()
}
