import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { createSchedule, shapes } from './schedule.ts'
import { createTrials, inTurn } from './trial.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../../proofs/simulation/main.ts', import.meta.url))

/** A share that takes seconds; `npm run prove -- simulate` runs a million. */
const schedules = 300

t.test(
  `the counters keep what they promise in ${schedules} schedules of faults`,
  { timeout: 180_000 },
  async (t) => {
    const { stdout } = await run(process.execPath, [program, '--schedules', String(schedules)])
    t.match(stdout, `${schedules} schedules from seed 1, `)
    t.match(stdout, ': 0 with a broken promise')
  },
)

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

t.test('the schedules cover each shape of the store and each kind of fault', async (t) => {
  const drawn = Array.from({ length: 500 }, (_, seed) => createSchedule(seed + 1))
  t.same(new Set(drawn.map(({ shape }) => shape)), new Set(shapes))
  const kinds = new Set(drawn.flatMap(({ events }) => events.map(({ kind }) => kind)))
  t.same([...kinds].toSorted(), [
    'calls',
    'crash',
    'failover',
    'flush',
    'forget-scripts',
    'move-slot',
    'partition',
    'pause',
    'refuse',
    'reset',
    'restart',
    'set-clock',
    'set-store-clock',
    'stall',
  ])
})

t.test('a wrong option is refused with what is allowed', async (t) => {
  await t.rejects(
    run(process.execPath, [program, '--bug', 'x']),
    /choose from grants-while-settling/,
  )
  await t.rejects(run(process.execPath, [program, '--seed', 'x']), /--seed takes a whole number/)
})
