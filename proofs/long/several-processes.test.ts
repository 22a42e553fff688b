import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Pool } from 'undici'
import {
  balancerMissing,
  balancers,
  nginxOfInstall,
  startBalancer,
} from '../../test/support/balancer.ts'
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
import { newApplication, spawnTollgate, type TollgateProcess } from '../../test/support/tollgate.ts'
import { until, untilWithin } from '../../test/support/until.ts'
import { figure } from '../figure.ts'
import { proofSize } from '../size.ts'
import { openShell } from '../support/documented-steps.ts'
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

/** Lets callers repeat a call until stopped or the test ends, and counts what came of it: its status, or its error. */
function callAllTheTime(t: Test, call: () => Promise<number>) {
  const outcomes = new Map<string, number>()
  let isOver = false
  const running = Array.from({ length: callers }, async () => {
    while (!isOver) {
      const outcome = await call().then(String, String)
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  })
  async function stop(): Promise<void> {
    isOver = true
    await Promise.all(running)
  }
  t.teardown(stop)
  return { outcomes, stop }
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
  // Each call opens a connection: the system divides connections, not calls.
  const headers = { 'x-api-key': key, connection: 'close' }
  const { outcomes, stop } = callAllTheTime(t, async () => {
    const response = await fetch(`${first.urls.gateway}${accountsPath}`, { headers })
    await response.arrayBuffer()
    return response.status
  })
  for (let start = 0; start < restarts; start += 1) {
    const started = await spawnTollgate(t, ['gateway'], fleet.env)
    t.equal(started.urls.gateway, first.urls.gateway)
    await until('it takes calls', async () => (await answered(started.urls.management)) > 0)
  }
  await stop()
  t.same([...outcomes.keys()], ['200'], 'no call failed')
  figure(`${restarts} starts on a shared port: ${outcomes.get('200')} calls, none failed`)
})

/** Stops and starts the gateways of a proof. */
interface Turn {
  stop(at: number): Promise<void>
  /** Starts it again with the same ports. */
  start(at: number): Promise<TollgateProcess>
}

/** Lets callers use up a limit through a balancer while `restart` restarts the gateways behind it. */
async function restartUnderLoad(
  t: Test,
  options: {
    readonly title: string
    balance(gateways: readonly TollgateProcess[]): Promise<string>
    restart(turn: Turn, managements: readonly string[]): Promise<void>
  },
): Promise<void> {
  const fleet = await startFleet(t, {
    size: 2,
    plan: { calls: limit, window: 'P365D' },
    env: { DRAIN_SECONDS: '2', TRUSTED_PROXIES: '127.0.0.1' },
  })
  const { key, applicationId } = await newApplication(fleet.stores, 'restarted')
  const gateways = [...fleet.gateways]
  const pool = new Pool(await options.balance(gateways), { connections: callers })
  t.teardown(() => pool.destroy())
  const headers = { 'x-api-key': key }
  const { outcomes, stop } = callAllTheTime(t, async () => {
    // So that the limit lasts over the restarts.
    await delay(10)
    const { statusCode, body } = await pool.request({ method: 'GET', path: accountsPath, headers })
    await body.dump()
    return statusCode
  })
  await until('the load has begun', () => (outcomes.get('200') ?? 0) > 200)
  function gatewayAt(at: number): TollgateProcess {
    const gateway = gateways[at]
    if (gateway === undefined) throw new Error('no such gateway')
    return gateway
  }
  const turn: Turn = {
    async stop(at) {
      gatewayAt(at).signal('SIGTERM')
      t.equal(await gatewayAt(at).ended, 0)
    },
    async start(at) {
      const { urls } = gatewayAt(at)
      const started = await spawnTollgate(t, ['gateway'], {
        ...fleet.env,
        GATEWAY_PORT: new URL(urls.gateway).port,
        MANAGEMENT_PORT: new URL(urls.management).port,
      })
      gateways[at] = started
      return started
    },
  }
  await options.restart(
    turn,
    gateways.map(({ urls }) => urls.management),
  )
  await untilWithin(600_000, 'the limit is used up', () => (outcomes.get('429') ?? 0) > 200)
  await stop()
  t.same([...outcomes.keys()].toSorted(), ['200', '429'], 'no call failed')
  t.equal(outcomes.get('200'), limit)
  t.equal(
    fleet.ledger.entries.filter((entry) => entry.applicationId === applicationId).length,
    limit,
  )
  figure(
    `${options.title}: ${outcomes.get('200')} admitted of ${limit}, ${outcomes.get('429')} refused, none failed`,
  )
}

for (const balancer of balancers) {
  t.test(
    `${restarts} restarts of two processes in turn behind ${balancer} fail no call, and exactly the limit is admitted`,
    { skip: fleetMissing() || balancerMissing(balancer) },
    (t) =>
      restartUnderLoad(t, {
        title: balancer,
        balance: (gateways) => startBalancer(t, balancer, gateways),
        async restart({ stop, start }) {
          for (let restart = 0; restart < restarts; restart += 1) {
            await stop(restart % 2)
            const { urls } = await start(restart % 2)
            // The next one stops only after the balancer has found this one.
            await until('it takes calls', async () => (await answered(urls.management)) > 0)
          }
        },
      }),
  )
}

/** The commands of docs/install.md that restart both gateways of a machine. */
function documentedRestart(): string {
  const page = readFileSync('docs/install.md', 'utf8')
  const [, block] = /^```sh\n(for n in 1 2; do\n {2}systemctl restart .*?)^```/ms.exec(page) ?? []
  if (block === undefined) throw new Error('docs/install.md does not restart two gateways')
  return block
}

t.test(
  `${restarts} restarts by the commands of docs/install.md, behind its nginx, fail no call, and exactly the limit is admitted`,
  { skip: fleetMissing() || balancerMissing('nginx') },
  (t) =>
    restartUnderLoad(t, {
      title: 'install.md',
      balance: (gateways) => startBalancer(t, 'nginx', gateways, { sample: nginxOfInstall() }),
      async restart({ stop, start }, managements) {
        const starts: Promise<TollgateProcess>[] = []
        // `systemctl restart` returns when the process is there, not when it is ready.
        const systemd = createServer((request, response) => {
          const at = Number(/^\/tollgate-gateway@(\d)$/.exec(request.url ?? '')?.[1]) - 1
          void stop(at).then(() => {
            starts.push(start(at))
            response.end()
          })
        })
        await once(systemd.listen(0, '127.0.0.1'), 'listening')
        t.teardown(() => systemd.close())
        const { port } = systemd.address() as AddressInfo
        const place = 'http://127.0.0.1:910$n'
        const commands = documentedRestart()
        if (!commands.includes(place)) throw new Error(`the block no longer names ${place}`)
        const { run } = openShell(t, tmpdir())
        const [one, other] = managements
        await run(`systemctl() { curl -sf http://127.0.0.1:${port}/$2; }
          management() { case $1 in 1) echo ${one};; 2) echo ${other};; esac; }`)
        for (let restart = 0; restart < restarts; restart += 2) {
          await run(commands.replaceAll(place, '$(management $n)'))
        }
        await Promise.all(starts)
      },
    }),
)
