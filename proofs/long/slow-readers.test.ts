import { once } from 'node:events'
import { Agent, createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { fleetMissing, productionEnv, startStores, storesOf } from '../../test/support/fleet.ts'
import { listenOnLoopback } from '../../test/support/loopback.ts'
import { rawRequest } from '../../test/support/raw-client.ts'
import { newApplication, spawnTollgate, testConfigDir } from '../../test/support/tollgate.ts'
import { callHealthily } from '../bench/healthy-callers.ts'
import { startSlowCallers } from '../bench/slow-callers.ts'
import { percentile } from '../bench/statistics.ts'
import { figure } from '../figure.ts'

const readers = 100
const answerBytes = 3_000_000
/** Each takes 64 KiB at a time, an answer in 2.3 s: together 130 MB/s. */
const readsEveryMs = 50
/** Between the requests of a reader, which all readers make at once. */
const againMs = 4_000
const p99MaxMs = 300
/** Several, because slow calls of one operation may not take all places. */
const largeTargets = ['', '/a1', '/a1/balances', '/a1/transactions'].map(
  (rest) => `/v1.7.0/accounts${rest}`,
)

/** A backend in its own thread, so that what its large answers take is not taken from other calls. */
async function startLargeBackend(t: Test): Promise<string> {
  const program = `
    const { createServer } = require('node:http')
    const body = Buffer.alloc(${answerBytes}, 'x')
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': body.length })
      response.end(body)
    })
    server.listen(0, '127.0.0.1', () => {
      require('node:worker_threads').parentPort.postMessage(server.address().port)
    })`
  const thread = new Worker(program, { eval: true })
  t.teardown(() => thread.terminate())
  const [port] = await once(thread, 'message')
  return `http://127.0.0.1:${port}`
}

async function startSmallBackend(t: Test): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.end('{}')
  })
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${await listenOnLoopback(server)}`
}

t.test(
  `while ${readers} clients read ${answerBytes / 1e6} MB each slowly, 99 of 100 calls of others are answered within ${p99MaxMs} ms`,
  { skip: fleetMissing(), timeout: 300_000 },
  async (t) => {
    const { env: stores } = await startStores(t)
    const env = {
      ...productionEnv(),
      ...stores,
      CONFIG_DIR: testConfigDir(t),
      BACKEND_URL: await startLargeBackend(t),
      BACKEND_URLS: `mandate=${await startSmallBackend(t)}`,
      CALLS_PER_APPLICATION: '0',
      CALLS_PER_DEVELOPER: '0',
    }
    const { key } = await newApplication(await storesOf(t, env), 'reader')
    const { urls } = await spawnTollgate(t, ['gateway'], env)
    const target = '/v1.0.0/mandates/00000000-0000-4000-8000-000000000000'
    const agent = new Agent({ keepAlive: true })
    t.teardown(() => agent.destroy())
    /** Half of the calls are on kept connections. @returns milliseconds of each, and what others got */
    async function callOthers(seconds: number) {
      const common = { url: urls.gateway, ca: '', seconds, callsPerSecond: 50 }
      const requests = [{ method: 'GET', target, key }]
      const both = await Promise.all([
        callHealthily({ ...common, requests }),
        callHealthily({ ...common, requests, agent }),
      ])
      t.same(
        both.flatMap(({ failures }) => failures),
        [],
      )
      return both.map(({ answeredMs }) => percentile(answeredMs, 0.99))
    }
    await callOthers(5)
    const before = await callOthers(5)
    const slow = startSlowCallers({
      url: urls.gateway,
      callers: readers,
      readsEveryMs,
      again: { everyMs: againMs },
      requests: largeTargets.map((target) =>
        rawRequest(`GET ${target} HTTP/1.1`, [`X-API-Key: ${key}`]),
      ),
    })
    const beside = await callOthers(10)
    const { octets, refusals, open, cuts } = await (await slow).state()
    t.equal(refusals, 0)
    t.ok(octets > readers * answerBytes, `the readers have read ${octets} octets`)
    t.equal(open, readers, 'and read on')
    t.equal(cuts, 0)
    await (await slow).stop()
    await delay(1_000)
    const text = (p99s: readonly number[]) => p99s.map((ms) => ms.toFixed()).join(' and ')
    t.ok(Math.max(...beside) < p99MaxMs, `${text(beside)} ms`)
    figure(
      `p99 of others ${text(beside)} ms, on new and on kept connections; ${text(before)} ms without readers`,
    )
  },
)
