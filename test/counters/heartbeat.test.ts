import t from 'tap'
import { createHeartbeat } from '../../src/gateway/counters/heartbeat.ts'
import { until } from './redis-rig.ts'
import { silent } from './rig.ts'

t.test(
  'a store that forgets the processes and flaps does not make this one count itself alone',
  async (t) => {
    let told = 4
    let beats = 0
    const heartbeat = createHeartbeat({
      configured: 1,
      log: silent,
      ask: async () => ({ numbers: [told], sentAt: 0, receivedAt: 0 }),
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
    told = 1
    for (let flap = 0; flap < 10; flap += 1) await beat()
    t.equal(heartbeat.processes(), 4)
    const tookMs = await until(() => heartbeat.processes() === 1)
    t.ok(tookMs > 3000, `those that are gone are reckoned with for five beats: ${tookMs}`)
  },
)
