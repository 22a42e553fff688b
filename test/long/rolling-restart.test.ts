import { randomUUID } from 'node:crypto'
import t from 'tap'
import { Pool } from 'undici'
import { balancerMissing, balancers, startBalancer } from '../support/balancer.ts'
import { accountsPath } from '../support/calling.ts'
import { fleetMissing, startFleet } from '../support/fleet.ts'
import { metricsOf } from '../support/metrics.ts'
import { proofSize } from '../support/proof.ts'
import { newApplication, spawnTollgate, type TollgateProcess } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

/** Behind each balancer. */
const restarts = proofSize({ share: 2, whole: 24 })
const callers = 16
const drainSeconds = 2
const timeout = 90_000 + restarts * 30_000

t.setTimeout(timeout * balancers.length)

/** What became of the calls of one load; `failed` has a line for each that was not answered 200. */
interface Load {
  readonly posts: string[]
  readonly failed: string[]
  calls: number
  isOver: boolean
}

async function call(pool: Pool, key: string, load: Load): Promise<void> {
  const isPost = load.calls % 2 === 0
  const id = randomUUID()
  load.calls += 1
  if (isPost) load.posts.push(id)
  const headers = { 'x-api-key': key, 'x-request-id': id, 'content-type': 'application/json' }
  const method = isPost ? 'POST' : 'GET'
  try {
    const { statusCode, body } = await pool.request({
      method,
      path: isPost ? '/v1.7.0/consents' : accountsPath,
      headers,
      body: isPost ? '{}' : null,
    })
    const text = await body.text()
    if (statusCode !== 200) load.failed.push(`${method} ${statusCode} ${text.slice(0, 200)}`)
  } catch (error) {
    load.failed.push(`${method} ${error}`)
  }
}

/** Whether a call has come through this process. */
async function answersCalls(gateway: TollgateProcess | undefined): Promise<boolean> {
  const metrics = await metricsOf(gateway?.urls.management ?? '')
  return /^gateway_requests_total\{.*status_class="2xx"/m.test(metrics)
}

for (const balancer of balancers) {
  t.test(
    `${restarts} restarts of gateways in turn, under load behind ${balancer}, fail no call`,
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
      await until('the load has begun', () => fleet.ledger.entries.length > 200, 30_000)
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
        await until('the new process answers', () => answersCalls(gateways[at]), 60_000)
      }
      load.isOver = true
      await Promise.all(loads)
      t.same(load.failed.slice(0, 5), [], `${load.failed.length} of ${load.calls} calls failed`)
      const reached = new Set(fleet.ledger.entries.map(({ requestId }) => requestId))
      const posted = fleet.ledger.entries.filter(({ method }) => method === 'POST')
      t.ok(load.posts.every((id) => reached.has(id)))
      t.equal(posted.length, load.posts.length, 'no POST reached the backend twice')
    },
  )
}
