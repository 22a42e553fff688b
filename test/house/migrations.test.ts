import { readFileSync } from 'node:fs'
import { DummyDriver, Kysely } from 'kysely'
import t from 'tap'
import { bankMigrations } from '../../src/backend/stores/migrations/index.ts'
import type { SchemaMigration } from '../../src/platform/database/schema-migration.ts'
import { registryMigrations } from '../../src/registry/migrations/index.ts'
import { disturbances } from '../support/disturbances.ts'
import { dialectOver } from '../support/driver-dialect.ts'

/** The statements of a migration, on a database that has no rows. */
async function statementsOf({ up }: SchemaMigration): Promise<string[]> {
  const queries: string[] = []
  const db = new Kysely<unknown>({
    dialect: dialectOver(new DummyDriver()),
    log: ({ query }) => void queries.push(query.sql),
  })
  await up(db)
  return queries
}

for (const [schema, all] of [
  ['registry', registryMigrations],
  ['bank', bankMigrations],
] as const) {
  const migrations: readonly [string, SchemaMigration][] = Object.entries(all)
  t.test(`${schema}: processes of the release before work on after every migration`, async (t) => {
    // The first one creates the tables.
    for (const [name, migration] of migrations.slice(1)) {
      if (migration.oldestRelease ?? migration.expandsBecause) continue
      t.same(
        disturbances(await statementsOf(migration)),
        [],
        `${name} only expands; else it declares oldestRelease or expandsBecause`,
      )
    }
  })

  t.test(`${schema}: no two migrations have the same number`, async (t) => {
    const numbers = migrations.map(([name]) => name.slice(0, 4))
    t.equal(new Set(numbers).size, numbers.length)
  })
}

t.test('a statement that could disturb an older release is noticed', async (t) => {
  for (const statement of [
    'drop table keys',
    'alter table keys drop column hint',
    'alter table keys rename column hint to clue',
    'alter table keys rename to api_keys',
    'alter table keys alter column hint type int using 1',
    'alter table keys alter column hint set not null',
    'alter table keys alter hint drop default',
    'alter table keys add column owner uuid not null',
    'alter table keys add column a text, add owner uuid not null references owners',
    "alter table keys drop constraint a_check, add constraint a_check check (a in ('b', 'c'))",
    'create unique index one_each on keys (owner)',
    "update keys set hint = ''",
    'delete from keys',
    'truncate keys',
    'do $$ begin execute 1; end $$',
    'create trigger x before insert on keys execute function y()',
    'create table new (a int); drop table keys',
    "-- The key's owner.\ndrop table keys;\n-- A developer's keys.",
  ]) {
    t.equal(disturbances([statement]).length, 1, statement)
  }
  t.same(
    disturbances([
      'create table new (id int primary key, name text not null)',
      'create unique index new_name on new (name)',
      'alter table new add column owner uuid not null, drop column name',
      "insert into new values (1, 'drop table keys')",
      'update new set id = 2',
      "alter table keys add column a bigint[] not null default '{}', add column b text check (b <> '')",
      'alter table keys add column c int not null generated always as (1) stored',
      'create index keys_hint on keys (hint)',
      "comment on table keys is 'update keys'",
    ]),
    [],
  )
})

/** Tables that only the portal and commands use. */
const ofThePortal = new Set([
  'accepted_terms',
  'deprecation_mails',
  'expiry_alerts',
  'factor_challenges',
  'key_digests',
  'limit_alert_mails',
  'limit_alerts',
  'limit_requests',
  'mail_tokens',
  'mails',
  'maintenance_windows',
  'passkeys',
  'recovery_codes',
  'sessions',
  'staff',
  'totp_secrets',
  'webhook_deliveries',
  'webhooks',
])

t.test('rights.sql says of each table of the registry what the gateway may do', async (t) => {
  const rights = readFileSync('src/registry/migrations/rights.sql', 'utf8')
  const toGateway = [...rights.matchAll(/^grant ([^;]*) to tollgate_gateway;/gm)].join()
  const created = (await Promise.all(Object.values(registryMigrations).map(statementsOf))).flat()
  const tables = [...created.join('\n').matchAll(/^create table (\w+)/gm)].map(
    ([, name = '']) => name,
  )
  t.ok(tables.length > 40, `${tables.length} tables`)
  t.same(
    tables.filter((name) => new RegExp(`\\b${name}\\b`).test(toGateway) === ofThePortal.has(name)),
    [],
    'a grant to tollgate_gateway, or a line in this list',
  )
})
