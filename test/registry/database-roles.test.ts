import { spawnSync } from 'node:child_process'
import { sql } from 'kysely'
import t from 'tap'
import { openDatabase } from '../../src/platform/database/database.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { openStores } from '../../src/portal/stores/stores.ts'
import {
  consolidateOutages,
  pruneAvailability,
} from '../../src/registry/availability/consolidate.ts'
import { createChangeTable } from '../../src/registry/feed/change-table.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { pruneAged } from '../../src/registry/usage/prune-records.ts'
import { pruneUsage } from '../../src/registry/usage/prune-usage.ts'
import { tollgate } from '../support/cli.ts'
import { administer, postgresMissing, startPostgres, testPostgres } from '../support/database.ts'
import { createDatabaseRoles } from '../support/database-roles.ts'
import { testApplication, testPeppers, testStores } from '../support/registry.ts'

t.test(
  'each database role has the rights that its process needs, and no more',
  { skip: postgresMissing() },
  async (t) => {
    const opened = await testPostgres(t)
    const as = (role: string) => opened.url.replace('postgres@', `tollgate_${role}@`)
    createDatabaseRoles(opened.url, (role) => role)
    const migrated = await tollgate({ DATABASE_URL: as('owner') }, 'migrate', '--grant')
    t.equal(migrated.code, 0, migrated.stderr)
    t.match(await tollgate({ DATABASE_URL: as('serving') }, 'migrate', '--grant'), {
      code: 1,
      stderr: 'does not own the table registry_migrations; use its owner, tollgate_owner',
    })
    t.match(await tollgate({}, 'migrate', '--grant'), { code: 1, stderr: 'needs DATABASE_URL' })
    const nowhere = { DATABASE_URL: 'postgres://tollgate_owner@127.0.0.1:1/tollgate' }
    t.match(await tollgate(nowhere, 'migrate', '--grant'), {
      code: 1,
      stderr: 'the database cannot be reached (DATABASE_URL',
    })

    const later = `insert into registry_migrations (name, release) values ('9999-later', '9.0.0')`
    await sql.raw(later).execute(opened.database.connect())
    t.match(await tollgate({ DATABASE_URL: as('owner') }, 'migrate', '--grant'), {
      code: 0,
      stdout:
        'Nothing to migrate. The rights stay as a newer release set them, which ran 9999-later (9.0.0).',
    })
    await sql`delete from registry_migrations where name = '9999-later'`.execute(
      opened.database.connect(),
    )

    const log = createLog('silent')
    function connect(role: string) {
      const database = openDatabase({ url: as(role), log })
      t.teardown(() => database.close())
      return database
    }

    t.test(
      'the gateway deletes what is old, seals the audit and notes what it publishes',
      async (t) => {
        const stores = await testStores(connect('portal'))
        const { application } = await testApplication(stores)
        await stores.keys.issue({ applicationId: application.id, by: 'test' })
        const database = connect('gateway')
        const own = await openStores({
          database,
          peppers: testPeppers,
          keyMaxDays: 1,
          keysPerApplication: 10,
          applicationsPerDeveloper: 10,
        })
        const db = database.connect<RegistrySchema>()
        await own.keyPeppers.findMissing(testPeppers)
        t.equal(await own.keys.limitLives(), 1)
        await own.keys.prune()
        await own.audit.erasePersonal(1)
        await own.securityEvents.prune(1)
        await own.auditChain.seal()
        await pruneUsage(db)
        await pruneAged(db)
        await consolidateOutages(db)
        await pruneAvailability(db)
        await createChangeTable({ db }).prune(1)
        const configuration = { digest: 'x', versions: new Map(), plans: new Map() }
        await own.publishedConfigurations.published(configuration)
        await own.publishedConfigurations.used(configuration)
        t.match(await stores.publishedConfigurations.inUse(), { readable: [{ isRunning: true }] })

        await stores.applications.delete({ id: application.id, by: 'test' })
        const deleted = await own.deletedApplications.claim(60)
        t.equal(deleted?.applicationId, application.id)
        if (deleted === undefined) return
        await own.deletedApplications.postpone(application.id, 60)
        await own.deletedApplications.told(deleted, { consents: '0' })
        await own.deletedApplications.told({ ...deleted, isLast: true }, undefined)
        await own.auditChain.seal()
        t.match(await own.auditChain.verify(), { faults: [], waiting: 0 })
      },
    )

    t.test('no role that serves deletes a security event before its time', async (t) => {
      const db = connect('serving').connect<RegistrySchema>()
      await sql`insert into security_events (at, event) values
        (now(), 'new'), (now() - interval '89 days', 'young'), (now() - interval '91 days', 'old')`.execute(
        db,
      )
      for (const role of ['gateway', 'portal', 'serving']) {
        await sql`delete from security_events where event <> 'old'`.execute(connect(role).connect())
      }
      const left = () => db.selectFrom('security_events').select('event').orderBy('at').execute()
      t.same(
        (await left()).map(({ event }) => event),
        ['old', 'young', 'new'],
      )
      const stores = await testStores(connect('gateway'))
      await stores.securityEvents.prune(90)
      t.same(
        (await left()).map(({ event }) => event),
        ['young', 'new'],
      )
    })

    const everywhere = [
      'create table x (y text)',
      'create table bank.x (y text)',
      'create schema x',
      'drop table audit',
      'truncate audit',
      'delete from audit',
      "update audit set actor = 'x'",
      'delete from audit_links',
      'delete from staff',
      'insert into audit_checkpoints default values',
      "update security_events set reason = 'x'",
      'truncate security_events',
      'alter table security_events disable row level security',
      'set role tollgate_owner',
    ]
    const forbidden: Readonly<Record<string, readonly string[]>> = {
      gateway: [
        'select password_hash from developers',
        "update developers set email = 'x'",
        ...['sessions', 'mails', 'mail_tokens', 'totp_secrets', 'passkeys', 'recovery_codes'].map(
          (table) => `select from ${table}`,
        ),
        'insert into api_keys default values',
        'update api_keys set revoked_at = null',
        'update api_keys set application_id = gen_random_uuid()',
        'insert into applications default values',
        'insert into deleted_applications default values',
        "update applications set name = 'x'",
        'insert into subscriptions default values',
        'insert into limit_overrides default values',
        'insert into certificates default values',
        'delete from blocked_certificates',
        'select from maintenance_windows',
        'select from bank.consents',
      ],
      portal: [
        'select from bank.consents',
        'select from bank.accounts',
        'select from bank_migrations',
        'delete from registry_migrations',
      ],
      bank: [
        ...['developers', 'applications', 'api_keys', 'audit', 'sessions', 'portal_state'].map(
          (table) => `select from ${table}`,
        ),
        'delete from bank_migrations',
        'select from registry_migrations',
      ],
      serving: ['delete from registry_migrations', 'delete from bank_migrations'],
    }
    for (const [role, statements] of Object.entries(forbidden)) {
      t.test(`${role}: what it must not do`, async (t) => {
        const db = connect(role).connect()
        for (const statement of [...everywhere, ...statements]) {
          await t.rejects(sql.raw(statement).execute(db), { code: '42501' }, statement)
        }
      })
    }
  },
)

t.test(
  'roles.sql keeps passwords out of the log of PostgreSQL, and its roles may connect where public may not',
  { skip: postgresMissing() },
  async (t) => {
    const server = await startPostgres(t)
    for (const setting of [
      'logging_collector = on',
      "log_statement = 'all'",
      'log_min_duration_statement = 0',
    ]) {
      await administer(server.url, `alter system set ${setting}`)
    }
    await server.shutDown()
    await server.start()
    await administer(server.url, 'revoke connect on database postgres from public')
    createDatabaseRoles(server.url, (role) => `password-of-${role}`)
    const { log } = await administer(server.url, 'select pg_read_file(pg_current_logfile()) as log')
    t.match(log, /statement: revoke connect/, 'the server logs statements')
    t.notMatch(log, /password-of-/)
    for (const role of ['owner', 'gateway', 'portal', 'bank', 'serving']) {
      await administer(server.url.replace('postgres@', `tollgate_${role}@`), 'select 1')
    }
  },
)

t.test(
  'roles.sql refuses to run without a password, and names the settings',
  { skip: postgresMissing() },
  async (t) => {
    const { url } = await startPostgres(t)
    const folder = t.testdir({
      good: 'postgres://tollgate_owner:0a-B_@db.internal:5432/tollgate',
      encoded: 'postgres://tollgate_owner:a%40b@db.internal:5432/tollgate',
    })
    const names = ['OWNER', 'GATEWAY', 'PORTAL', 'BANK', 'SERVING']
    const run = (script: string, suffix: string, value: string, last: string | undefined) =>
      spawnSync('psql', ['-q', '-f', `deploy/postgres/${script}`, url], {
        env: {
          ...process.env,
          ...Object.fromEntries(names.map((name) => [`${name}_${suffix}`, value])),
          [`SERVING_${suffix}`]: last,
        },
        encoding: 'utf8',
      })
    const refused = { status: 3, stderr: /a password is missing: set OWNER_PASSWORD/ }
    t.match(run('roles.sql', 'PASSWORD', 'secret', undefined), refused, 'not set')
    t.match(run('roles.sql', 'PASSWORD', 'secret', ''), refused, 'empty')
    const good = `${folder}/good`
    t.match(run('roles-from-urls.sql', 'URL_FILE', good, `${folder}/encoded`), refused)
    t.match(await administer(url, "select from pg_roles where rolname like 'tollgate%'"), {})
    t.match(run('roles-from-urls.sql', 'URL_FILE', good, good), { status: 0, stderr: '' })
  },
)

t.test(
  'an administrator who is not a superuser may run roles.sql, and is warned about the log',
  { skip: postgresMissing() },
  async (t) => {
    const { url } = await startPostgres(t)
    await administer(url, 'create role admin login createrole createdb')
    await administer(url, 'alter database postgres owner to admin')
    const names = ['OWNER', 'GATEWAY', 'PORTAL', 'BANK', 'SERVING']
    const passwords = Object.fromEntries(names.map((name) => [`${name}_PASSWORD`, 'secret']))
    const asAdmin = url.replace('postgres@', 'admin@')
    const run = () =>
      spawnSync('psql', ['-q', '-f', 'deploy/postgres/roles.sql', asAdmin], {
        env: { ...process.env, ...passwords },
        encoding: 'utf8',
      })
    for (const time of ['first', 'second']) {
      t.match(run(), { status: 0, stderr: /^This role is not a superuser[^\n]*\n$/ }, time)
    }
  },
)
