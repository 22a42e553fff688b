import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { Pool } from 'undici'
import { balancerMissing, balancers, startBalancer } from '../../test/support/balancer.ts'
import {
  accountsPath,
  burst,
  codeOf,
  countdown,
  createClient,
  remainingOf,
} from '../../test/support/calling.ts'
import { fleetMissing, startFleet } from '../../test/support/fleet.ts'
import { freePort } from '../../test/support/free-port.ts'
import { metricsOf } from '../../test/support/metrics.ts'
import { newApplication, spawnTollgate } from '../../test/support/tollgate.ts'
import { until, untilWithin } from '../../test/support/until.ts'
import { figure } from '../figure.ts'
import { proofSize } from '../size.ts'
import { windowBegins } from '../support/window-begins.ts'

const windowSeconds = 3
const windows = proofSize({ share: 3, whole: 10 })
const restarts = proofSize({ share: 2, whole: 10 })
const limit = proofSize({ share: 4_000, whole: 20_000 })
const callers = 16

t.setTimeout(900_000)

/** How many calls a process has answered. */
async function answered(management: string): Promise<number> {
  const found = (await metricsOf(management)).matchAll(/^gateway_requests_total\{.*\} (\d+)$/gm)
  return Array.from(found, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0)
}

t.test(
  'two processes that share one port admit exactly 100 of 500 concurrent calls in each window',
  { skip: fleetMissing() },
  async (t) => {
    const plan = { calls: 100, window: `PT${windowSeconds}S` }
    const env = { GATEWAY_REUSE_PORT: 'on', GATEWAY_PORT: String(await freePort()) }
    const fleet = await startFleet(t, { size: 2, plan, env })
    const [one, other] = fleet.gateways
    if (one === undefined || other === undefined) throw new Error('two gateways')
    t.equal(one.urls.gateway, other.urls.gateway)
    // A connection for each call: the system divides connections, not calls.
    const clients = Array.from({ length: 64 }, () => createClient(t, one.urls.gateway, 1))
    await Promise.all(clients.map((client) => client.warmUp(1)))
    const { key } = await newApplication(fleet.stores, 'one port')
    let judged = 0
    for (let round = 0; judged < windows && round < 3 * windows; round += 1) {
      const from = fleet.ledger.entries.length
      const end = await windowBegins(windowSeconds)
      const answers = await burst(clients, 500, { key })
      const isWhole = Date.now() < end
      const isDegraded = answers.some(({ headers }) => headers['ratelimit'] === undefined)
      t.ok(
        answers.every((answer) => answer.status === 200 || codeOf(answer) === 'QUOTA_EXCEEDED'),
        'nothing but admissions and refusals',
      )
      if (!isWhole || isDegraded) continue
      judged += 1
      t.equal(fleet.ledger.entries.length - from, 100, `window ${judged}`)
      t.same(remainingOf(answers), countdown(99), 'every value of the counter once')
    }
    t.equal(judged, windows)
    const shares = await Promise.all([one, other].map(({ urls }) => answered(urls.management)))
    t.ok(
      shares.every((share) => share > 0),
      `both take calls: ${shares}`,
    )
    figure(`one port: ${judged} windows of exactly 100; the processes took ${shares} calls`)
  },
)

t.test(`${restarts} starts on a shared port fail no call`, { skip: fleetMissing() }, async (t) => {
  const env = { GATEWAY_REUSE_PORT: 'on', GATEWAY_PORT: String(await freePort()) }
  const fleet = await startFleet(t, { size: 1, plan: { calls: 1_000_000, window: 'P365D' }, env })
  const [first] = fleet.gateways
  if (first === undefined) throw new Error('one gateway')
  const { key } = await newApplication(fleet.stores, 'more processes')
  const headers = { 'x-api-key': key, connection: 'close' }
  const outcomes = new Map<string, number>()
  let isOver = false
  const loads = Array.from({ length: callers }, async () => {
    while (!isOver) {
      // Each call opens a connection: the system divides connections, not calls.
      const outcome = await fetch(`${first.urls.gateway}${accountsPath}`, { headers }).then(
        async (response) => {
          await response.arrayBuffer()
          return String(response.status)
        },
        (error: unknown) => String(error),
      )
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  })
  for (let start = 0; start < restarts; start += 1) {
    const started = await spawnTollgate(t, ['gateway'], fleet.env)
    t.equal(started.urls.gateway, first.urls.gateway)
    await until('it takes calls', async () => (await answered(started.urls.management)) > 0)
  }
  isOver = true
  await Promise.all(loads)
  t.same([...outcomes.keys()], ['200'], 'no call failed')
  figure(`${restarts} starts on a shared port: ${outcomes.get('200')} calls, none failed`)
})

for (const balancer of balancers) {
  t.test(
    `${restarts} restarts of two processes in turn behind ${balancer} fail no call, and exactly the limit is admitted`,
    { skip: fleetMissing() || balancerMissing(balancer) },
    async (t) => {
      const fleet = await startFleet(t, {
        size: 2,
        plan: { calls: limit, window: 'P365D' },
        env: { DRAIN_SECONDS: '2', TRUSTED_PROXIES: '127.0.0.1' },
      })
      const { key, applicationId } = await newApplication(fleet.stores, 'restarted')
      const gateways = [...fleet.gateways]
      const pool = new Pool(await startBalancer(t, balancer, gateways), { connections: callers })
      t.teardown(() => pool.destroy())
      const outcomes = new Map<string, number>()
      let isOver = false
      const note = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      const loads = Array.from({ length: callers }, async () => {
        while (!isOver) {
          const headers = { 'x-api-key': key }
          await pool.request({ method: 'GET', path: accountsPath, headers }).then(
            async ({ statusCode, body }) => {
              await body.dump()
              note(String(statusCode))
            },
            (error: unknown) => note(String(error)),
          )
          // So that the limit lasts over the restarts.
          await delay(10)
        }
      })
      await until('the load has begun', () => (outcomes.get('200') ?? 0) > 200)
      for (let restart = 0; restart < restarts; restart += 1) {
        const at = restart % gateways.length
        const old = gateways[at]
        if (old === undefined) throw new Error('no such gateway')
        old.signal('SIGTERM')
        t.equal(await old.ended, 0)
        const started = await spawnTollgate(t, ['gateway'], {
          ...fleet.env,
          GATEWAY_PORT: new URL(old.urls.gateway).port,
          MANAGEMENT_PORT: new URL(old.urls.management).port,
        })
        gateways[at] = started
        // The next one stops only after the balancer has found this one.
        await until('it takes calls', async () => (await answered(started.urls.management)) > 0)
      }
      await untilWithin(600_000, 'the limit is used up', () => (outcomes.get('429') ?? 0) > 200)
      isOver = true
      await Promise.all(loads)
      t.same([...outcomes.keys()].toSorted(), ['200', '429'], 'no call failed')
      t.equal(outcomes.get('200'), limit)
      t.equal(
        fleet.ledger.entries.filter((entry) => entry.applicationId === applicationId).length,
        limit,
      )
      figure(
        `${balancer}: ${outcomes.get('200')} admitted of ${limit}, ${outcomes.get('429')} refused, none failed`,
      )
    },
  )
}
