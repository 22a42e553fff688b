import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createSchedule } from '../../test/simulation/draw-schedule.ts'
import { loadCounters } from '../../test/simulation/modules.ts'
import { plantedBugs } from '../../test/simulation/planted.ts'
import type { Schedule } from '../../test/simulation/schedule.ts'
import { createTrials, inTurn } from '../../test/simulation/trial.ts'
import { figure } from '../figure.ts'
import { shrink } from '../simulation/shrink.ts'
import { proofSize } from '../size.ts'

/** Schedules within which each planted fault must be found. */
const schedulesMax = 3000

for (const [name, { patches, seed: known }] of Object.entries(plantedBugs)) {
  t.test(
    `the planted fault "${name}" is found within ${schedulesMax} schedules, shrunk and replayed`,
    { timeout: 300_000 },
    async (t) => {
      const [broken, sound] = await Promise.all([createTrials(patches), createTrials()])
      let seed = proofSize({ share: known - 1, whole: 0 })
      let promise: string | undefined
      while (promise === undefined && seed < schedulesMax) {
        seed += 1
        const next = createSchedule(seed)
        promise = (await inTurn(() => broken.run(next))).violations[0]?.promise
      }
      t.equal(seed, known, 'the first schedule that shows it')
      t.not(promise, undefined, `found in schedule ${seed}`)
      const whole = createSchedule(seed)
      const least = await inTurn(() =>
        shrink(whole, (schedule) =>
          broken.run(schedule).violations.some((one) => one.promise === promise),
        ),
      )
      figure(
        `seed ${seed}, ${promise}: ${least.gateways.length} gateways and ${least.events.length} events of ${whole.gateways.length} and ${whole.events.length}`,
      )
      t.ok(least.events.length < whole.events.length)
      const file = join(t.testdir(), 'schedule.json')
      writeFileSync(file, JSON.stringify(least))
      const replayed: Schedule = JSON.parse(readFileSync(file, 'utf8'))
      const again = await inTurn(() => broken.run(replayed))
      t.ok(
        again.violations.some((one) => one.promise === promise),
        'the replay shows it',
      )
      t.same((await inTurn(() => sound.run(replayed))).violations, [], 'and is right without it')
    },
  )
}

t.test('a patch that no longer fits fails instead of planting nothing', async (t) => {
  const patch = { file: 'redis/breaker.ts', from: 'never written so', to: '' }
  await t.rejects(loadCounters([patch]), /"never written so" occurs 0 times in redis\/breaker.ts/)
})
