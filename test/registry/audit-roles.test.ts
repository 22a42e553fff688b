import { generateKeyPairSync } from 'node:crypto'
import { sql } from 'kysely'
import { pino } from 'pino'
import t from 'tap'
import { warnOfAuditRole } from '../../src/compose/warn-of-audit-role.ts'
import { openDatabase } from '../../src/platform/database/database.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { readSettings } from '../../src/platform/settings/settings.ts'
import { withAuditContext } from '../../src/registry/audit/audit-context.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { tollgate } from '../support/cli.ts'
import { postgresMissing, testPostgres } from '../support/database.ts'
import { createDatabaseRoles } from '../support/database-roles.ts'
import { testApplication, testStores } from '../support/registry.ts'
import { runTollgate } from '../support/tollgate.ts'

const pepper = 'a-pepper-for-tests-and-nothing-else'

t.test(
  'the role that serves adds to the audit log and cannot change it; the owner removes old entries',
  { skip: postgresMissing() },
  async (t) => {
    const opened = await testPostgres(t)
    const { url } = opened
    const as = (role: string) => url.replace('postgres@', `${role}@`)
    createDatabaseRoles(url, (role) => role)
    const [owner, serving] = [as('tollgate_owner'), as('tollgate_serving')]
    const grantRights = async () => {
      const env = { DATABASE_URL: owner, SECURITY_EVENT_DAYS: '7' }
      const done = await tollgate(env, 'migrate', '--grant', '--json')
      t.equal(done.code, 0, done.stderr)
      return JSON.parse(done.stdout)
    }
    const first = await grantRights()
    t.ok(first.applied.length >= 2 && first.granted, 'tables of registry and bank')

    const database = openDatabase({ url: serving, log: createLog('silent') })
    t.teardown(() => database.close())
    const stores = await testStores(database)
    const db = database.connect<RegistrySchema>()
    await sql`
      with entry as (
        insert into audit (at, actor, action, subject)
        values (now() - interval '2 days', 'system', 'developer.create', 'developer:1') returning id
      ) insert into audit_waiting select id from entry`.execute(db)
    await testApplication(stores)
    await stores.auditChain.seal()
    t.match(await stores.auditChain.verify(), { faults: [], waiting: 0, links: 3 })

    const warnings = async (as: string, days = '7') => {
      const lines: string[] = []
      const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
      const opened = openDatabase({ url: as, log })
      await warnOfAuditRole({
        settings: readSettings({ DATABASE_URL: as, SECURITY_EVENT_DAYS: days }),
        database: opened,
        log,
      })
      await opened.close()
      return lines.join('')
    }
    t.equal(await warnings(serving), '')
    t.match(
      await warnings(serving, '400'),
      /SECURITY_EVENT_DAYS is 400, but PostgreSQL .* for 7 days/,
    )
    t.match(await warnings(owner), /may change the audit/)
    await sql`alter table security_events disable row level security`.execute(
      opened.database.connect(),
    )
    t.match(await warnings(serving), /or security events/, 'rights that someone changed')
    t.same(await grantRights(), { applied: [], granted: true })

    for (const table of ['audit', 'audit_links', 'audit_checkpoints', 'staff']) {
      const column = { audit: 'actor', staff: 'name' }[table] ?? 'position'
      for (const statement of [
        `update ${table} set ${column} = ${column}`,
        `delete from ${table}`,
        `truncate ${table}`,
        `alter table ${table} add column x text`,
        `drop table ${table}`,
        `create trigger x before insert on ${table} execute function suppress_redundant_updates_trigger()`,
      ]) {
        await t.rejects(sql.raw(statement).execute(db), { code: '42501' }, statement)
      }
    }
    await t.rejects(sql`create table x (y text)`.execute(db), { code: '42501' })

    await t.test('nor can it remove traces of the last days', async (t) => {
      const nothing = { actor: null, subject: null, keyId: null, address: null, agent: null }
      const event = { ...nothing, reason: null, requestId: null, detail: {} }
      const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
      await stores.securityEvents.write(
        [6, 8].map((days) => ({ ...event, event: 'key.refused', at: daysAgo(days) })),
      )
      await withAuditContext({ requestId: 'c5f1', personal: { agent: 'Browser' } }, () =>
        stores.developers.create({ email: 'trace@example.com', name: 'T', by: 'system' }),
      )
      for (const table of ['security_events', 'audit_personal']) {
        const change = sql`update ${sql.table(table)} set at = now() - interval '9 days'`
        await t.rejects(change.execute(db), { code: '42501' })
      }
      const ages = async (table: string) => {
        const { rows } = await sql<{ days: number }>`
          select extract(days from now() - at)::int as days from ${sql.table(table)} order by at`.execute(
          db,
        )
        return rows.map(({ days }) => days)
      }
      await sql`delete from security_events`.execute(db)
      await sql`delete from audit_personal`.execute(db)
      await stores.securityEvents.prune(1)
      t.same(await ages('security_events'), [6])
      t.same(await ages('audit_personal'), [0])

      const ownDatabase = openDatabase({ url: owner, log: createLog('silent') })
      t.teardown(() => ownDatabase.close())
      await sql`update audit_personal set at = now() - interval '8 days'`.execute(
        ownDatabase.connect(),
      )
      await stores.audit.erasePersonal(7)
      t.same(await ages('audit_personal'), [], 'what is old enough goes')
      await stores.auditChain.seal()
    })

    const { urls } = await runTollgate(t, {
      env: {
        DATABASE_URL: serving,
        KEY_PEPPER: pepper,
        SESSION_SECRET: 's'.repeat(32),
        IDENTITY_PRIVATE_KEY: generateKeyPairSync('ed25519')
          .privateKey.export({ type: 'pkcs8', format: 'pem' })
          .toString(),
        DRAIN_SECONDS: '0',
      },
    })
    t.equal((await fetch(`${urls.portal}/api/apis`)).status, 200, 'everything serves with it')

    const prune = (as: string) =>
      tollgate({ KEY_PEPPER: pepper, DATABASE_URL: as }, 'audit', 'prune', '--keep', '1', '--json')
    const forbidden = await prune(serving)
    t.match(forbidden, { code: 1, stderr: /use the role that owns the tables/ })
    t.match(await stores.auditChain.verify(), { faults: [], links: 4 }, 'nothing is gone')
    const pruned = await prune(owner)
    t.match(pruned, { code: 0, stdout: /"removed":1,/ }, pruned.stderr)
    await stores.developers.create({ email: 'later@example.com', name: 'L', by: 'system' })
    await stores.auditChain.seal()
    t.match(await stores.auditChain.verify(), { faults: [], removedTo: 1 })
  },
)
