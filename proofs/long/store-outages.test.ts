import { randomBytes } from 'node:crypto'
import t from 'tap'
import { generateKey } from '../../src/registry/keys/key-format.ts'
import {
  type Answer,
  accountsPath,
  burst,
  codeOf,
  createClient,
} from '../../test/support/calling.ts'
import { startPostgres } from '../../test/support/database.ts'
import {
  everyGatewayHasHeard,
  fleetMissing,
  productionEnv,
  startFleet,
  storesOf,
} from '../../test/support/fleet.ts'
import { freePort } from '../../test/support/free-port.ts'
import { startLedger } from '../../test/support/ledger-backend.ts'
import { metricsOf } from '../../test/support/metrics.ts'
import { startRedisServer } from '../../test/support/redis-server.ts'
import { newApplication, spawnTollgate, testConfigDir } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

t.setTimeout(600_000)

/** No window ends during a test. */
const plan = { calls: 100, window: 'P365D' }

const admittedOf = (answers: readonly Answer[]): number =>
  answers.filter(({ status }) => status === 200).length

async function readiness(management: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${management}/readyz?verbose`)
  return { status: answer.status, text: await answer.text() }
}

async function metric(management: string, line: string): Promise<string | undefined> {
  const text = await metricsOf(management)
  return text
    .split('\n')
    .find((found) => found.startsWith(`${line} `))
    ?.slice(line.length + 1)
}

t.test(
  'a gateway starts without Redis, admits its share, and counts with the others once Redis is there; so it does again later',
  { skip: fleetMissing(), timeout: 300_000 },
  async (t) => {
    const ledger = await startLedger(t)
    const postgres = await startPostgres(t)
    const port = await freePort()
    const env = {
      ...productionEnv(),
      DATABASE_URL: postgres.url,
      REDIS_URL: `redis://127.0.0.1:${port}`,
      BACKEND_URL: ledger.url,
      GATEWAY_PROCESSES: '4',
      CONFIG_DIR: testConfigDir(t, plan),
    }
    const { key } = await newApplication(await storesOf(t, env), 'redis')
    const gateway = await spawnTollgate(t, ['gateway'], env)
    const { management } = gateway.urls
    const clients = [createClient(t, gateway.urls.gateway)]
    const isDegraded = async () => (await readiness(management)).text.includes('"degraded"')
    const isShared = async () => (await readiness(management)).text.includes('"status":"ok"')

    function checkShare(answers: readonly Answer[]): void {
      const refused = answers.filter(({ status }) => status !== 200)
      t.ok(refused.length > 0)
      for (const answer of refused) {
        t.equal(answer.status, 429)
        t.match(JSON.parse(answer.body), { code: 'QUOTA_EXCEEDED', degraded: true })
        t.notOk('resetsAt' in JSON.parse(answer.body))
        t.ok(Number(answer.headers['retry-after']) >= 1)
        const fields = Object.keys(answer.headers).filter((name) => name.includes('ratelimit'))
        t.same(fields, [], 'nothing rather than a guess')
      }
    }

    t.equal((await readiness(management)).status, 200, 'ready')
    t.ok(await isDegraded(), 'and says that it is degraded')
    t.equal(await metric(management, 'gateway_store_up{store="counters"}'), '0')
    const alone = await burst(clients, 40, { key })
    t.equal(admittedOf(alone), 25, 'the share of one of four processes')
    checkShare(alone)

    const redis = await startRedisServer({ port })
    t.teardown(() => redis.stop())
    await until('shared once Redis is there', isShared)
    t.equal(await metric(management, 'gateway_store_up{store="counters"}'), '1')
    const [first] = await burst(clients, 1, { key })
    t.equal(first?.headers['x-ratelimit-remaining'], '74', 'what it admitted alone is counted')

    const path = '/v1.7.0/card-accounts'
    t.equal(admittedOf(await burst(clients, 20, { key, path })), 20)
    await redis.kill()
    const without: Answer[] = []
    for (let round = 0; round < 12; round += 1) {
      without.push(...(await burst(clients, 5, { key, path })))
    }
    t.ok(
      without.every(({ status }) => status === 200 || status === 429),
      'no 5xx while Redis is gone',
    )
    t.ok(admittedOf(without) <= 20, `${admittedOf(without)} of the 80 left, at most its share`)
    t.ok(admittedOf(without) > 0)
    checkShare(without)
    t.ok(await isDegraded())

    // It comes back empty: the gateway brings back what it knows.
    await redis.restart()
    await until('shared again', isShared)
    await burst(clients, 200, { key })
    await burst(clients, 200, { key, path })
    const admitted = (operation: string) =>
      ledger.entries.filter((entry) => entry.operation === operation).length
    t.equal(admitted('xs2a@1.7.0 listAccounts'), 100)
    t.equal(admitted('xs2a@1.7.0 listCardAccounts'), 100)
  },
)

t.test(
  'without its database a gateway goes on serving the keys it knows and refuses no other as invalid',
  { skip: fleetMissing(), timeout: 300_000 },
  async (t) => {
    const fleet = await startFleet(t, { size: 1, plan: { ...plan, calls: 100_000 } })
    const known = await newApplication(fleet.stores, 'known')
    const unknown = await newApplication(fleet.stores, 'unknown')
    const management = fleet.gateways[0]?.urls.management ?? ''
    await everyGatewayHasHeard(fleet)
    t.equal(admittedOf(await burst(fleet.clients, 1, { key: known.key })), 1)

    await fleet.postgres.stop()
    const served = await burst(fleet.clients, 50, { key: known.key })
    t.equal(admittedOf(served), 50, 'the known key is served')
    for (const key of [unknown.key, generateKey(randomBytes).text]) {
      for (const answer of await burst(fleet.clients, 20, { key, path: accountsPath })) {
        t.equal(answer.status, 503, 'never 401')
        t.equal(codeOf(answer), 'REGISTRY_UNAVAILABLE')
        t.ok(Number(answer.headers['retry-after']) >= 1)
        t.ok(answer.endedAt - answer.begunAt < 5000, 'soon')
      }
    }
    await until('it says so', async () => (await readiness(management)).text.includes('"degraded"'))
    t.equal((await readiness(management)).status, 200, 'and stays ready')
    t.equal(admittedOf(await burst(fleet.clients, 50, { key: known.key })), 50)

    await fleet.postgres.start()
    await until('the other key works once the database is back', async () => {
      const [answer] = await burst(fleet.clients, 1, { key: unknown.key })
      return answer?.status === 200
    })
    const [stranger] = await burst(fleet.clients, 1, { key: generateKey(randomBytes).text })
    t.equal(stranger === undefined ? undefined : codeOf(stranger), 'KEY_INVALID')
    await until('it is ready again', async () =>
      (await readiness(management)).text.includes('"ok"'),
    )
  },
)
