import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import t from 'tap'
import { Pool } from 'undici'
import { openDatabase } from '../../src/platform/database/database.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { balancerMissing, balancers, startBalancer } from '../../test/support/balancer.ts'
import { burst, codeOf, createClient } from '../../test/support/calling.ts'
import { childEnvironment } from '../../test/support/child-environment.ts'
import { tollgate } from '../../test/support/cli.ts'
import { testDataDir } from '../../test/support/database.ts'
import { fleetMissing, productionEnv, startStores, storesOf } from '../../test/support/fleet.ts'
import { startLedger } from '../../test/support/ledger-backend.ts'
import { metricsOf } from '../../test/support/metrics.ts'
import { openRelease } from '../../test/support/releases.ts'
import { spawnTollgate, type TollgateProcess, testConfigDir } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'
import { figure } from '../figure.ts'
import { proofSize } from '../size.ts'
import { call, type Load } from '../support/alternating-load.ts'

/** The release that was published before this one. */
const before = '0.2.0'
const rounds = proofSize({ share: 1, whole: 4 })
const callers = 8
const drainSeconds = 2
const plan = { calls: 1_000_000, window: 'P365D' }
const timeout = 120_000 + rounds * 120_000
/** A share has time for one. */
const tried = balancers.slice(0, proofSize({ share: 1, whole: balancers.length }))

t.setTimeout(timeout * balancers.length)

/** Whether a call has come through this process. */
async function answersCalls(gateway: TollgateProcess): Promise<boolean> {
  return /^gateway_requests_total\{.*status_class="2xx"/m.test(
    await metricsOf(gateway.urls.management),
  )
}

for (const balancer of tried) {
  t.test(
    `${before} and this release serve side by side, and each after the other, behind ${balancer} without a failed call`,
    { skip: fleetMissing() || balancerMissing(balancer), timeout },
    async (t) => {
      const release = await openRelease(before)
      const { secrets } = release
      const ledger = await startLedger(t)
      const { postgres, env: ofStores } = await startStores(t)
      release.restore(postgres.url)
      const env = {
        ...productionEnv(),
        ...ofStores,
        KEY_PEPPER: secrets.pepper,
        BACKEND_URL: ledger.url,
        TRUSTED_PROXIES: '127.0.0.1',
        GATEWAY_PROCESSES: '2',
        DRAIN_SECONDS: String(drainSeconds),
        // Portals without SMTP_URL write their mails there.
        DATA_DIR: await testDataDir(t),
        // In an outage of Redis a count may be above the calls. A busy machine is no outage.
        REDIS_DEADLINE_MS: '5000',
      }
      const programs = {
        old: {
          env: { ...env, CONFIG_DIR: testConfigDir(t, plan, join(release.program, 'config')) },
          folder: release.program,
        },
        new: { env: { ...env, CONFIG_DIR: testConfigDir(t, plan) }, folder: undefined },
      }
      type Program = keyof typeof programs

      const start = (program: Program, own: Readonly<Record<string, string>> = {}) =>
        spawnTollgate(
          t,
          ['gateway'],
          { ...programs[program].env, ...own },
          programs[program].folder,
        )
      const gateways: [TollgateProcess, TollgateProcess] = [await start('old'), await start('old')]
      const origin = await startBalancer(t, balancer, gateways)
      const pool = new Pool(origin, { connections: callers })
      t.teardown(() => pool.destroy())

      async function replace(at: 0 | 1, program: Program): Promise<void> {
        const gone = gateways[at]
        gone.signal('SIGTERM')
        t.equal(await gone.ended, 0)
        const next = await start(program, {
          GATEWAY_PORT: new URL(gone.urls.gateway).port,
          MANAGEMENT_PORT: new URL(gone.urls.management).port,
        })
        gateways[at] = next
        await until('the new process answers', () => answersCalls(next))
      }

      async function statusAt(at: 0 | 1, key: string): Promise<number | undefined> {
        const [answer] = await burst([createClient(t, gateways[at].urls.gateway, 1)], 1, { key })
        return answer?.status
      }

      /** How many calls were allowed to the application that may call a hundred times. */
      async function allowedOfLimited(times: number): Promise<number> {
        const clients = gateways.map(({ urls }) => createClient(t, urls.gateway, 16))
        const answers = await burst(clients, times, { key: secrets.limitedKey })
        const refused = answers.filter(({ status }) => status !== 200)
        t.same([...new Set(refused.map(codeOf))], ['QUOTA_EXCEEDED'])
        return answers.length - refused.length
      }

      /** Its bank, and in a whole proof its portal. */
      async function serveOthers(): Promise<void> {
        const own = {
          ...programs.old.env,
          IDENTITY_JWKS_URL: `${gateways[0].urls.management}/.well-known/jwks.json`,
          SESSION_SECRET: 'known-to-all-who-read-it-of-a-test-only',
          GATEWAY_PUBLIC_URL: origin,
        }
        const { urls } = await spawnTollgate(t, ['backend'], own, release.program)
        t.equal((await fetch(`${urls.management}/readyz`)).status, 200, 'its bank starts too')
        if (rounds === 1) return
        const portal = await spawnTollgate(t, ['portal'], own, release.program)
        t.equal((await fetch(`${portal.urls.portal}/api/apis`)).status, 200, 'and its portal')
      }

      const load: Load = { posts: [], failed: [], calls: 0, isOver: false }
      const loads = Array.from({ length: callers }, async () => {
        while (!load.isOver) await call(pool, secrets.key, load)
      })
      await until('the load has begun', () => ledger.entries.length > 200)

      const commandEnv = { DATABASE_URL: postgres.url }
      const migrated = await tollgate(commandEnv, 'migrate')
      t.equal(migrated.code, 0, migrated.stderr)
      t.equal((await tollgate(commandEnv, 'migrate', '--check')).code, 0)
      const stores = await storesOf(t, { DATABASE_URL: postgres.url, KEY_PEPPER: secrets.pepper })

      for (let round = 0; round < rounds; round += 1) {
        await replace(0, 'new')
        if (round === 0) {
          t.equal(await allowedOfLimited(150), secrets.limitedCalls, 'one limit for both releases')
        }
        // The older one starts on what the newer one made of the tables.
        const [ofOld] = await Promise.all([
          issueAsBefore(programs.old, {
            application: secrets.applicationId,
            name: `old ${round}`,
          }),
          replace(1, 'old'),
          round === 0 ? serveOthers() : undefined,
        ])
        const ofNew = await stores.keys.issue({
          applicationId: secrets.applicationId,
          by: 'test',
          name: `new ${round}`,
        })
        for (const at of [0, 1] as const) {
          t.equal(await statusAt(at, ofNew.key), 200, 'a key of this release')
          t.equal(await statusAt(at, ofOld), 200, `a key of ${before}`)
        }
        // Everything is new, then back.
        if (round < rounds - 1) await replace(1, 'new')
        await replace(0, 'old')
        if (round < rounds - 1) await replace(1, 'old')
      }
      t.equal(await allowedOfLimited(20), 0, 'and what one counted, the other knows after restarts')

      load.isOver = true
      await Promise.all(loads)
      t.same(load.failed.slice(0, 5), [], `${load.failed.length} of ${load.calls} calls failed`)
      const posted = ledger.entries.filter(({ method }) => method === 'POST')
      t.equal(posted.length, load.posts.length, 'every POST reached the backend once')
      const made = rounds * 4
      const [last] = await burst([createClient(t, gateways[0].urls.gateway, 1)], 1, {
        key: secrets.key,
      })
      t.equal(
        plan.calls - Number(last?.headers['x-ratelimit-remaining']),
        load.calls - load.posts.length + made + 1,
        'both releases counted every GET once',
      )
      figure(`${load.calls} calls, ${load.failed.length} failed, behind ${balancer}`)

      for (const gateway of gateways) gateway.signal('SIGTERM')
      t.same(await Promise.all(gateways.map(({ ended }) => ended)), [0, 0])
      const database = openDatabase({ url: postgres.url, log: createLog('silent') })
      t.teardown(() => database.close())
      const { rows } = await sql<{ admitted: number }>`
        select sum(admitted)::int as admitted from usage_hours
        where application_id = ${secrets.applicationId}`.execute(database.connect())
      t.equal(
        rows[0]?.admitted,
        secrets.recordedCalls + load.calls + made + 1,
        'and both recorded what was called',
      )
    },
  )
}

/** Has a command of the release before issue a key. */
async function issueAsBefore(
  { env, folder }: { readonly env: Readonly<Record<string, string>>; readonly folder: string },
  { application, name }: { readonly application: string; readonly name: string },
): Promise<string> {
  const args = ['key', 'issue', '--application', application, '--name', name, '--json']
  const { stdout } = await promisify(execFile)(process.execPath, ['bin/tollgate.js', ...args], {
    cwd: folder,
    env: { ...childEnvironment, ...env },
  })
  // Parse boundary: what the release prints.
  return (JSON.parse(stdout) as { key: string }).key
}
