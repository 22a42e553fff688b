import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import t from 'tap'
import { bankMigrations } from '../../src/backend/stores/migrations/index.ts'
import { type Database, openDatabase } from '../../src/platform/database/database.ts'
import { migrate } from '../../src/platform/database/migrate.ts'
import { importRows } from '../../src/platform/database/move/import-rows.ts'
import type { SchemaMigration } from '../../src/platform/database/schema-migration.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { registryMigrations } from '../../src/registry/migrations/index.ts'
import { tollgate, tollgateOnTerminal } from '../support/cli.ts'
import { postgresMissing, testDatabase, testPostgres } from '../support/database.ts'
import { configDir as publishedConfig } from '../support/published-catalogue.ts'
import { testApplication, testStores } from '../support/registry.ts'

const secrets = {
  KEY_PEPPER: 'a-pepper-for-tests-and-nothing-else',
  SESSION_SECRET: 'a-session-secret-for-tests-and-nothing-else',
}
const folder = mkdtempSync(join(tmpdir(), 'tg-move-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a command with --json that must succeed, and reads its result. */
async function json(env: Readonly<Record<string, string>>, ...args: string[]) {
  const outcome = await tollgate(env, ...args, '--json')
  if (outcome.code !== 0) throw new Error(`${args.join(' ')}: ${outcome.stderr}`)
  return JSON.parse(outcome.stdout)
}

const source = await testDatabase(t)
const fromSource = { ...secrets, DATABASE_URL: source.url, DATA_DIR: join(folder, 'none') }
const { application, developer } = await testApplication(await testStores(source.database))
await insertProcess(source.database)
const file = join(folder, 'export.jsonl.gz')
const exported = await json(fromSource, 'export', file)
const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')

/** A file made from the lines of the export. */
function fileOf(name: string, changed: readonly string[]): string {
  const path = join(folder, name)
  writeFileSync(path, gzipSync(`${changed.join('\n')}\n`))
  return path
}

t.test(
  'a backup is complete, is restored with its configuration, and reports what is damaged',
  async (t) => {
    const into = join(folder, 'backups')
    const configDir = join(folder, 'config')
    cpSync(publishedConfig, configDir, { recursive: true })
    const env = { ...fromSource, CONFIG_DIR: configDir }
    // What a process left that ended in the middle, and what one makes at the moment.
    const left = (pid: number) => `.tollgate-20260101T000000Z.unfinished-${hostname()}-${pid}`
    for (const pid of [2_147_483_646, process.ppid]) {
      mkdirSync(join(into, left(pid)), { recursive: true })
    }
    const { folder: made, rows, missing } = await json(env, 'backup', into, '--keep', '1')
    t.match(missing, [/^the counts of limits: REDIS_URL is not set/])
    t.match(made, /tollgate-\d{8}T\d{6}Z$/)
    t.same(readdirSync(into), [left(process.ppid), basename(made)])
    const plan = join(made, 'config', 'plans', 'default.yaml')
    t.equal(statSync(plan).mode & 0o777, 0o600)
    t.equal(statSync(dirname(plan)).mode & 0o777, 0o700)
    t.equal(statSync(made).mode & 0o777, 0o700)
    const manifest = readFileSync(join(made, 'manifest.json'), 'utf8')
    for (const secret of Object.values(secrets)) t.notOk(manifest.includes(secret), 'no secret')
    t.match(JSON.parse(manifest), { rows, missing, files: { 'config/plans/default.yaml': String } })

    const target = await testDatabase(t, 'empty')
    const away = join(folder, 'elsewhere')
    const machine = { ...secrets, DATABASE_URL: target.url, CONFIG_DIR: away }
    t.match(await json(machine, 'restore', made), { rows, config: 'copied' })
    t.match(readdirSync(away), readdirSync(configDir))
    t.match(await json(machine, 'restore', made, '--replace', '--yes'), { rows, config: 'same' })
    writeFileSync(join(made, 'config', 'plans', 'default.yaml'), 'changed')
    const damaged = await tollgate(machine, 'restore', made, '--replace', '--yes')
    t.match(damaged.stderr, 'missing or changed are config/plans/default.yaml')
    t.match((await tollgate(machine, 'restore', away)).stderr, 'is not a backup')
  },
)

t.test('counts that cannot be carried fail loudly, and come alone at a second try', async (t) => {
  const down = { DATABASE_URL: source.url, REDIS_URL: 'redis://127.0.0.1:1' }
  const onboard = ['onboard', '--email', 'd@app.example', '--application', 'D']
  await json(fromSource, ...onboard, '--api', 'xs2a@1.7.0')
  const path = join(folder, 'without.jsonl.gz')
  const poor = await tollgate(down, 'export', path)
  t.equal(poor.code, 1, 'the export is written, and the exit code reports it')
  t.ok(existsSync(path))
  for (const what of ['of KEY_PEPPER', 'of SESSION_SECRET', 's of limits: they cannot be read']) {
    t.match(poor.stderr, new RegExp(`WARNING: missing .*${what}`))
  }

  const count = { bucket: 'a', windowLength: '86400', window: 20_000, epoch: 0, count: 3 }
  const end = JSON.parse(lines.at(-1) ?? '')
  const counted = fileOf('counted', [
    ...lines.slice(0, -1),
    JSON.stringify({ count }),
    JSON.stringify({ ...end, counts: 1 }),
  ])
  const target = await testDatabase(t, 'empty')
  const env = { ...secrets, DATABASE_URL: target.url, DATA_DIR: join(folder, 'data') }
  const partly = await tollgate({ ...env, REDIS_URL: down.REDIS_URL }, 'import', counted)
  t.match(partly, {
    code: 1,
    stdout: `Imported ${exported.rows} rows`,
    stderr: /done 0, missing 1/,
  })
  t.match(partly.stderr, `tollgate import --counts-only ${counted}`)
  mkdirSync(env.DATA_DIR, { mode: 0o700 })
  const { counts, countsMissing } = await json(env, 'import', '--counts-only', counted)
  t.same({ counts, countsMissing }, { counts: 1, countsMissing: 0 })
  t.match(readFileSync(join(env.DATA_DIR, 'counters.journal'), 'utf8'), 'a 86400 20000 0 3;')
})

t.test('import takes only options that belong together', async (t) => {
  t.match(await tollgate(fromSource, 'import', file, '--yes'), {
    code: 2,
    stderr: '--yes needs --replace',
  })
  t.match(await tollgate(fromSource, 'import', file, '--counts-only', '--replace', '--yes'), {
    code: 2,
    stderr: 'give --counts-only or --replace, not both',
  })
})

t.test('an export never replaces a file', async (t) => {
  const { code, stderr } = await tollgate(fromSource, 'export', file)
  t.equal(code, 1)
  t.match(stderr, `${file} exists; give another name, or remove it`)
  t.match((await tollgate(fromSource, 'export', join(folder, 'no', 'such'))).stderr, 'ENOENT')
})

async function insertProcess(database: Database): Promise<void> {
  await sql`
    insert into processes (id, roles, host, pid, version, generation, digest, judged)
    values (gen_random_uuid(), 'gateway', 'h', 1, '0.1.0', 1, 'd', 0)`.execute(database.connect())
}

t.test(
  'a file that is cut, changed, foreign or newer changes nothing in the database',
  { skip: postgresMissing() },
  async (t) => {
    const target = await testPostgres(t)
    const env = { ...secrets, DATABASE_URL: target.url }
    const [header = '{}'] = lines
    const withHeader = (change: object) => [
      JSON.stringify({ ...JSON.parse(header), ...change }),
      ...lines.slice(1),
    ]
    const row = lines.findIndex((line) => line.includes(application.id))
    const changedRow = lines.with(row, (lines[row] ?? '').replace('"app"', '"other"'))
    writeFileSync(join(folder, 'cut'), readFileSync(file).subarray(0, 2_000))
    writeFileSync(join(folder, 'foreign'), 'create table developers ();')
    const { migrations } = JSON.parse(header)
    const newer = { ...migrations, registry: [...migrations.registry, '9999-future'] }
    for (const [path, said] of [
      [join(folder, 'cut'), /cut is cut off: its end is missing/],
      [fileOf('short', lines.slice(0, -1)), /short is cut off: its end is missing/],
      [fileOf('rowless', lines.toSpliced(row, 1)), /rowless is damaged/],
      [fileOf('changed', changedRow), /damaged: the rows of registry\.applications were changed/],
      [join(folder, 'foreign'), /foreign is not an export of Tollgate, or it is damaged/],
      [fileOf('other', ['{"a":1}']), /other is not an export of Tollgate/],
      [fileOf('format', withHeader({ format: 2, release: '9.9.9' })), /format 2, .* use release 9/],
      [fileOf('newer', withHeader({ migrations: newer, release: '9.9.9' })), /9999-future, which/],
    ] as const) {
      const { code, stderr } = await tollgate(env, 'import', path)
      t.equal(code, 1, path)
      t.match(stderr, said)
    }
    t.same(await json(env, 'developer', 'list'), { items: [] })

    // What a process leaves that ran once.
    const own = openDatabase({ url: target.url, log: createLog('silent') })
    await sql`
      with c as (insert into configurations (digest, summary) values ('d', '{}'))
      insert into published_configurations (digest, content) values ('d', '')`.execute(
      own.connect(),
    )
    await insertProcess(own)
    await own.close()

    const [newer1, newer2] = [
      'a-newer-pepper-than-the-export-has',
      'a-newer-session-secret-than-the-export-has',
    ]
    const without = { ...env, KEY_PEPPER: `2:${newer1}`, SESSION_SECRET: newer2 }
    t.match(
      (await tollgate(without, 'import', file)).stderr,
      'KEY_PEPPER 1 is missing here, SESSION_SECRET is another one here',
    )
    const rotated = {
      ...env,
      KEY_PEPPER: `2:${newer1},1:${secrets.KEY_PEPPER}`,
      SESSION_SECRET: `${newer2},${secrets.SESSION_SECRET}`,
    }
    const imported = await json(rotated, 'import', file)
    t.notMatch(lines.join(), 'registry.processes', 'a process stays behind')
    t.match(imported, { rows: exported.rows, tables: exported.tables, migrated: [] })
    const full = await tollgate(env, 'import', file)
    t.match(full.stderr, /is not empty: developers has 1 row; nothing was changed/)
    t.match(await tollgate(env, 'import', file, '--replace'), { code: 2, stderr: /add --yes/ })
    const no = await tollgateOnTerminal('no\n', env, 'import', file, '--replace')
    t.match(no, { code: 1, stderr: /Nothing was changed\./ })
    const yes = await tollgateOnTerminal('yes\n', env, 'import', file, '--replace')
    t.match(yes, { code: 0, stdout: new RegExp(`Imported ${exported.rows} rows`) })
    t.match(await json(env, 'audit', 'verify'), { faults: [] })
    // The sequence goes on: a number that was given is not given again.
    const onboard = ['onboard', '--email', 'b@app.example', '--application', 'B']
    await json(env, ...onboard, '--api', 'xs2a@1.7.0')
    t.match(await json(env, 'audit', 'verify'), { faults: [] })
  },
)

t.test('an export of an earlier release is migrated with its rows', async (t) => {
  const old = await testDatabase(t)
  await sql`
    with d as (insert into developers (email, name) values ('a@b.example', 'A\nB "\\') returning id),
    a as (insert into applications (developer_id, name) select id, 'App' from d returning id)
    insert into api_keys (id, application_id, name, mac, pepper_version, last_four, replaced_by)
      select k.id, a.id, 'server', decode(repeat('00', 32), 'hex'), 1, 'last', k.replaced_by
      from a, (values ('aaaaaaaaaaaa', 'bbbbbbbbbbbb'), ('bbbbbbbbbbbb', null)) k (id, replaced_by)`.execute(
    old.database.connect(),
  )
  const path = join(folder, 'old.jsonl.gz')
  await json({ ...secrets, DATABASE_URL: old.url }, 'export', path)

  const next: SchemaMigration = {
    up: async (db) => {
      await sql`alter table api_keys add column purpose text not null default 'any'`.execute(db)
    },
  }
  const migrations = {
    registry: { ...registryMigrations, '0002-next': next },
    bank: bankMigrations,
  }
  const { database } = await testDatabase(t)
  await migrate(database, { name: 'registry', migrations: migrations.registry })
  const { migrated } = await importRows({
    database,
    path,
    migrations,
    replaces: true,
    seldomEmpty: new Set(),
    record: async () => undefined,
  })
  t.same(migrated, ['0002-next'])
  const { rows } = await sql`
    select k.id, k.replaced_by, k.purpose, d.name from api_keys k
    join applications a on a.id = k.application_id join developers d on d.id = a.developer_id
    order by k.id`.execute(database.connect())
  t.same(rows, [
    { id: 'aaaaaaaaaaaa', replaced_by: 'bbbbbbbbbbbb', purpose: 'any', name: 'A\nB "\\' },
    { id: 'bbbbbbbbbbbb', replaced_by: null, purpose: 'any', name: 'A\nB "\\' },
  ])
})

t.test(
  'a developer is deleted on a terminal only after a yes, and --as names who acts',
  async (t) => {
    const args = ['developer', 'delete', developer.email] as const
    const another = ['--email', 'c@app.example', '--application', 'C', '--api', 'xs2a@1.7.0']
    const no = await tollgateOnTerminal('no\n', fromSource, ...args)
    t.match(no, { code: 1, stderr: /This deletes .* with 1 application and their keys\./ })
    const yes = await tollgateOnTerminal('yes\n', fromSource, ...args)
    t.match(yes, { code: 0, stdout: /deleted developer/ })
    const named = await tollgate(fromSource, 'onboard', '--as', 'S-1042', ...another)
    t.equal(named.code, 0, named.stderr)
    const { rows } = await sql`select distinct actor from audit where actor like '%S-1042'`.execute(
      source.database.connect(),
    )
    t.same(rows, [{ actor: 'operator:S-1042' }])
    t.match(await tollgate({}, 'check', '--as', 'a b'), { code: 2, stderr: '--as needs a name' })
  },
)
