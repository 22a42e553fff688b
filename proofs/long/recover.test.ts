import { randomBytes, randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { databaseBeside } from '../../src/platform/database/embedded-database.ts'
import { tollgateProcess } from '../../test/support/cli.ts'
import { fleetMissing, productionEnv, startStores } from '../../test/support/fleet.ts'
import { spawnTollgate, testConfigDir } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'
import { figure } from '../figure.ts'
import { proofSize } from '../size.ts'

const limit = proofSize({ share: 1_500, whole: 20_000 })
/** Rows of usage that the backup carries beside the rest. */
const rows = proofSize({ share: 2_000, whole: 100_000 })
const callers = 4
const secretFiles = ['key-pepper', 'session-secret', 'identity-private-key']

/** What serves, and how to lose it. */
interface Installation {
  readonly env: Readonly<Record<string, string>>
  databaseUrl(): Promise<string>
  /** Loses the database, the counts and the data folder; resolves with settings that lead to empty ones. */
  lose(): Promise<Readonly<Record<string, string>>>
}

async function embedded(t: Test): Promise<Installation> {
  const folder = testFolder(t)
  const [dataDir, elsewhere] = [join(folder, 'data'), join(folder, 'elsewhere')]
  return {
    env: { DATA_DIR: dataDir },
    async databaseUrl() {
      const url = await databaseBeside(dataDir)
      if (url === undefined) throw new Error('nothing runs')
      return url
    },
    async lose() {
      for (const made of [elsewhere, join(folder, 'new')]) mkdirSync(made, { mode: 0o700 })
      // They were kept in another place since the first day.
      for (const name of secretFiles) cpSync(join(dataDir, name), join(elsewhere, name))
      rmSync(dataDir, { recursive: true })
      for (const name of secretFiles) cpSync(join(elsewhere, name), join(folder, 'new', name))
      return { DATA_DIR: join(folder, 'new') }
    },
  }
}

async function onServers(t: Test): Promise<Installation> {
  const folder = testFolder(t)
  const { redis, postgres, env: stores } = await startStores(t)
  const env = {
    ...productionEnv(),
    SESSION_SECRET: randomBytes(32).toString('base64url'),
    ...stores,
    DATA_DIR: join(folder, 'data'),
    GATEWAY_PROCESSES: '1',
  }
  return {
    env,
    databaseUrl: async () => postgres.url,
    async lose() {
      const admin = new pg.Client(postgres.url)
      await admin.connect()
      await admin.query('create database restored')
      await admin.end()
      await redis.cli('flushall')
      rmSync(env.DATA_DIR, { recursive: true, force: true })
      const url = new URL(postgres.url)
      url.pathname = '/restored'
      return { ...env, DATABASE_URL: url.href }
    },
  }
}

function testFolder(test: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'tg-recover-'))
  test.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

for (const [name, install] of [
  ['the embedded database', embedded],
  ['PostgreSQL and Redis', onServers],
] as const) {
  t.test(
    `${name}: a backup made under load brings everything back but what came after it`,
    { skip: fleetMissing() },
    async (t) => {
      const installation = await install(t)
      const env = {
        ...installation.env,
        CONFIG_DIR: testConfigDir(t, { calls: limit, window: 'P365D' }),
      }
      const backups = testFolder(t)

      /** Runs a command that must succeed, and reads its result. */
      async function json(env: Readonly<Record<string, string>>, ...args: string[]) {
        const { code, stdout, stderr } = await tollgateProcess(env, ...args, '--json')
        if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
        return JSON.parse(stdout)
      }

      const before = await spawnTollgate(t, [], env)
      const { key, consentId, applicationId } = await json(
        env,
        'onboard',
        '--email',
        'ada@app.example',
        '--application',
        'Ledger',
        '--api',
        'xs2a@1.7.0',
        '--consent',
      )
      await fill(await installation.databaseUrl(), applicationId)

      async function read(gateway: string, withKey = key) {
        const answer = await fetch(`${gateway}/v1.7.0/accounts`, {
          headers: {
            'x-api-key': withKey,
            'x-request-id': randomUUID(),
            'consent-id': consentId,
            'psu-ip-address': '192.0.2.44',
          },
        })
        await answer.arrayBuffer()
        return answer.status
      }

      let admitted = 0
      let isOver = false
      const unexpected: number[] = []
      const load = Array.from({ length: callers }, async () => {
        while (!isOver) {
          const status = await read(before.urls.gateway)
          if (status === 200) admitted += 1
          else unexpected.push(status)
          await delay(5)
        }
      })
      await until('calls run', () => admitted > 50)
      // Entries get their link within three seconds; a backup before that says nothing about the end of the chain.
      await until(
        'the audit log has a link',
        async () => (await json(env, 'audit', 'verify')).links > 0,
      )
      // What was counted when the backup began is in it; what came after its end is not.
      const countedBefore = admitted
      const beganAt = performance.now()
      const backup = await json(env, 'backup', backups)
      const backupSeconds = (performance.now() - beganAt) / 1_000
      t.same(backup.missing, [])
      const countedAfter = admitted + callers
      const late = await json(env, 'key', 'issue', '--application', applicationId, '--name', 'late')
      await until('calls run after it', () => admitted > countedAfter + 50)
      t.equal(await read(before.urls.gateway, late.key), 200)
      isOver = true
      await Promise.all(load)
      t.same(unexpected, [], 'a backup fails no call')

      before.signal('SIGKILL')
      await before.ended
      const fresh = { ...(await installation.lose()), CONFIG_DIR: env.CONFIG_DIR }
      const lostAt = performance.now()
      const restored = await json(fresh, 'restore', backup.folder)
      t.equal(restored.rows, backup.rows)
      t.equal(restored.countsMissing, 0)
      const { position, hash } = backup.audit
      t.match(await json(fresh, 'audit', 'verify', '--expect', `${position}:${hash}`), {
        faults: [],
      })
      const after = await spawnTollgate(t, [], fresh)
      t.equal(await read(after.urls.gateway), 200, 'the same key and consent')
      const seconds = (performance.now() - lostAt) / 1_000
      figure(
        `${name}, ${backup.rows} rows: backup under load ${backupSeconds.toFixed(1)} s, back after ${seconds.toFixed(1)} s`,
      )

      t.equal(await read(after.urls.gateway, late.key), 401, 'a key made after the backup is gone')
      let again = 1
      for (let status = 200; status !== 429; ) {
        const statuses = await Promise.all(
          Array.from({ length: 20 }, () => read(after.urls.gateway)),
        )
        again += statuses.filter((one) => one === 200).length
        status = Math.max(...statuses)
      }
      t.ok(again <= limit - countedBefore, `${again} of ${limit} after ${countedBefore}`)
      t.ok(again >= limit - countedAfter, `${again} of ${limit} after at most ${countedAfter}`)
      after.signal('SIGTERM')
      t.equal(await after.ended, 0)
    },
  )
}

/** Adds rows of usage, as an installation has after a while. */
async function fill(url: string, applicationId: string): Promise<void> {
  const database = new pg.Client(url)
  await database.connect()
  await database.query(
    `insert into usage_minutes (application_id, at, api, version, operation, admitted, refused,
      refused_by_limit, errors, duration_ms_sum, duration_ms_max)
    select $1, date_trunc('minute', now()) - make_interval(mins => (n % 2500)::int + 60), 'xs2a',
      '1.7.0', 'operation-' || n / 2500, 7, 1, 1, 0, 35, 9
    from generate_series(1, $2::int) n`,
    [applicationId, rows],
  )
  await database.end()
}
