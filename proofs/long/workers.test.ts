import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { openDatabase } from '../../src/platform/database/database.ts'
import { createLog } from '../../src/platform/log/log.ts'
import {
  type Answer,
  burst,
  type Client,
  codeOf,
  countdown,
  createClient,
  remainingOf,
} from '../../test/support/calling.ts'
import { tollgateProcess } from '../../test/support/cli.ts'
import { testDataDir } from '../../test/support/database.ts'
import { fleetMissing, gatewayConnections, startFleet } from '../../test/support/fleet.ts'
import { startLedger } from '../../test/support/ledger-backend.ts'
import { metricsOf } from '../../test/support/metrics.ts'
import { startRawBackend } from '../../test/support/raw-backend.ts'
import { redisMissing, startRedisServer } from '../../test/support/redis-server.ts'
import {
  newApplication,
  quietEnv,
  registryBeside,
  spawnTollgate,
  testConfigDir,
} from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'
import { proofSize } from '../size.ts'
import { childrenOf, commandOf, isAlive } from '../support/children.ts'
import { windowBegins } from '../support/window-begins.ts'

const windowSeconds = 3
const size = 4
const windows = proofSize({ share: 3, whole: 10 })

t.setTimeout(600_000)

/** The sum of all series of a metric whose labels match. */
function total(metrics: string, name: string, labels = /.*/): number {
  let sum = 0
  for (const [, found = '', value] of metrics.matchAll(
    new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'),
  )) {
    if (labels.test(found)) sum += Number(value)
  }
  return sum
}

/**
 * Opens this number of connections, each answered before the next is opened.
 * A worker is free for its next connection before it reads the call of the one
 * it has, so the parent hands these out strictly in turn. Connections that
 * come at the same moment go to the worker that takes them first.
 */
async function connectInTurn(t: Test, url: string, key: string, count: number) {
  const opened: { readonly client: Client; readonly first: Answer }[] = []
  for (let made = 0; made < count; made += 1) {
    const client = createClient(t, url, 1)
    opened.push({ client, first: await client.call({ key }) })
  }
  return opened
}

/** Calls over connections of its own, one each, until told to stop. */
async function keepCalling(t: Test, url: string, key: string, callers: number) {
  const stopping = new AbortController()
  const opened = await connectInTurn(t, url, key, callers)
  const answers = opened.map(({ first }) => first)
  const failures = new Map<Client, number>()
  const running = opened.map(async ({ client }) => {
    while (!stopping.signal.aborted) {
      try {
        answers.push(await client.call({ key }))
      } catch {
        failures.set(client, (failures.get(client) ?? 0) + 1)
      }
      await delay(10)
    }
  })
  return {
    answers,
    failures,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

t.test('four workers behind one port', { skip: fleetMissing(), timeout: 400_000 }, async (t) => {
  const plan = { calls: 100, window: `PT${windowSeconds}S` }
  const fleet = await startFleet(t, {
    size: 1,
    plan,
    env: {
      GATEWAY_WORKERS: String(size),
      GATEWAY_PROCESSES: String(size),
      DRAIN_SECONDS: '2',
      LOG_LEVEL: 'info',
    },
  })
  const [gateway] = fleet.gateways
  if (gateway === undefined) throw new Error('no gateway')
  const { urls } = gateway
  t.equal(childrenOf(gateway.pid).length, size, 'as many processes as asked for')
  await Promise.all(fleet.clients.map((client) => client.warmUp(128)))
  const { key } = await newApplication(fleet.stores, 'workers')

  await t.test('admit exactly 100 of 500 concurrent calls in each window', async (t) => {
    let judged = 0
    for (let round = 0; judged < windows && round < 3 * windows; round += 1) {
      const from = fleet.ledger.entries.length
      const end = await windowBegins(windowSeconds)
      const answers = await burst(fleet.clients, 500, { key })
      const isWhole = Date.now() < end
      const isDegraded = answers.some(({ headers }) => headers['ratelimit'] === undefined)
      const entries = fleet.ledger.entries.slice(from)
      t.ok(
        answers.every((answer) => answer.status === 200 || codeOf(answer) === 'QUOTA_EXCEEDED'),
        'nothing but admissions and refusals',
      )
      if (!isWhole || isDegraded) continue
      judged += 1
      t.equal(entries.length, 100, `window ${judged}`)
      t.same(remainingOf(answers), countdown(99), 'every value of the counter once')
    }
    t.equal(judged, windows)
  })

  await t.test('take connections in turn, and write whole lines into one log', async (t) => {
    const rounds = 10
    const opened = await connectInTurn(t, urls.gateway, key, rounds * size)
    const ids = new Set(opened.map(({ first }) => first.requestId))
    const takers = () =>
      gateway.output.stderr
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
        .filter(({ msg, requestId }) => msg === 'call' && ids.has(requestId))
        .map(({ pid }): number => pid)
    await until('a line for each call', async () => takers().length === ids.size)
    const counts = childrenOf(gateway.pid).map(
      (worker) => takers().filter((pid) => pid === worker).length,
    )
    t.same(counts, Array(size).fill(rounds))
  })

  await t.test('show one scrape that adds up to what was called', async (t) => {
    const from = await metricsOf(gateway.urls.management)
    const booked = fleet.ledger.entries.length
    const answers = await burst(fleet.clients, 400, { key })
    await fleet.clients[0]?.call({ key: '', path: '/nothing' })
    const admitted = answers.filter(({ status }) => status === 200).length
    let to = from
    const grown = (name: string, labels?: RegExp) =>
      total(to, name, labels) - total(from, name, labels)
    // A call is counted when its answer is gone, a moment after it was read.
    await until('all calls are counted', async () => {
      to = await metricsOf(gateway.urls.management)
      return grown('gateway_requests_total') >= 401
    })
    t.equal(grown('gateway_requests_total'), 401)
    t.equal(grown('gateway_requests_total', /status_class="2xx"/), admitted)
    t.equal(grown('gateway_limit_decisions_total', /decision="admitted"/), admitted)
    t.equal(grown('gateway_request_duration_seconds_count'), 401)
    t.equal(grown('gateway_request_duration_seconds_bucket', /le="\+Inf"/), 401)
    t.equal(fleet.ledger.entries.length - booked, admitted)
    t.match(to, /^gateway_workers 4$/m)
    t.match(to, /^gateway_store_up\{store="counters"\} 1$/m, 'of a state the worst, not the sum')
    t.match(to, /^gateway_config_generation 1$/m)
    t.match(to, /^gateway_build_info\{.*\} 1$/m)
    t.match(to, /^process_start_time_seconds \d+$/m)
    const readiness = await fetch(`${urls.management}/readyz?verbose`)
    t.equal(readiness.status, 200)
    t.match(await readiness.json(), { status: 'ok' })
  })

  await t.test('lose one that is killed and nothing else; it is replaced', async (t) => {
    const callers = 20
    const load = await keepCalling(t, urls.gateway, key, callers)
    const begun = load.answers.length
    await until(
      'each caller had ten more answers',
      async () => load.answers.length >= begun + 10 * callers,
    )
    const before = await metricsOf(gateway.urls.management)
    const [victim = 0, ...others] = childrenOf(gateway.pid)
    process.kill(victim, 'SIGKILL')
    const isReplaced = async () => {
      const metrics = await metricsOf(gateway.urls.management)
      return (
        total(metrics, 'gateway_workers_replaced_total') === 1 &&
        total(metrics, 'gateway_workers') === size
      )
    }
    await until('again four', isReplaced)
    const whole = load.answers.length
    await until(
      'each caller had five more answers',
      async () => load.answers.length >= whole + 5 * callers,
    )
    await load.stop()
    t.ok(load.failures.size <= callers / size, `${load.failures.size} of ${callers} were with it`)
    t.ok(
      [...load.failures.values()].every((count) => count === 1),
      'each lost the call under way',
    )
    t.ok(
      load.answers.every(({ status }) => status === 200 || status === 429),
      'no other connection noticed',
    )
    const now = childrenOf(gateway.pid)
    t.ok(others.every((pid) => now.includes(pid)) && !now.includes(victim) && now.length === size)
    const after = await metricsOf(gateway.urls.management)
    t.equal(total(after, 'gateway_workers_replaced_total'), 1)
    t.ok(
      total(after, 'gateway_requests_total') >=
        total(before, 'gateway_requests_total') + load.answers.length / 4,
      'no counter went back',
    )
    const told = /"signal":"SIGKILL".*"msg":"a worker ended and will be replaced"/
    await until(told.source, async () => told.test(gateway.output.stderr))
  })

  await t.test(
    'take a reload into force in all, and keep the old one before a bad one',
    async (t) => {
      const file = join(fleet.env['CONFIG_DIR'] ?? '', 'plans', 'default.yaml')
      const good = readFileSync(file, 'utf8')
      const quotas = async () => {
        const seen = new Set<string>()
        // A connection each: every worker has its turn. What Redis did not answer in time says nothing.
        for (let told = 0; told < 2 * size; ) {
          const { headers } = await createClient(t, urls.gateway, 1).call({ key })
          const policy = headers['ratelimit-policy']
          if (policy === undefined) await delay(50)
          else {
            seen.add(policy)
            told += 1
          }
        }
        return [...seen]
      }
      const load = await keepCalling(t, urls.gateway, key, 8)
      writeFileSync(file, good.replace('calls: 100', 'calls: 50'))
      gateway.signal('SIGHUP')
      await until('the second configuration is in force', async () =>
        /^gateway_config_generation 2$/m.test(await metricsOf(gateway.urls.management)),
      )
      t.same(await quotas(), [`"default";q=50;w=${windowSeconds}`])

      writeFileSync(file, 'title: 5')
      gateway.signal('SIGHUP')
      await until(
        'refused once, not once in each',
        async () =>
          total(
            await metricsOf(gateway.urls.management),
            'gateway_config_reloads_total',
            /failure/,
          ) === 1,
      )
      t.same(await quotas(), [`"default";q=50;w=${windowSeconds}`])
      // The files are bad, and still a worker can be replaced.
      process.kill(childrenOf(gateway.pid)[0] ?? 0, 'SIGKILL')
      await until('two workers were replaced', async () =>
        /^gateway_workers_replaced_total 2$/m.test(await metricsOf(gateway.urls.management)),
      )
      t.same(await quotas(), [`"default";q=50;w=${windowSeconds}`])
      t.match(await metricsOf(gateway.urls.management), /^gateway_config_generation 2$/m)
      await load.stop()
      t.equal([...load.failures.values()].reduce((sum, count) => sum + count, 0) <= 2, true)
      writeFileSync(file, good)
      gateway.signal('SIGHUP')
      await until('the third configuration is in force', async () =>
        /^gateway_config_generation 3$/m.test(await metricsOf(gateway.urls.management)),
      )
    },
  )

  await t.test('give a worker that loads meanwhile the configuration of a reload', async (t) => {
    const file = join(fleet.env['CONFIG_DIR'] ?? '', 'plans', 'default.yaml')
    const reloads = async () =>
      total(await metricsOf(gateway.urls.management), 'gateway_config_reloads_total', /success/)
    const reloadsBefore = await reloads()
    const before = childrenOf(gateway.pid)
    process.kill(before[0] ?? 0, 'SIGKILL')
    // A child that does not run its own program yet holds its parent up: stopped, it would stop both.
    const loading = () =>
      childrenOf(gateway.pid).find(
        (pid) => !before.includes(pid) && commandOf(pid).includes('worker.ts'),
      )
    await until('a worker loads', async () => loading() !== undefined)
    const pid = loading() ?? 0
    process.kill(pid, 'SIGSTOP')
    writeFileSync(file, readFileSync(file, 'utf8').replace('calls: 100', 'calls: 70'))
    gateway.signal('SIGHUP')
    await until('the others have reloaded', async () => (await reloads()) > reloadsBefore)
    process.kill(pid, 'SIGCONT')
    await until('again four', async () =>
      /^gateway_workers 4$/m.test(await metricsOf(gateway.urls.management)),
    )
    const policies = new Set<unknown>()
    for (let call = 0; call < 4 * size; call += 1) {
      const { headers } = await createClient(t, urls.gateway, 1).call({ key })
      if (headers['ratelimit-policy'] !== undefined) policies.add(headers['ratelimit-policy'])
    }
    t.same([...policies], [`"default";q=70;w=${windowSeconds}`])
  })

  await t.test('fail no call at SIGTERM, write what waits and leave nobody behind', async (t) => {
    const { applicationId, key } = await newApplication(fleet.stores, 'stopped')
    const answers: Answer[] = []
    const callers = Array.from({ length: 20 }, async () => {
      const client = createClient(t, urls.gateway, 1)
      for (;;) {
        const answer = await client.call({ key })
        answers.push(answer)
        if (answer.headers['connection'] === 'close') return
        await delay(20)
      }
    })
    await delay(1500)
    const children = childrenOf(gateway.pid)
    const told = Date.now()
    // As a service manager signals: everybody.
    for (const pid of [gateway.pid, ...children]) process.kill(pid, 'SIGTERM')
    await until(
      'not ready while it serves on',
      async () => (await fetch(`${urls.management}/readyz`)).status === 503,
    )
    t.equal((await fetch(`${urls.management}/livez`)).status, 200)
    const fates = await Promise.allSettled(callers)
    t.same(
      fates.filter(({ status }) => status === 'rejected'),
      [],
      'no call failed',
    )
    t.ok(
      answers.every(({ status }) => status === 200 || status === 429),
      `${answers.length} calls were answered`,
    )
    t.ok(
      answers.every(({ headers, endedAt }) => headers['connection'] !== 'close' || endedAt >= told),
      'nobody was told to move before',
    )
    t.equal(await gateway.ended, 0)
    t.ok(Date.now() - told < 10_000, `after ${Date.now() - told} ms`)
    t.notOk(children.some(isAlive), 'no worker is left')
    const database = openDatabase({ url: fleet.postgres.url, log: createLog('silent') })
    t.teardown(() => database.close())
    const { rows } = await sql<{ calls: number }>`
      select sum(admitted + refused)::int as calls from usage_minutes
      where application_id = ${applicationId}`.execute(database.connect())
    t.same(rows, [{ calls: answers.length }], 'the usage counts every one of them')
    t.notMatch(gateway.output.stderr, /"level":"fatal"/)
  })
})

t.test('with Redis beside an embedded process', { skip: redisMissing() }, async (t) => {
  const redis = await startRedisServer()
  t.teardown(() => redis.stop())
  const config = testConfigDir(t)
  const env = async (given: Readonly<Record<string, string>> = {}) => ({
    DATA_DIR: await testDataDir(t),
    CONFIG_DIR: config,
    REDIS_URL: redis.url,
    GATEWAY_WORKERS: '2',
    ...given,
  })

  await t.test('a primary process that is killed takes its workers with it', async (t) => {
    const ledger = await startLedger(t)
    const gateway = await spawnTollgate(t, ['gateway'], await env({ BACKEND_URL: ledger.url }))
    const workers = childrenOf(gateway.pid)
    t.equal(workers.length, 2)
    gateway.signal('SIGKILL')
    await gateway.ended
    await until('no worker is left', async () => !workers.some(isAlive))
    const socket = connect(Number(new URL(gateway.urls.gateway).port), '127.0.0.1')
    const outcome = await new Promise((resolve) => {
      socket.once('connect', () => resolve('connected'))
      socket.once('error', (error) => resolve('code' in error ? error.code : error))
    })
    t.equal(outcome, 'ECONNREFUSED', 'the port is free')
  })

  await t.test('a second signal does not wait for the first to be done', async (t) => {
    const backend = await startRawBackend(t)
    backend.answer = () => undefined
    const given = await env({ BACKEND_URL: backend.url, DRAIN_SECONDS: '0' })
    const gateway = await spawnTollgate(t, ['gateway'], given)
    const { key } = await newApplication(await registryBeside(t, given.DATA_DIR), 'stopped')
    const workers = childrenOf(gateway.pid)
    const call = createClient(t, gateway.urls.gateway, 1).call({ key })
    const cut = call.then(
      () => 'answered',
      () => 'cut',
    )
    while (backend.requests.length < 1) await delay(20)
    gateway.signal('SIGTERM')
    await delay(800)
    t.ok(workers.some(isAlive), 'the call under way holds its worker')
    gateway.signal('SIGTERM')
    t.not(await gateway.ended, 0)
    t.equal(await cut, 'cut')
    await until('no worker is left', async () => !workers.some(isAlive))
  })

  await t.test(
    'a killed worker ends the connections it was handed and had not taken; one that served for seconds is replaced at once',
    async (t) => {
      const ledger = await startLedger(t)
      const gateway = await spawnTollgate(
        t,
        ['gateway'],
        await env({ BACKEND_URL: ledger.url, LOG_LEVEL: 'info' }),
      )
      const port = Number(new URL(gateway.urls.gateway).port)
      for (let round = 1; round <= 3; round += 1) {
        // As long as a worker must serve for a short wait before the next.
        await delay(3_500)
        const [victim = 0] = childrenOf(gateway.pid)
        process.kill(victim, 'SIGSTOP')
        const sockets = Array.from({ length: 6 }, () => connect(port, '127.0.0.1'))
        const ends = sockets.map(async (socket) => {
          socket.on('error', () => undefined).resume()
          socket.write('GET / HTTP/1.1\r\nHost: bank\r\nConnection: close\r\n\r\n')
          // An end by a reset is an end, too.
          await new Promise((resolve) => socket.once('close', resolve))
        })
        // Time for the parent to hand them over; the other worker answers all but one.
        let open = sockets.length
        for (const end of ends) {
          void end.then(() => {
            open -= 1
          })
        }
        await until('one connection waits for the stopped worker', async () => open === 1)
        process.kill(victim, 'SIGKILL')
        await until('it ends with its worker', async () => open === 0)
        for (const socket of sockets) socket.destroy()
        const whole = async () =>
          total(await metricsOf(gateway.urls.management), 'gateway_workers') === 2 &&
          total(await metricsOf(gateway.urls.management), 'gateway_workers_replaced_total') ===
            round
        await until('it was replaced', whole)
      }
      const pauses = () =>
        [...gateway.output.stderr.matchAll(/"pauseMs":(\d+),"msg":"a worker ended/g)].map(
          ([, ms]) => ms,
        )
      await until('each end has a line', async () => pauses().length >= 3)
      t.same(pauses(), ['100', '100', '100'])
    },
  )

  await t.test('a port that is taken is told once', async (t) => {
    const ledger = await startLedger(t)
    const taken = new URL(ledger.url).port
    const { code, stdout, stderr } = await tollgateProcess(
      { ...quietEnv, ...(await env({ BACKEND_URL: ledger.url, GATEWAY_PORT: taken })) },
      'start',
      'gateway',
    )
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(
      stderr,
      new RegExp(
        `^tollgate: GATEWAY_HOST/GATEWAY_PORT: cannot listen on 127\\.0\\.0\\.1:${taken}: the port is in use by another process.*\\nFree at the moment: .*\\n$`,
      ),
    )
  })

  await t.test('a key that is none is told once', async (t) => {
    const { code, stderr } = await tollgateProcess(
      {
        ...quietEnv,
        ...(await env({ BACKEND_URL: 'http://127.0.0.1:9', IDENTITY_PRIVATE_KEY: 'none' })),
      },
      'start',
      'gateway',
    )
    t.equal(code, 1)
    t.match(stderr, /^tollgate: IDENTITY_PRIVATE_KEY: must be an Ed25519 private key .*\n$/)
  })

  await t.test('with one worker there is no process more than before', async (t) => {
    const given = await env({ BACKEND_URL: 'http://127.0.0.1:9', GATEWAY_WORKERS: '1' })
    const gateway = await spawnTollgate(t, ['gateway'], given)
    t.same(childrenOf(gateway.pid), [])
    t.notMatch(await metricsOf(gateway.urls.management), /gateway_workers/)
  })
})

t.test(
  'two workers take no more connections than the pool may have',
  { skip: fleetMissing() },
  async (t) => {
    const { clients, stores, postgres } = await startFleet(t, {
      size: 1,
      env: { DATABASE_CONNECTIONS_MAX: '6', GATEWAY_WORKERS: '2', GATEWAY_PROCESSES: '2' },
    })
    const { key } = await newApplication(stores, 'served')
    const answers = await Promise.all(Array.from({ length: 20 }, () => clients[0]?.call({ key })))
    t.same(new Set(answers.map((answer) => answer?.status)), new Set([200]))
    const count = await gatewayConnections(postgres)
    t.ok(count >= 2 && count <= 6, `${count} connections`)
  },
)
