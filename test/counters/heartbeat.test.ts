import t from 'tap'
import { noObserver } from '../../src/gateway/counters/redis/counter-observer.ts'
import { createHeartbeat, processesKey } from '../../src/gateway/counters/redis/heartbeat.ts'
import { redisMissing, testRedis } from '../support/redis-server.ts'
import { testCounter, until } from './redis-rig.ts'
import { ask, bucketOf, silent } from './rig.ts'

t.test(
  'a store that forgets the processes and flaps does not make this one count itself alone',
  async (t) => {
    let told = [1, 2, 3, 4]
    let beats = 0
    const heartbeat = createHeartbeat({
      configured: 1,
      log: silent,
      ask: async () => ({ numbers: told, sentAt: 0, receivedAt: 0 }),
      onSeen() {
        beats += 1
      },
    })
    t.teardown(() => heartbeat.close())
    async function beat(): Promise<void> {
      const before = beats
      heartbeat.beat()
      await until(() => beats > before)
    }
    await beat()
    t.equal(heartbeat.processes(), 4)
    told = [4]
    for (let flap = 0; flap < 10; flap += 1) await beat()
    t.equal(heartbeat.processes(), 4)
    t.same(heartbeat.living().slice(1), [1, 2, 3, 4], 'beside itself')
    const tookMs = await until(() => heartbeat.processes() === 1)
    t.ok(tookMs > 3000, `those that are gone are reckoned with for five beats: ${tookMs}`)
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
    await until(() => seen.length > 0)
    t.equal(seen[0], 1)
    t.match(await server.cli('ZRANGE', processesKey, '0', '-1'), foreign, 'it was there')
    await server.cli('FLUSHALL')
    await plant()
    const limits = [{ ...bucketOf('foreign'), calls: 1_000_000 }]
    // After a loss a process names the others to the store.
    await until(async () => {
      await ask(counter, limits)
      return (await server.cli('KEYS', '*foreign*')) !== ''
    })
    t.equal(seen.at(-1), 1)
  },
)
