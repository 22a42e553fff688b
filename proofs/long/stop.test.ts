import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type Answer, type Client, createClient } from '../../test/support/calling.ts'
import { testDataDir } from '../../test/support/database.ts'
import { startLedger } from '../../test/support/ledger-backend.ts'
import { startRawBackend } from '../../test/support/raw-backend.ts'
import {
  newApplication,
  registryBeside,
  spawnTollgate,
  type TollgateProcess,
  testConfigDir,
} from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

async function startGateway(
  t: Test,
  backendUrl: string,
  env: Readonly<Record<string, string>>,
): Promise<{ gateway: TollgateProcess; key: string }> {
  const dataDir = await testDataDir(t)
  const gateway = await spawnTollgate(t, [], {
    DATA_DIR: dataDir,
    CONFIG_DIR: testConfigDir(t),
    BACKEND_URL: backendUrl,
    LOG_LEVEL: 'info',
    ...env,
  })
  const { key } = await newApplication(await registryBeside(t, dataDir), 'stopped')
  return { gateway, key }
}

/**
 * Calls every 100 ms over one kept connection until an answer says that it ends. Rejects when a call gets no whole answer.
 */
async function callUntilToldToMove(client: Client, key: string): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (;;) {
    const answer = await client.call({ key })
    answers.push(answer)
    if (answer.headers['connection'] === 'close') return answers
    await delay(100)
  }
}

t.test(
  'SIGTERM under load fails no call: not ready, serving on, kept connections are asked to close, exit 0',
  { timeout: 300_000 },
  async (t) => {
    const ledger = await startLedger(t)
    const { gateway, key } = await startGateway(t, ledger.url, { DRAIN_SECONDS: '5' })
    // 20 callers with a connection each: 200 calls a second.
    const callers = Array.from({ length: 20 }, () =>
      callUntilToldToMove(createClient(t, gateway.urls.gateway, 1), key),
    )
    await until('the load has begun', () => ledger.entries.length > 100)
    const told = Date.now()
    gateway.signal('SIGTERM')
    await until('the gateway reports to load balancers that it is not ready', async () => {
      const { status } = await fetch(`${gateway.urls.management}/readyz`)
      return status === 503
    })
    t.equal((await fetch(`${gateway.urls.management}/livez`)).status, 200)

    const fates = await Promise.allSettled(callers)
    const failures = fates.filter(({ status }) => status === 'rejected')
    t.same(failures, [], 'no call failed')
    const answers = fates.flatMap((fate) => (fate.status === 'fulfilled' ? fate.value : []))
    t.ok(
      answers.every(({ status }) => status === 200),
      `${answers.length} calls were answered 200`,
    )
    t.ok(
      answers.every(({ headers, endedAt }) => headers['connection'] !== 'close' || endedAt >= told),
      'no client was asked to move before',
    )
    t.equal(ledger.entries.length, answers.length)
    t.equal(await gateway.ended, 0)
  },
)

t.test(
  'calls under way at SIGTERM are answered, and only then the process ends',
  { timeout: 300_000 },
  async (t) => {
    const backend = await startRawBackend(t)
    const answerNow = backend.answer
    backend.answer = (request, socket) => void setTimeout(() => answerNow(request, socket), 1500)
    const { gateway, key } = await startGateway(t, backend.url, { DRAIN_SECONDS: '0' })
    const client = createClient(t, gateway.urls.gateway, 30)
    const calls = Array.from({ length: 30 }, () => client.call({ key }))
    while (backend.requests.length < 30) await delay(20)
    const told = Date.now()
    gateway.signal('SIGTERM')
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    t.same(new Set(statuses), new Set([200]))
    t.equal(await gateway.ended, 0)
    t.ok(Date.now() - told < 20_000, 'kept connections do not hold it')
    t.ok(gateway.output.stderr.includes('"msg":"stopped"'))
    const ready = gateway.output.stdout.split('\n').filter((line) => /^tollgate ready/.test(line))
    t.equal(ready.length, 1, 'one ready line')
    t.match(ready[0], /^tollgate ready gateway=http:\S+ management=http:\S+ portal=http:\S+$/)
  },
)

t.test(
  'a second signal does not wait for the first to be done',
  { timeout: 300_000 },
  async (t) => {
    const backend = await startRawBackend(t)
    backend.answer = () => undefined
    const { gateway, key } = await startGateway(t, backend.url, { DRAIN_SECONDS: '0' })
    const call = createClient(t, gateway.urls.gateway, 1).call({ key })
    const cut = call.then(
      () => 'answered',
      () => 'cut',
    )
    while (backend.requests.length < 1) await delay(20)
    gateway.signal('SIGINT')
    await until('it has the signal', () => gateway.output.stderr.includes('"msg":"stopping"'))
    // What comes within half a second counts as the same signal.
    await delay(800)
    gateway.signal('SIGINT')
    t.not(await gateway.ended, 0, 'an abrupt stop is not a clean shutdown')
    t.equal(await cut, 'cut')
  },
)

t.test(
  'clients that have said nothing, or half a request, do not hold a stop',
  { timeout: 300_000 },
  async (t) => {
    const gateway = await spawnTollgate(t, [], {
      DATA_DIR: await testDataDir(t),
      CONFIG_DIR: testConfigDir(t),
      LOG_LEVEL: 'info',
    })
    for (const url of Object.values(gateway.urls)) {
      for (const said of ['', 'GET /v1.7.0/acc', 'GET / HTTP/1.1\r\nHost: bank\r\n']) {
        const socket = connect(Number(new URL(url).port), '127.0.0.1')
        // An end by reset is an end, too.
        socket.on('error', () => undefined)
        t.teardown(() => socket.destroy())
        await once(socket, 'connect')
        socket.write(said)
      }
    }
    // Each is accepted by now: a later client of each listener was answered.
    for (const url of Object.values(gateway.urls)) await fetch(url)
    const told = Date.now()
    gateway.signal('SIGTERM')
    t.equal(await gateway.ended, 0)
    t.ok(Date.now() - told < 20_000, `ended after ${Date.now() - told} ms`)
    t.ok(gateway.output.stderr.includes('"msg":"stopped"'), 'its stores are closed')
  },
)

t.test('a signal that comes twice at once is one signal', { timeout: 300_000 }, async (t) => {
  const backend = await startRawBackend(t)
  const answerNow = backend.answer
  backend.answer = (request, socket) => void setTimeout(() => answerNow(request, socket), 1000)
  const { gateway, key } = await startGateway(t, backend.url, { DRAIN_SECONDS: '0' })
  const call = createClient(t, gateway.urls.gateway, 1).call({ key })
  while (backend.requests.length < 1) await delay(20)
  gateway.signal('SIGINT')
  // Another one, since the system makes one of two that wait together.
  gateway.signal('SIGTERM')
  t.equal((await call).status, 200)
  t.equal(await gateway.ended, 0)
})
