import { sql } from 'kysely'
import { pino } from 'pino'
import t from 'tap'
import { openDatabase } from '../../src/platform/database/database.ts'
import { type MigrateOptions, migrate, readSchema } from '../../src/platform/database/migrate.ts'
import type {
  SchemaMigration,
  SchemaMigrations,
} from '../../src/platform/database/schema-migration.ts'
import { isOlder } from '../../src/platform/database/schema-state.ts'
import { postgresMissing, testEmbedded, testPostgres } from '../support/database.ts'
import { until } from '../support/until.ts'

function creating(table: string): SchemaMigration {
  return { up: async (db) => void (await sql.raw(`create table ${table} (n int)`).execute(db)) }
}

const first = { '0001-first': creating('one') }
const second = { ...first, '0024-second': creating('two') }
const third = { ...second, '0030-third': { ...creating('three'), oldestRelease: '0.3.0' } }

function as(release: string, migrations: SchemaMigrations): MigrateOptions {
  return { name: 'registry', release, migrations }
}

t.test(
  'an older release starts on the tables of a newer one that only expanded them',
  async (t) => {
    const { database } = await testEmbedded(t, 'empty')
    t.same(await migrate(database, as('0.2.0', first)), ['0001-first'])
    t.same(await migrate(database, as('0.3.0', second)), ['0024-second'])
    t.same(await migrate(database, as('0.2.0', first)), [])
    t.match(await readSchema(database, as('0.2.0', first)), {
      pending: [],
      newer: [{ name: '0024-second', release: '0.3.0', oldestRelease: undefined }],
      unfit: [],
    })
    t.same(await migrate(database, as('0.3.0', second)), [], 'and each migration runs once')
  },
)

t.test('tables that Tollgate did not create stay as they are, and the error says so', async (t) => {
  const { database } = await testEmbedded(t, 'empty')
  await database.apart((db) => sql`create table two (mine text)`.execute(db))
  await t.rejects(migrate(database, as('0.2.0', second)), {
    name: 'SchemaError',
    message:
      'the database has tables, but no history that says that Tollgate created those of the registry: it belongs to another program, or to a Tollgate from before release 0.2.0. Use an empty database',
  })
  const { rows } = await sql`select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'`.execute(database.connect())
  t.same(rows, [{ relname: 'two' }], 'nothing was created')

  await migrate(database, as('0.2.0', first))
  await t.rejects(
    migrate(database, as('0.3.0', second)),
    { message: 'migration 0024-second failed' },
    'a later migration that finds a table is named',
  )
})

t.test('a release that the tables no longer suit does not start and says what to do', async (t) => {
  const { database } = await testEmbedded(t, 'empty')
  await migrate(database, as('0.2.0', second))
  t.match(await readSchema(database, as('0.4.0', third)), { pending: ['0030-third'] })
  await migrate(database, as('0.4.0', third))
  await t.rejects(migrate(database, as('0.2.0', second)), {
    name: 'SchemaError',
    message:
      "release 0.4.0 changed the registry's tables (0030-third), and this release, 0.2.0, does not work on them: start release 0.3.0 or newer, or restore the backup from before the upgrade (docs/upgrade.md)",
  })
  t.same(await migrate(database, as('0.3.0', second)), [], 'the oldest release that suits them')
  t.same(await migrate(database, as('0.10.0', third)), [])
})

t.test('with MIGRATE_ON_START=off, a process on older tables does not start', async (t) => {
  const { database } = await testEmbedded(t, 'empty')
  await migrate(database, as('0.1.0', first))
  await t.rejects(migrate(database, { ...as('0.2.0', second), migrateOnStart: false }), {
    name: 'SchemaError',
    message:
      "the registry's tables are older than release 0.2.0 (0024-second has not run), and MIGRATE_ON_START is off: run `tollgate migrate`, with --grant if each service has its own database role, then start again (docs/upgrade.md)",
  })
  await migrate(database, as('0.2.0', second))
  t.same(await migrate(database, { ...as('0.2.0', second), migrateOnStart: false }), [])
})

t.test(
  'a migration that waits for a table does not block its users',
  { skip: postgresMissing() },
  async (t) => {
    const opened = await testPostgres(t)
    const { database, url } = opened
    await migrate(database, as('0.1.0', first))
    const other = openDatabase({ url, log: pino({ level: 'silent' }) })
    t.teardown(() => other.close())
    const db = other.connect<unknown>()
    const lockTimeouts: number[] = []
    const widening: SchemaMigration = {
      async up(kysely) {
        const { rows } = await sql<{ ms: string }>`
          select setting as ms from pg_settings where name = 'lock_timeout'`.execute(kysely)
        lockTimeouts.push(...rows.map(({ ms }) => Number(ms)))
        await sql`alter table one add column extra text not null default ''`.execute(kysely)
      },
    }
    let hasEnded = false
    let migrating: Promise<string[]> | undefined
    await db.transaction().execute(async (trx) => {
      // A report that takes long.
      await sql`select * from one`.execute(trx)
      migrating = migrate(database, as('0.2.0', { ...first, '0024-wide': widening }))
      migrating.finally(() => (hasEnded = true)).catch(() => undefined)
      for (const attempts of [1, 2]) {
        await until('the migration waits for the table', async () => {
          const { rows } = await sql`
            select from pg_locks where not granted and relation = 'one'::regclass`.execute(db)
          return rows.length === 1 && lockTimeouts.length >= attempts
        })
        // Behind the migration, whose attempt ends although the report goes on.
        await t.resolves(sql`select * from one`.execute(db), 'a call reads the table')
      }
      t.notOk(hasEnded)
    })
    t.same(await migrating, ['0024-wide'])
    t.same(
      lockTimeouts.filter((ms) => ms === 0 || ms >= 1000),
      [],
      'an attempt takes less than the second in which a gateway gives a call up',
    )
  },
)

t.test('releases are ordered as Semantic Versioning orders them', async (t) => {
  const ordered = [
    '0.9.2',
    '0.10.0-alpha',
    '0.10.0-alpha.1',
    '0.10.0-alpha.beta',
    '0.10.0-beta.2',
    '0.10.0-beta.11',
    '0.10.0-rc-1.1',
    '0.10.0',
    '0.10.1',
    '1.0.0-rc.1',
    '1.0.0',
    '10.0.0',
  ]
  t.same(
    ordered.toReversed().toSorted((a, b) => (isOlder(a, b) ? -1 : isOlder(b, a) ? 1 : 0)),
    ordered,
  )
  t.notOk(isOlder('1.0.0+1', '1.0.0+2') || isOlder('1.0.0+2', '1.0.0+1'), 'a build is no order')
})
