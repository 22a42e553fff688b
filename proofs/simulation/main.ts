import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { createSchedule } from '../../test/simulation/draw-schedule.ts'
import { promises } from '../../test/simulation/judge.ts'
import { plantedBugs } from '../../test/simulation/planted.ts'
import { classes } from '../../test/simulation/reached.ts'
import type { Schedule } from '../../test/simulation/schedule.ts'
import { createTrials, inTurn, type Trials } from '../../test/simulation/trial.ts'
import { figure } from '../figure.ts'
import { shrink } from './shrink.ts'
import type { Finding, Report, Task } from './worker.ts'

// A program: runs the counters and their Lua files through schedules of faults, by seed (docs/evidence/simulation.md).

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    schedules: { type: 'string', default: '1000000' },
    workers: { type: 'string', default: '1' },
    replays: { type: 'string', default: '1' },
    bug: { type: 'string' },
    replay: { type: 'string' },
    classes: { type: 'boolean', default: false },
    keep: { type: 'string', default: tmpdir() },
  },
})

/** Schedules between two lines of progress. */
const progressEach = 50_000

if (values.replay !== undefined) await replay(values.replay)
else await explore()

async function explore(): Promise<void> {
  const first = wholeNumber('seed', values.seed)
  const schedules = wholeNumber('schedules', values.schedules)
  const workers = wholeNumber('workers', values.workers)
  const replays = wholeNumber('replays', values.replays)
  const begun = performance.now()
  const each = Math.ceil(schedules / workers)
  const tasks = Array.from({ length: workers }, (_, index): Task => {
    const from = first + index * each
    const to = Math.min(from + each, first + schedules)
    return { from, to, bug: bugNamed(values.bug), replays }
  })
  const findings: Finding[] = []
  let run = 0
  let calls = 0
  let told = 0
  const reached = new Map(classes.map((one) => [one, 0]))
  function learn(report: Report): void {
    run += report.schedules
    calls += report.calls
    findings.push(...report.findings)
    for (const [one, count] of report.reached) reached.set(one, (reached.get(one) ?? 0) + count)
    for (const { seed, violations } of report.findings) {
      const broken = violations.map(({ promise, details }) => `${promise} (${details})`)
      say(`seed ${seed}: ${broken.join('; ')}`)
    }
    if (run - told < progressEach) return
    told = run
    say(`${run} of ${schedules} after ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  }
  await Promise.all(tasks.map((task) => runWorker(task, learn)))
  const seconds = (performance.now() - begun) / 1000
  say(
    `${run} schedules from seed ${first}, ${calls} calls, ${seconds.toFixed(0)} s, ${(run / seconds).toFixed(0)} a second: ${findings.length} with a broken promise`,
  )
  figure(`${findings.length} of ${run} schedules broke a promise`)
  if (values.classes) checkClasses(reached)
  const [worst] = findings
  if (worst === undefined) {
    // A thread with many findings ends early; without one, all schedules have run.
    if (run !== schedules) throw new Error(`${run} of ${schedules} schedules have run`)
    return
  }
  process.exitCode = 1
  const trials = await trialsOf()
  const promise = worst.violations[0]?.promise
  const least = await inTurn(() =>
    shrink(createSchedule(worst.seed), (schedule) =>
      trials.run(schedule).violations.some((one) => one.promise === promise),
    ),
  )
  const file = join(values.keep, `schedule-${worst.seed}.json`)
  writeFileSync(file, `${JSON.stringify(least, null, 2)}\n`)
  say(
    `seed ${worst.seed} shrunk to ${least.gateways.length} gateways and ${least.events.length} events: ${file}`,
  )
}

/** Reports how often each class of faults was reached, and fails for one that was not. */
function checkClasses(reached: ReadonlyMap<string, number>): void {
  const rarest = [...reached].toSorted(([, a], [, b]) => a - b)
  const [least = ['none', 0]] = rarest
  figure(`${reached.size} classes, the least (${least[0]}) in ${least[1]} schedules`)
  const empty = rarest.filter(([, count]) => count === 0).map(([one]) => one)
  if (empty.length === 0) return
  process.exitCode = 1
  say(`never reached: ${empty.join(', ')}`)
}

function runWorker(task: Task, onReport: (report: Report) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('worker.ts', import.meta.url), {
      workerData: task,
      // Most of what a schedule leaves is garbage at its end.
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    })
    worker.on('message', onReport)
    worker.once('error', reject)
    worker.once('exit', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`a thread ended with ${code}`))
    })
  })
}

async function replay(file: string): Promise<void> {
  // Written by this program; an invalid schedule fails at once.
  const schedule: Schedule = JSON.parse(readFileSync(file, 'utf8'))
  const trials = await trialsOf()
  const { violations, calls } = await inTurn(() => trials.run(schedule))
  say(`${schedule.shape}, ${schedule.gateways.length} gateways, ${calls} calls`)
  for (const { promise, details } of violations) say(`broken: ${promises[promise]} (${details})`)
  if (violations.length === 0) say('every promise holds')
  else process.exitCode = 1
}

function trialsOf(): Promise<Trials> {
  const bug = bugNamed(values.bug)
  return createTrials(bug === undefined ? [] : plantedBugs[bug]?.patches)
}

function bugNamed(name: string | undefined): string | undefined {
  if (name !== undefined && plantedBugs[name] === undefined) {
    fail(`There is no planted bug "${name}"; choose from ${Object.keys(plantedBugs).join(', ')}.`)
  }
  return name
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 1)
    fail(`--${option} takes a whole number from 1, not "${text}".`)
  return number
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
