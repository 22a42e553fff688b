import { sql } from 'kysely'
import t from 'tap'
import { claimCounting } from '../../src/compose/counting-claim.ts'
import { openDatabase } from '../../src/platform/database.ts'
import { createLifetime } from '../../src/platform/lifetime.ts'
import { createLog } from '../../src/platform/log.ts'
import { eventually } from '../support/calling.ts'
import { postgresMissing, startPostgres, testDataDir } from '../support/database.ts'
import { fleetMissing, productionEnv, startStores } from '../support/fleet.ts'
import { spawnTollgate, testConfigDir } from '../support/tollgate.ts'

t.test(
  '(14) gateways on one PostgreSQL that do not share their counters are refused at start; a killed one bars nobody',
  { skip: postgresMissing() },
  async (t) => {
    const postgres = await startPostgres(t)
    if (postgres === undefined) throw new Error('PostgreSQL is not installed')
    const env = {
      ...productionEnv(),
      DATABASE_URL: postgres.url,
      BACKEND_URL: 'http://127.0.0.1:9',
      CONFIG_DIR: testConfigDir(t),
    }
    const alone = { ...env, DATA_DIR: await testDataDir(t) }
    const first = await spawnTollgate(t, ['gateway'], alone)

    const second = { ...env, DATA_DIR: await testDataDir(t) }
    await t.rejects(spawnTollgate(t, ['gateway'], second), {
      message: /ended with 1: .*REDIS_URL: is required: another gateway process/,
    })
    first.signal('SIGKILL')
    await first.ended
    const successor = await spawnTollgate(t, ['gateway'], second)
    successor.signal('SIGTERM')
    t.equal(await successor.ended, 0)
  },
)

t.test(
  'a gateway that counts by itself is refused beside those that share, which may be many',
  { skip: fleetMissing() },
  async (t) => {
    const { DATABASE_URL, REDIS_URL } = (await startStores(t)).env
    const env = {
      ...productionEnv(),
      DATABASE_URL,
      BACKEND_URL: 'http://127.0.0.1:9',
      CONFIG_DIR: testConfigDir(t),
    }
    await spawnTollgate(t, ['gateway'], { ...env, REDIS_URL })
    await spawnTollgate(t, ['gateway'], { ...env, REDIS_URL })
    const alone = { ...env, DATA_DIR: await testDataDir(t) }
    await t.rejects(spawnTollgate(t, ['gateway'], alone), {
      message: /ended with 1: .*REDIS_URL: is required: another gateway process/,
    })
  },
)

t.test(
  'a claim whose connection no longer answers counts as lost, is logged, and is taken again',
  { skip: postgresMissing() },
  async (t) => {
    const postgres = await startPostgres(t)
    if (postgres === undefined) throw new Error('PostgreSQL is not installed')
    const log = createLog('silent')
    const database = openDatabase({ url: postgres.url, log, connectTimeoutMs: 1_000 })
    const lifetime = createLifetime()
    lifetime.opened(() => database.close())
    t.teardown(async () => {
      postgres.thaw()
      await lifetime.close()
    })
    const lines: unknown[] = []
    await claimCounting({
      database,
      isShared: false,
      log: { warn: (...line: unknown[]) => void lines.push(line), error: () => undefined },
      lifetime,
      intervalMs: 50,
      statementTimeoutMs: 500,
    })
    postgres.freeze()
    t.ok(await eventually(async () => lines.length > 0), 'noticed')
    t.match(lines[0], [Object, /claim to count was lost/])
    postgres.thaw()
    const held = sql<{ n: number }>`select count(*) as n from pg_locks where locktype = 'advisory'`
    const isHeld = async () => (await held.execute(database.connect())).rows[0]?.n === 1
    t.ok(await eventually(isHeld), 'held again')
  },
)

t.test(
  'a claim moves to the new login of its database, so that the old role can go',
  { skip: postgresMissing() },
  async (t) => {
    const postgres = await startPostgres(t)
    if (postgres === undefined) throw new Error('PostgreSQL is not installed')
    const log = createLog('silent')
    const database = openDatabase({ url: postgres.url, log })
    const lifetime = createLifetime()
    lifetime.opened(() => database.close())
    t.teardown(() => lifetime.close())
    const lines: unknown[] = []
    const note = (...line: unknown[]) => void lines.push(line)
    await claimCounting({
      database,
      isShared: false,
      log: { warn: note, error: note },
      lifetime,
      intervalMs: 50,
    })
    await sql`create role next login`.execute(database.connect())
    database.adoptLogin(postgres.url.replace('postgres@', 'next@'))
    const holders = sql<{ usename: string }>`
      select usename from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and granted`
    const isHeldByNext = async () => {
      const { rows } = await holders.execute(database.connect())
      return rows.length === 1 && rows[0]?.usename === 'next'
    }
    t.ok(await eventually(isHeldByNext))
    t.same(lines, [], 'without a warning')
  },
)
