import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { Client } from 'pg'
import t from 'tap'
import { createClient } from '../../test/support/calling.ts'
import { tollgate } from '../../test/support/cli.ts'
import {
  postgresMissing,
  startPostgres,
  type Test,
  testDataDir,
} from '../../test/support/database.ts'
import { fleetMissing, productionEnv, startStores, storesOf } from '../../test/support/fleet.ts'
import { metricsOf } from '../../test/support/metrics.ts'
import { newApplication, spawnTollgate, testConfigDir } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

// Each waits for processes of its own.
t.jobs = 3

t.test(
  '(14) gateways on one PostgreSQL that do not share their counters are refused at start; a killed one bars no other once its claim has ended',
  { skip: postgresMissing() },
  async (t) => {
    const postgres = await startPostgres(t)
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
    await ageClaims(t, postgres.url)
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
  'a gateway that finds another one counting by itself beside it says so until that one is gone',
  { skip: postgresMissing() },
  async (t) => {
    const postgres = await startPostgres(t)
    const admin = await connect(t, postgres.url)
    const gateway = await spawnTollgate(t, ['gateway'], {
      ...productionEnv(),
      DATABASE_URL: postgres.url,
      BACKEND_URL: 'http://127.0.0.1:9',
      CONFIG_DIR: testConfigDir(t),
      DATA_DIR: await testDataDir(t),
      LOG_LEVEL: 'info',
    })
    // As after an outage of the database in which the claim of the first one had ended.
    await admin.query(`insert into processes (id, roles, host, pid, version, generation, digest, judged, counts)
      select gen_random_uuid(), roles, 'elsewhere', 1, version, 1, digest, 0, counts from processes`)
    const shown = async (contested: 0 | 1) => {
      gateway.signal('SIGHUP')
      const metrics = await metricsOf(gateway.urls.management)
      return metrics.includes(`\ngateway_counting_contested ${contested}\n`)
    }
    await until('the metric is 1', () => shown(1))
    t.match(gateway.output.stderr, 'limits may be multiplied')
    await admin.query("delete from processes where host = 'elsewhere'")
    await until('the metric is 0', () => shown(0))
    t.match(gateway.output.stderr, 'no other process counts by itself')
  },
)

t.test(
  'a gateway that ends keeps its claim and its place in the list until its last call has ended',
  { skip: postgresMissing() },
  async (t) => {
    const postgres = await startPostgres(t)
    const { url, responses } = await startHoldingBackend(t)
    const env = {
      ...productionEnv(),
      DATABASE_URL: postgres.url,
      BACKEND_URL: url,
      BACKEND_FIRST_BYTE_MS: '60000',
      BACKEND_CALL_MS: '60000',
      CONFIG_DIR: testConfigDir(t),
      DATA_DIR: await testDataDir(t),
    }
    const stores = await storesOf(t, env)
    const gateway = await spawnTollgate(t, ['gateway'], env)
    const { key } = await newApplication(stores, 'in progress')
    const call = createClient(t, gateway.urls.gateway).call({ key })
    await until('the backend has the call', async () => responses.length > 0)

    gateway.signal('SIGTERM')
    await until('the gateway accepts no more connections', async () => {
      const refused = fetch(gateway.urls.gateway).then(
        () => false,
        () => true,
      )
      return refused
    })
    const admin = await connect(t, postgres.url)
    const seen = new Set<string>()
    await until('it has reported twice since the signal', async () => {
      const { rows } = await admin.query('select seen_at::text as "seenAt" from processes')
      const [{ seenAt }] = rows
      seen.add(seenAt)
      return seen.size === 3
    })
    const second = { ...env, DATA_DIR: await testDataDir(t) }
    await t.rejects(spawnTollgate(t, ['gateway'], second), {
      message: /ended with 1: .*REDIS_URL: is required: another gateway process/,
    })
    const reload = await tollgate(env, 'reload', '--wait', '10', '--json')
    t.equal(reload.code, 0, reload.stdout)
    t.match(JSON.parse(reload.stdout).processes, [{ pid: gateway.pid, state: 'current' }])

    for (const response of responses) response.end('{}')
    t.equal((await call).status, 200)
    t.equal(await gateway.ended, 0, gateway.output.stderr)
    t.same((await admin.query('select id from processes')).rows, [])
  },
)

/** A backend whose answers the test ends. */
async function startHoldingBackend(t: Test) {
  const responses: ServerResponse[] = []
  const server = createServer((request, response) => {
    request.resume()
    responses.push(response.writeHead(200, { 'content-type': 'application/json' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { url: `http://127.0.0.1:${port}`, responses }
}

async function connect(t: Test, url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  // The server stops before the test ends.
  client.on('error', () => undefined)
  await client.connect()
  t.teardown(() => client.end())
  return client
}

/** Time passes for the row of a process that was killed. */
async function ageClaims(t: Test, url: string): Promise<void> {
  const admin = await connect(t, url)
  await admin.query("update processes set seen_at = seen_at - interval '1 minute'")
}
