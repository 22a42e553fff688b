import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { processesKey } from '../../src/gateway/counters/redis/heartbeat.ts'
import { type CountingProcess, startProcess } from '../../test/counters/processes.ts'
import { type RedisServer, redisMissing, testRedis } from '../../test/support/redis-server.ts'
import { until } from '../../test/support/until.ts'
import { figure } from '../figure.ts'
import { proofSize } from '../size.ts'

const skip = redisMissing()

/** Buckets that each process has used up before the loss; 200000 is the size of a large installation. */
const known = proofSize({ share: 3_000, whole: 10_000 })

/** Calls probed after the loss, over all processes. */
const probes = 3000

/** Four processes that know of each other, each with buckets that it used up and no other one has seen. */
async function testProcesses(t: Test, redis: RedisServer): Promise<CountingProcess[]> {
  const setup = { url: redis.url, processes: 4 }
  const processes = await Promise.all([0, 1, 2, 3].map(() => startProcess(t, setup)))
  for (const [index, process] of processes.entries()) {
    const admitted = await process.askEach({ name: `of-${index}`, from: 0, to: known, step: 1 })
    t.equal(admitted, known)
  }
  await until(
    'four processes are known',
    async () => (await redis.cli('ZCARD', processesKey)) === '4',
  )
  // Each learns of the last one with its next heartbeat.
  await delay(1500)
  return processes
}

/** Calls granted on buckets that are used for the first time. */
function askFresh(process: CountingProcess, name: string): Promise<number> {
  return process.askEach({ name, from: 0, to: 10, step: 1 })
}

/** Has every process ask for buckets that the next one used up; resolves with how many calls were granted twice. */
async function probe(processes: readonly CountingProcess[]): Promise<number> {
  const step = Math.max(1, Math.floor((known * processes.length) / probes))
  const admitted = await Promise.all(
    processes.map((process, index) =>
      process.askEach({ name: `of-${(index + 1) % 4}`, from: step - 1, to: known, step }),
    ),
  )
  return admitted.reduce((sum, each) => sum + each, 0)
}

t.test(
  'after a flush no call is granted twice, however late a living process brings its counts',
  { skip, timeout: 300_000 },
  async (t) => {
    const redis = await testRedis(t)
    const processes = await testProcesses(t, redis)
    const [late] = processes
    await redis.cli('FLUSHALL')
    const lostAt = performance.now()
    late?.child.kill('SIGSTOP')
    const probed = probe(processes)
    await delay(2500)
    late?.child.kill('SIGCONT')
    t.equal(await probed, 0)
    figure(`${known} buckets each: shared again after ${Math.round(performance.now() - lostAt)} ms`)
    const fresh = processes.map((process, index) => askFresh(process, `fresh-${index}`))
    t.same(await Promise.all(fresh), [10, 10, 10, 10], 'not because every call is refused')
  },
)

t.test(
  'after a flush the processes that live are granted calls again although another one was killed',
  { skip, timeout: 300_000 },
  async (t) => {
    const redis = await testRedis(t)
    const processes = await testProcesses(t, redis)
    const [dead, ...living] = processes
    dead?.child.kill('SIGKILL')
    await redis.cli('FLUSHALL')
    const lostAt = performance.now()
    const fresh = living.map((process, index) => askFresh(process, `fresh-${index}`))
    t.same(await Promise.all(fresh), [10, 10, 10])
    const tookMs = performance.now() - lostAt
    t.ok(tookMs < 8000, `${Math.round(tookMs)} ms`)
  },
)

t.test(
  'a process that starts after a flush is granted nothing before the others have brought their counts',
  { skip, timeout: 300_000 },
  async (t) => {
    const redis = await testRedis(t)
    const [late] = await testProcesses(t, redis)
    await redis.cli('FLUSHALL')
    late?.child.kill('SIGSTOP')
    setTimeout(() => late?.child.kill('SIGCONT'), 2500)
    const joined = await startProcess(t, { url: redis.url, processes: 4 })
    t.equal(await joined.askEach({ name: 'of-0', from: 0, to: known, step: 1 }), 0)
    t.equal(await askFresh(joined, 'fresh'), 10, 'not because every call is refused')
  },
)
