import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { createSchedule } from './draw-schedule.ts'
import { plantedBugs } from './planted.ts'
import { createTrials, inTurn } from './trial.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../../proofs/simulation/main.ts', import.meta.url))

/** Half of a share that takes seconds; `npm run prove -- simulate` runs a million. */
const schedules = 1000

t.test(
  `the counters keep what they promise in ${schedules} schedules of faults, which reach every class of them`,
  { timeout: 300_000 },
  (t) => explore(t, 1, '--classes'),
)

t.test(
  `the counters keep what they promise in ${schedules} schedules that no run had before`,
  { timeout: 300_000 },
  (t) => explore(t, randomInt(1_000_000, 2 ** 32 - schedules)),
)

/** Says what broke, in which schedule, and where it is shrunk. */
async function explore(t: Test, seed: number, ...more: readonly string[]): Promise<void> {
  const args = ['--seed', String(seed), '--schedules', String(schedules), ...more]
  const { stdout } = await run(process.execPath, [program, ...args]).catch(
    (failed: { stdout: string; message: string }) => ({
      stdout: `${failed.message}\n${failed.stdout}`,
    }),
  )
  t.match(stdout, `${schedules} schedules from seed ${seed}, `)
  t.match(stdout, ': 0 with a broken promise')
  t.notMatch(stdout, 'never reached')
}

for (const [name, { seed, patches }] of Object.entries(plantedBugs)) {
  t.test(`schedule ${seed} shows the planted bug "${name}", and nothing without it`, async (t) => {
    const schedule = createSchedule(seed)
    const [broken, sound] = await Promise.all([createTrials(patches), createTrials()])
    t.not((await inTurn(() => broken.run(schedule))).violations.length, 0)
    t.same((await inTurn(() => sound.run(schedule))).violations, [])
  })
}

t.test('schedules that once broke a promise break none', async (t) => {
  const trials = await createTrials()
  const folder = new URL('found/', import.meta.url)
  const files = readdirSync(folder)
  t.ok(files.length >= 8)
  for (const file of files) {
    const { counted, ...schedule } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
    const trial = await inTurn(() => trials.run(schedule))
    t.same(trial.violations, [], file)
    // What no promise covers, but must not get worse.
    if (counted !== undefined) t.same(trial.counted, counted, `${file}: counted`)
  }
})

t.test('a schedule always runs the same way, whatever ran before it', async (t) => {
  const [one, other] = await Promise.all([createTrials(), createTrials()])
  const seeds = [1, 3, 7, 12, 20, 35]
  const first = await inTurn(() => seeds.map((seed) => one.run(createSchedule(seed)).digest))
  const second = await inTurn(() =>
    seeds.toReversed().map((seed) => other.run(createSchedule(seed)).digest),
  )
  t.same(second.toReversed(), first)
  t.equal(new Set(first).size, seeds.length)
})

t.test('a wrong option is refused with what is allowed', async (t) => {
  await t.rejects(run(process.execPath, [program, '--bug', 'x']), /choose from no-floor/)
  await t.rejects(run(process.execPath, [program, '--seed', 'x']), /--seed takes a whole number/)
})
