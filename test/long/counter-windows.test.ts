import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { startProcess } from '../counters/processes.ts'
import { bucketOf, countdown, remainingOf } from '../counters/rig.ts'
import { redisMissing, testRedis } from '../support/redis-server.ts'

t.test(
  'four processes admit exactly 100 of 500 calls in each of 20 windows, every remaining value once',
  { skip: redisMissing(), timeout: 90_000 },
  async (t) => {
    const { url } = await testRedis(t)
    const setup = { url, processes: 4 }
    const processes = await Promise.all([1, 2, 3, 4].map(() => startProcess(t, setup)))
    const limits = [{ ...bucketOf('race', 1), calls: 100 }]
    let judged = 0
    for (let round = 0; judged < 20 && round < 40; round += 1) {
      // All calls of a round belong into one window of a second; of a round that did not fit, nothing can be said.
      await delay(1000 - (Date.now() % 1000) + 20)
      const window = Math.floor(Date.now() / 1000)
      const grants = await Promise.all(processes.map((each) => each.ask({ limits, times: 125 })))
      if (Math.floor(Date.now() / 1000) !== window) continue
      judged += 1
      t.same(remainingOf(grants.flat()), countdown(99), `window ${window}`)
    }
    t.equal(judged, 20)
  },
)
