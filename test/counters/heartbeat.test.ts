import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { noObserver } from '../../src/gateway/counters/redis/counter-observer.ts'
import { createHeartbeat, processesKey } from '../../src/gateway/counters/redis/heartbeat.ts'
import { redisMissing, testRedis } from '../support/redis-server.ts'
import { until } from '../support/until.ts'
import { testCounter } from './redis-rig.ts'
import { ask, bucketOf, silent } from './rig.ts'

t.test(
  'a store that loses the list of processes and flaps does not make this one count alone',
  async (t) => {
    mock.timers.enable({ apis: ['setInterval'] })
    t.teardown(() => mock.timers.reset())
    let told = [1, 2, 3, 4]
    let time = 0
    const heartbeat = createHeartbeat({
      configured: 1,
      log: silent,
      monotonic: () => time,
      randomInt: () => 9,
      onSeen: () => undefined,
      ask: async () => ({ numbers: told, sentAt: 0, receivedAt: 0 }),
    })
    t.teardown(() => heartbeat.close())
    async function second(): Promise<void> {
      time += 1000
      mock.timers.tick(1000)
      await turn()
    }
    await second()
    t.equal(heartbeat.processes(), 4)
    told = [4]
    for (let flap = 0; flap < 10; flap += 1) {
      heartbeat.beat()
      await turn()
    }
    t.equal(heartbeat.processes(), 4)
    t.same(heartbeat.living().slice(1), [1, 2, 3, 4], 'beside itself')
    for (let beats = 1; beats <= 4; beats += 1) await second()
    t.equal(heartbeat.processes(), 4, 'those that are gone are reckoned with for five beats')
    await second()
    t.equal(heartbeat.processes(), 1)
  },
)

t.test(
  'a process has a place when all others know it, keeps it in an outage, and loses it when it stood still',
  async (t) => {
    mock.timers.enable({ apis: ['setInterval'] })
    t.teardown(() => mock.timers.reset())
    let time = 0
    let isUp = true
    const heartbeat = createHeartbeat({
      configured: 3,
      log: silent,
      monotonic: () => time,
      randomInt: () => 9,
      onSeen: () => undefined,
      async ask() {
        if (!isUp) throw new Error('away')
        return { numbers: [1, 2], sentAt: 0, receivedAt: 0 }
      },
    })
    t.teardown(() => heartbeat.close())
    async function seconds(count: number): Promise<void> {
      for (let second = 0; second < count; second += 1) {
        time += 1000
        mock.timers.tick(1000)
        await turn()
      }
    }
    await seconds(2)
    t.equal(heartbeat.place('b'), undefined, 'others may not have seen it')
    await seconds(1)
    const place = heartbeat.place('b')
    t.ok(place !== undefined && place < 3, String(place))
    const places = new Set(Array.from({ length: 50 }, (_, index) => heartbeat.place(`b${index}`)))
    t.same([...places].sort(), [0, 1, 2], 'another order for each bucket')
    t.notOk(heartbeat.isCutOff())
    isUp = false
    await seconds(60)
    t.ok(heartbeat.isCutOff())
    t.equal(heartbeat.place('b'), place)
    isUp = true
    await seconds(1)
    t.notOk(heartbeat.isCutOff())
    t.equal(heartbeat.place('b'), undefined, 'in the outage others may have started')
    await seconds(2)
    t.equal(heartbeat.place('b'), place)
    time += 2000
    isUp = false
    await seconds(1)
    t.equal(heartbeat.place('b'), undefined, 'it stood still, and others may have forgotten it')
  },
)

t.test(
  'what another program has left among the processes counts as none, and calls are counted on',
  { skip: redisMissing() },
  async (t) => {
    const server = await testRedis(t)
    const foreign = '5b2c0a51-7f0a-4b1e-9a63-6a0f3a8c1d11'
    const plant = () => server.cli('ZADD', processesKey, String(Date.now()), foreign)
    await plant()
    const seen: number[] = []
    const observer = { ...noObserver, processes: (now: number) => void seen.push(now) }
    const counter = await testCounter(t, server, { isAdmitting: true, observer })
    await until('processes are seen', () => seen.length > 0)
    t.equal(seen[0], 1)
    t.match(await server.cli('ZRANGE', processesKey, '0', '-1'), foreign, 'it was there')
    await server.cli('FLUSHALL')
    await plant()
    const limits = [{ ...bucketOf('foreign'), calls: 1_000_000 }]
    // After a loss a process names the others to the store.
    await until('the store does not know the foreign process', async () => {
      await ask(counter, limits)
      return (await server.cli('KEYS', '*foreign*')) !== ''
    })
    t.equal(seen.at(-1), 1)
  },
)
