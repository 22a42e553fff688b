import { isDeepStrictEqual } from 'node:util'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { isOutage, openDatabase } from '../../src/platform/database/database.ts'
import { startEmbeddedDatabase } from '../../src/platform/database/embedded-database.ts'
import type { PortalSchema } from '../../src/portal/stores/schema.ts'
import type { Change } from '../../src/registry/feed/change.ts'
import { openChangeFeed } from '../../src/registry/feed/change-feed.ts'
import { createChangeTable } from '../../src/registry/feed/change-table.ts'
import type { ChangePage, KeptChange } from '../../src/registry/feed/read-changes.ts'
import { createLastUsed } from '../../src/registry/keys/last-used.ts'
import { openRegistry } from '../../src/registry/open-registry.ts'
import type { Authentication } from '../../src/registry/registry.ts'
import {
  eachDatabase,
  postgresMissing,
  startPostgres,
  startStandby,
  testDatabase,
  testDataDir,
  testPostgres,
} from '../support/database.ts'
import { testApplication, testPeppers, testStores } from '../support/registry.ts'
import { until } from '../support/until.ts'

const log = pino({ level: 'silent' })
const by = 'system'
const limits = { peppers: testPeppers, keysPerApplication: 10, applicationsPerDeveloper: 10 }

/** An operator's reset of a count. */
function resetOf(bucket: string) {
  const applicationId = '00000000-0000-4000-8000-000000000000'
  return { kind: 'counter', action: 'reset', applicationId, detail: { bucket } } as const
}

function ask(
  registry: { authenticate(key: string, done: (outcome: Authentication) => void): void },
  key: string,
): Promise<Authentication> {
  return new Promise((resolve) => registry.authenticate(key, resolve))
}

for (const { name, open, skip } of eachDatabase) {
  t.test(`${name}: what one process changes every other one knows`, { skip }, async (t) => {
    const opened = await open(t)
    // Each with its own pool, as processes have.
    const registries = await Promise.all(
      [0, 1, 2].map(async () => {
        const database = openDatabase({ url: opened.url, log })
        // Time stands still: without the feed, what is in memory stays.
        // No look-up is repeated because a busy machine answered late.
        const patient = { answerMs: 3_600_000, monotonicNow: () => 0 }
        const registry = await openRegistry({ database, log, ...limits, ...patient })
        t.teardown(async () => {
          await registry.close()
          await database.close()
        })
        return registry
      }),
    )
    const stores = await testStores(opened.database)
    const issue = async () => {
      const { developer, application } = await testApplication(stores)
      const { id: keyId, key } = await stores.keys.issue({ applicationId: application.id, by })
      return { developerId: developer.id, applicationId: application.id, keyId, key }
    }
    /** A key for each change, all of which the next read of the feed brings. */
    const keys = {
      suspended: await issue(),
      ofSuspended: await issue(),
      strict: await issue(),
      subscribed: await issue(),
      revoked: await issue(),
      ofDeleted: await issue(),
    }
    const plan = (outcome: Exclude<Authentication, string>) => outcome.plans.get('xs2a@1.7.0')
    /** What a process says of each key. */
    async function said(registry: (typeof registries)[number]): Promise<Record<string, unknown>> {
      const answers = Object.entries(keys).map(async ([name, { key }]) => {
        const outcome = await ask(registry, key)
        if (typeof outcome === 'string') return [name, outcome] as const
        const { isSuspended, isStrict } = outcome
        return [name, { isSuspended, isStrict, plan: plan(outcome) }] as const
      })
      return Object.fromEntries(await Promise.all(answers))
    }
    const usual = { isSuspended: false, isStrict: false, plan: undefined }
    async function everybodySays(
      what: string,
      changed: { readonly [Name in keyof typeof keys]?: unknown },
    ): Promise<void> {
      const expected = {
        ...Object.fromEntries(Object.keys(keys).map((key) => [key, usual])),
        ...changed,
      }
      await until(what, async () => {
        const all = await Promise.all(registries.map(said))
        return all.every((each) => isDeepStrictEqual(each, expected))
      })
    }

    await everybodySays('all are known', {})
    for (const registry of registries) {
      t.same(registry.load(), { keysCached: 6, keysLookedUp: 6, feedAgeSeconds: 0 })
    }
    const { suspended, ofSuspended, strict, subscribed, revoked, ofDeleted } = keys
    await stores.applications.suspend({ id: suspended.applicationId, by })
    await stores.developers.suspend({ id: ofSuspended.developerId, by })
    await stores.applications.setStrict({ id: strict.applicationId, strict: true, by })
    const { id } = await stores.subscriptions.add({
      applicationId: subscribed.applicationId,
      api: 'xs2a',
      version: '1.7.0',
      plan: 'default',
      by,
    })
    await stores.keys.revoke({ id: revoked.keyId, by })
    await stores.developers.delete({ id: ofDeleted.developerId, by })
    const gone = { revoked: 'invalid', ofDeleted: 'invalid' }
    await everybodySays('each change is known', {
      ...gone,
      suspended: { ...usual, isSuspended: true },
      ofSuspended: { ...usual, isSuspended: true },
      strict: { ...usual, isStrict: true },
      subscribed: { ...usual, plan: 'default' },
    })
    await stores.applications.resume({ id: suspended.applicationId, by })
    await stores.developers.resume({ id: ofSuspended.developerId, by })
    await stores.applications.setStrict({ id: strict.applicationId, strict: false, by })
    await stores.subscriptions.change({ id, plan: 'large', by })
    await everybodySays('each end is known', { ...gone, subscribed: { ...usual, plan: 'large' } })

    const heard: Change[] = []
    registries[2]?.onChange('counter', (change) => heard.push(change))
    await registries[0]?.changes.announce(
      {
        kind: 'counter',
        action: 'reset',
        applicationId: subscribed.applicationId,
        detail: { bucket: 'one' },
      },
      { by },
    )
    await until('counter reset', () => heard.length > 0)
    t.match(heard, [{ applicationId: subscribed.applicationId, detail: { bucket: 'one' } }])
  })
}

t.test(
  'what another process commits to the embedded database is read without polling',
  async (t) => {
    const embedded = await startEmbeddedDatabase({ dataDir: await testDataDir(t, 'empty'), log })
    const { url, onTransaction } = embedded
    const database = openDatabase({ url, log, onTransaction })
    // As a command has one.
    const beside = openDatabase({ url, log })
    t.teardown(async () => {
      await beside.close()
      await database.close()
      await embedded.close()
    })
    const stores = await testStores(database)
    const feed = await openChangeFeed({
      changes: stores.changes,
      log,
      monotonicNow: () => 0,
      onTransaction: database.onTransaction,
      intervalMs: 3_600_000,
    })
    t.teardown(() => feed.close())
    const heard: string[] = []
    feed.onChange('counter', (change) => {
      if (change.action === 'reset') heard.push(change.detail.bucket)
    })
    const commands = await testStores(beside)
    for (let count = 1; count <= 20; count += 1) {
      await commands.changes.announce(resetOf(`bucket ${count}`), { by })
      // Sometimes while the feed reads, sometimes after it.
      if (count % 3 === 0) await until('each change so far was told', () => heard.length === count)
    }
    await until('all changes were told', () => heard.length === 20)
    t.same(
      heard,
      Array.from({ length: 20 }, (_, index) => `bucket ${index + 1}`),
    )
  },
)

t.test(
  'a change committed after a later one is not missed, and each is delivered once',
  { skip: postgresMissing() },
  async (t) => {
    const opened = await testPostgres(t)
    const stores = await testStores(opened.database)
    let reads = 0
    const feed = await openChangeFeed({
      changes: {
        prune: stores.changes.prune,
        async read(horizon) {
          const page = await stores.changes.read(horizon)
          reads += 1
          return page
        },
      },
      log,
      monotonicNow: () => 0,
      intervalMs: 10,
    })
    const moreReads = () => {
      const enough = reads + 5
      return until('five more reads have ended', () => reads >= enough)
    }
    t.teardown(() => feed.close())
    const heard: string[] = []
    feed.onChange('counter', (change) => heard.push(change.action))
    const db = opened.database.connect<PortalSchema>()
    const insert = (action: string, on: typeof db) =>
      sql`insert into changes (kind, action) values ('counter', ${action})`.execute(on)

    await db.transaction().execute(async (slow) => {
      await insert('slow', slow)
      await insert('fast', db)
      await until('a change was told', () => heard.length > 0)
      t.same(heard, ['fast'], 'the later one is there first')
      // While the earlier one is still open.
      await moreReads()
    })
    await until('a second change was told', () => heard.length > 1)
    await insert('last', db)
    await until('a third change was told', () => heard.length > 2)
    await moreReads()
    t.same(heard, ['fast', 'slow', 'last'])
  },
)

t.test(
  'an outage of the database is bridged, a longer one makes everything be looked up',
  { skip: postgresMissing() },
  async (t) => {
    const server = await startPostgres(t)
    const database = openDatabase({ url: server.url, log })
    t.teardown(() => database.close())
    const stores = await testStores(database)
    const clock = { offset: 0 }
    let reads = 0
    const feed = await openChangeFeed({
      changes: {
        prune: stores.changes.prune,
        async read(horizon): Promise<ChangePage> {
          const page = await stores.changes.read(horizon)
          reads += 1
          return { ...page, at: new Date(page.at.getTime() + clock.offset) }
        },
      },
      log,
      monotonicNow: () => clock.offset,
      intervalMs: 20,
    })
    t.teardown(() => feed.close())
    let lost = 0
    const heard: string[] = []
    feed.onLost(() => {
      lost += 1
    })
    feed.onChange('counter', (change) => heard.push(change.action))
    t.equal(feed.isUp(), true)
    await server.stop()
    // A read that the stop has not reached may still end after the clock has moved.
    await until('the feed is down', () => {
      clock.offset += 2_100
      return !feed.isUp()
    })
    t.ok(feed.ageSeconds() >= 2.1)
    await server.start()
    await stores.changes.announce(resetOf('one'), { by })
    await until('the change was told and the feed is up', () => heard.length === 1 && feed.isUp())
    t.equal(lost, 0)
    clock.offset += 1_800_001
    await until('the loss was told', () => lost === 1)
    const enough = reads + 5
    await until('five more reads have ended', () => reads >= enough)
    t.equal(lost, 1)
  },
)

t.test(
  'a standby that a pooler puts behind an open connection is an outage, not a source of changes',
  { skip: postgresMissing() },
  async (t) => {
    const server = await startPostgres(t)
    const standby = await startStandby(t, server)
    const database = openDatabase({ url: server.url, log })
    t.teardown(() => database.close())
    const stores = await testStores(database)
    await stores.changes.read(undefined)
    // Its connections are not verified, as an open one is not.
    const pool = new Pool({ connectionString: standby.url })
    pool.on('error', () => undefined)
    t.teardown(() => pool.end())
    const db = new Kysely<PortalSchema>({ dialect: new PostgresDialect({ pool }) })
    const read = (horizon: string | undefined) =>
      createChangeTable({ db })
        .read(horizon)
        .catch((error: unknown) => error)
    await until('the tables exist', async () => !/does not exist/.test(String(await read('0'))))
    for (const horizon of [undefined, '0']) {
      const error = await read(horizon)
      t.match(error, { code: '25006' }, 'for which a connection and its server are given up')
      t.ok(isOutage(error))
    }
  },
)

t.test(
  'a call waits a second for a key that the database is slow to find, or as long as its process is configured to',
  { skip: postgresMissing() },
  async (t) => {
    const server = await startPostgres(t)
    const open = async (answerMs?: number) => {
      const database = openDatabase({ url: server.url, log })
      const registry = await openRegistry({
        database,
        log,
        ...limits,
        ...(answerMs !== undefined && { answerMs }),
      })
      t.teardown(async () => {
        await registry.close()
        await database.close()
      })
      return registry
    }
    const [impatient, patient] = [await open(), await open(3_600_000)]
    const locker = openDatabase({ url: server.url, log })
    t.teardown(() => locker.close())
    const { application } = await testApplication(await testStores(locker))
    const { id, key } = await impatient.keys.issue({ applicationId: application.id, by })
    const { found } = await locker
      .connect<PortalSchema>()
      .transaction()
      .execute(async (trx) => {
        await sql`lock table api_keys in access exclusive mode`.execute(trx)
        const found = ask(patient, key)
        t.equal(await ask(impatient, key), 'unreachable')
        return { found }
      })
    t.match(await found, { keyId: id })
  },
)

t.test(
  'changes that cannot be read for seconds keep one connection busy, not the pool',
  { skip: postgresMissing() },
  async (t) => {
    const server = await startPostgres(t)
    const locker = openDatabase({ url: server.url, log })
    const observer = locker.connect()
    const database = openDatabase({ url: server.url, log, connectionsMax: 3 })
    let failures = 0
    const counting = pino(
      { level: 'warn' },
      {
        write() {
          failures += 1
        },
      },
    )
    const registry = await openRegistry({ database, log: counting, ...limits, answerMs: 200 })
    database.endStartup()
    t.teardown(async () => {
      await registry.close()
      await database.close()
      await locker.close()
    })
    await locker
      .connect<PortalSchema>()
      .transaction()
      .execute(async (trx) => {
        await sql`lock table changes in access exclusive mode`.execute(trx)
        await until('a read has failed', () => failures > 0)
        const reads = new Set<string>()
        await until('a third read waits', async () => {
          const { rows } = await sql<{ read: string }>`
            select pid || ' ' || query_start as read from pg_stat_activity
            where wait_event_type = 'Lock' and pid <> pg_backend_pid()`.execute(observer)
          for (const { read } of rows) reads.add(read)
          return reads.size >= 3
        })
        const db = database.connect()
        await until('two connections are free at the same time', async () => {
          const bothAreIn = Promise.withResolvers<void>()
          let within = 0
          const enter = () =>
            db.transaction().execute(() => {
              within += 1
              if (within === 2) bothAreIn.resolve()
              return bothAreIn.promise
            })
          // One that waits in vain for a connection lets the other one go.
          const entered = [enter(), enter()].map((each) => each.finally(bothAreIn.resolve))
          await Promise.all(entered)
          return true
        })
      })
    await until('and they are read again', () => registry.isUp())
  },
)

t.test('a database put back from a backup makes everything be looked up', async (t) => {
  const pages = ['100', '101', '7', '8', '9']
  let reads = 0
  const feed = await openChangeFeed({
    changes: {
      prune: async () => {},
      read: async () => ({
        horizon: pages[Math.min(reads++, pages.length - 1)] ?? '9',
        at: new Date(),
        server: 'one',
        changes: [],
      }),
    },
    log,
    monotonicNow: () => 0,
    intervalMs: 1,
  })
  t.teardown(() => feed.close())
  let lost = 0
  feed.onLost(() => {
    lost += 1
  })
  await until('seven reads have begun', () => reads > 6)
  t.equal(lost, 1)
})

/**
 * Follows the pages, after some without a change; an error is a read that fails.
 * @returns what the listeners received, as kind and action
 */
async function hear(t: Test, later: readonly (ChangePage | Error)[]): Promise<string[]> {
  const pages = [...Array.from({ length: 4 }, () => pageOf('one', [])), ...later]
  let reads = 0
  const feed = await openChangeFeed({
    changes: {
      prune: async () => {},
      async read(): Promise<ChangePage> {
        const page = pages[Math.min(reads++, pages.length - 1)]
        if (page === undefined || page instanceof Error) throw page ?? new Error('no page')
        return page
      },
    },
    log,
    monotonicNow: () => 0,
    intervalMs: 1,
  })
  t.teardown(() => feed.close())
  const heard: string[] = []
  for (const kind of ['key', 'counter', 'configuration'] as const) {
    feed.onChange(kind, ({ action }) => heard.push(`${kind} ${action}`))
  }
  await until('the last page was read twice more', () => reads > pages.length + 2)
  return heard
}

const beganAt = Date.UTC(2026, 0, 1)

const key = { kind: 'key', applicationId: 'a', keyId: 'k', detail: {} } as const
const samples = {
  issue: { ...key, action: 'issue' },
  revoke: { ...key, action: 'revoke' },
  reset: resetOf('one'),
  prove: { kind: 'counter', action: 'prove', detail: { proof: 'p' } },
  reload: { kind: 'configuration', action: 'reload', detail: { by } },
  log: { kind: 'configuration', action: 'log', detail: {} },
} as const satisfies Readonly<Record<string, Change>>

function kept(sample: keyof typeof samples, id: number, madeAt = beganAt): KeptChange {
  return { ...samples[sample], id, xid: '1', madeAt }
}

function pageOf(server: string, changes: readonly KeptChange[]): ChangePage {
  return { horizon: '100', at: new Date(beganAt), server, changes: [...changes] }
}

t.test(
  'when another server answers, all its changes are delivered again, but no reload twice and no momentary request',
  async (t) => {
    const before = [kept('issue', 1), kept('reload', 2)]
    const after = [
      kept('reload', -1, beganAt - 600_000),
      // The clock of the new server is behind.
      kept('revoke', 0, beganAt - 600_000),
      ...before,
      // In place of one that the failover lost, with its number.
      kept('reload', 3, beganAt + 5),
      kept('reset', 4),
      kept('prove', 5),
      kept('log', 6),
    ]
    const lost = kept('reload', 3)
    const heard = await hear(t, [
      pageOf('one', [...before, lost]),
      ...Array.from({ length: 3 }, () => pageOf('two', after)),
    ])
    t.same(heard.splice(0, 3), ['key issue', 'configuration reload', 'configuration reload'])
    t.same(heard, ['key revoke', 'key issue', 'configuration reload', 'counter reset'])
  },
)

t.test(
  'after a read that failed, the changes of the last minute before it are delivered again, because a server that crashed gives numbers again',
  async (t) => {
    const older = kept('issue', 1, beganAt - 60_001)
    const reload = kept('reload', 2)
    const reused = kept('revoke', 3)
    const heard = await hear(t, [
      pageOf('one', [older, reload]),
      new Error('the server ends its connections'),
      // Its number is below those that were read.
      pageOf('one', [older, reload]),
      ...Array.from({ length: 2 }, () => pageOf('one', [older, reload, reused])),
    ])
    t.same(heard, ['key issue', 'configuration reload', 'key revoke'])
  },
)

t.test('a momentary request between the two reads after an outage is reported once', async (t) => {
  const issued = kept('issue', 1)
  const asked = { ...kept('prove', 2), xid: '100' }
  const heard = await hear(t, [
    pageOf('one', [issued]),
    new Error('the server ends its connections'),
    pageOf('one', [issued]),
    ...Array.from({ length: 2 }, () => pageOf('one', [issued, asked])),
  ])
  t.same(heard, ['key issue', 'key issue', 'counter prove'])
})

t.test('changes older than an hour are deleted, younger ones stay', async (t) => {
  const { database } = await testDatabase(t)
  const stores = await testStores(database)
  const before = await stores.changes.read(undefined)
  await stores.changes.announce(resetOf('old'), { by })
  await stores.changes.announce(resetOf('young'), { by })
  const db = database.connect<PortalSchema>()
  await sql`update changes set created_at = now() - interval '61 minutes' where detail->>'bucket' = 'old'`.execute(
    db,
  )
  await stores.changes.prune(3600)
  const { changes } = await stores.changes.read(before.horizon)
  t.same(
    changes.map((change) => change.action === 'reset' && change.detail.bucket),
    ['young'],
  )
})

t.test('the last use of a key is written to the minute and never goes back', async (t) => {
  const { database } = await testDatabase(t)
  const stores = await testStores(database)
  const { application } = await testApplication(stores)
  const { id } = await stores.keys.issue({ applicationId: application.id, by })
  const db = database.connect<PortalSchema>()
  const at = Date.now()
  for (const [noted, expected] of [
    [at, at],
    [at - 300_000, at],
    [at + 60_000, at + 60_000],
  ] as const) {
    const lastUsed = createLastUsed({ db, of: 'api_keys', log })
    lastUsed.note(id, noted)
    lastUsed.note('unknown00000', noted)
    await lastUsed.close()
    t.equal((await stores.keys.find(id))?.lastUsedAt?.getTime(), expected)
  }
})
