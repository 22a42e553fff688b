import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Pool } from 'undici'
import { balancerMissing, balancers, startBalancer } from '../../test/support/balancer.ts'
import { tollgate } from '../../test/support/cli.ts'
import { type Fleet, fleetMissing, startFleet } from '../../test/support/fleet.ts'
import { metricsOf } from '../../test/support/metrics.ts'
import { newApplication, spawnTollgate, type TollgateProcess } from '../../test/support/tollgate.ts'
import { until, untilWithin } from '../../test/support/until.ts'
import { figure } from '../figure.ts'
import { proofSize } from '../size.ts'
import { call, type Load } from '../support/alternating-load.ts'

/** Behind each balancer. */
const restarts = proofSize({ share: 2, whole: 20 })
const reloads = proofSize({ share: 4, whole: 200 })
const callsMin = proofSize({ share: 200, whole: 50_000 })
const callers = 16
const drainSeconds = 2
/** `upgrade.test.ts` has the other one in its share. */
const tried = balancers.slice(proofSize({ share: 1, whole: 0 }))
const timeout = 90_000 + restarts * 30_000 + reloads * 6_000

t.setTimeout(timeout * tried.length)

/** Whether a call has come through this process. */
async function answersCalls(gateway: TollgateProcess | undefined): Promise<boolean> {
  const metrics = await metricsOf(gateway?.urls.management ?? '')
  return /^gateway_requests_total\{.*status_class="2xx"/m.test(metrics)
}

/** Puts another limit into the plan, in one step: a process may be reading it. */
function changeLimit(configDir: string, calls: number): void {
  const file = join(configDir, 'plans', 'default.yaml')
  const next = `${configDir}.next`
  writeFileSync(next, readFileSync(file, 'utf8').replace(/calls: \d+/, `calls: ${calls}`))
  renameSync(next, file)
}

/** Changes a limit again and again, and waits each time until every process has it. @returns what did not succeed */
async function reloadAgainAndAgain(env: Fleet['env']): Promise<string[]> {
  const failed: string[] = []
  for (let reload = 0; reload < reloads; reload += 1) {
    changeLimit(env['CONFIG_DIR'] ?? '', 1_000_001 + reload)
    const { code, stdout, stderr } = await tollgate(env, 'reload', '--wait', '90')
    if (code !== 0) failed.push(`${stdout}${stderr}`)
  }
  return failed
}

for (const balancer of tried) {
  t.test(
    `${restarts} restarts of gateways in turn and ${reloads} reloads, under load behind ${balancer}, fail no call`,
    {
      skip: fleetMissing() || balancerMissing(balancer),
      timeout,
    },
    async (t) => {
      const fleet = await startFleet(t, {
        size: 2,
        env: { DRAIN_SECONDS: String(drainSeconds), TRUSTED_PROXIES: '127.0.0.1' },
      })
      const { key } = await newApplication(fleet.stores, 'rolling')
      const gateways = [...fleet.gateways]
      const pool = new Pool(await startBalancer(t, balancer, gateways), { connections: callers })
      t.teardown(() => pool.destroy())
      const load: Load = { posts: [], failed: [], calls: 0, isOver: false }
      const loads = Array.from({ length: callers }, async () => {
        while (!load.isOver) await call(pool, key, load)
      })
      await until('the load has begun', () => fleet.ledger.entries.length > 200)
      const reloading = reloadAgainAndAgain(fleet.env)
      for (let restart = 0; restart < restarts; restart += 1) {
        const at = restart % gateways.length
        const old = gateways[at]
        if (old === undefined) throw new Error('no such gateway')
        old.signal('SIGTERM')
        t.equal(await old.ended, 0)
        gateways[at] = await spawnTollgate(t, ['gateway'], {
          ...fleet.env,
          GATEWAY_PORT: new URL(old.urls.gateway).port,
          MANAGEMENT_PORT: new URL(old.urls.management).port,
        })
        // The next gateway stops only after the balancer has found this one.
        await until('the new process answers', () => answersCalls(gateways[at]))
      }
      t.same(await reloading, [], 'every reload reached every process')
      await untilWithin(timeout, 'enough calls are made', () => load.calls >= callsMin)
      load.isOver = true
      await Promise.all(loads)
      t.same(load.failed.slice(0, 5), [], `${load.failed.length} of ${load.calls} calls failed`)
      const reached = new Set(fleet.ledger.entries.map(({ requestId }) => requestId))
      const posted = fleet.ledger.entries.filter(({ method }) => method === 'POST')
      t.ok(load.posts.every((id) => reached.has(id)))
      t.equal(posted.length, load.posts.length, 'no POST reached the backend twice')
      const audited = await fleet.stores.audit.list({ subject: 'configuration:all', limit: 1_000 })
      t.equal(audited.length, reloads, 'one audit entry for each change')
      figure(`${load.calls} calls, ${load.failed.length} failed`)
    },
  )
}
