import { parentPort, workerData } from 'node:worker_threads'
import { createSchedule } from '../../test/simulation/draw-schedule.ts'
import type { Violation } from '../../test/simulation/judge.ts'
import { plantedBugs } from '../../test/simulation/planted.ts'
import { createTrials } from '../../test/simulation/trial.ts'

// A thread: runs a range of seeds and reports its findings.

/** @param to not included */
export interface Task {
  readonly from: number
  readonly to: number
  readonly bug: string | undefined
  /** Every schedule whose seed this divides runs twice. */
  readonly replays: number
}

/** A seed with a broken promise. */
export interface Finding {
  readonly seed: number
  readonly violations: readonly Violation[]
}

/** What happened since the report before. */
export interface Report {
  readonly schedules: number
  readonly calls: number
  readonly findings: readonly Finding[]
  /** Schedules by the classes that they reached. */
  readonly reached: ReadonlyMap<string, number>
}

/** Seeds between two turns of the event loop, at which unhandled rejections surface. */
const together = 20

/** Maximum number of findings; more would add nothing new. */
const findingsMax = 20

/** Seeds between two reports. */
const reported = 1000

const { from, to, bug, replays }: Task = workerData
const trials = await createTrials(bug === undefined ? [] : plantedBugs[bug]?.patches)
let found = 0
let next = from
let reached = new Map<string, number>()
let report = emptyReport()

process.on('unhandledRejection', (reason) => {
  const error = reason instanceof Error ? reason.stack : String(reason)
  const details = `in one of the ${together} schedules before it: ${error}`
  find({ seed: next, violations: [{ promise: 'does-not-fail', details }] })
})

function emptyReport(): Report {
  reached = new Map()
  return { schedules: 0, calls: 0, findings: [], reached }
}

function find(finding: Finding): void {
  found += 1
  report = { ...report, findings: [...report.findings, finding] }
}

function send(): void {
  parentPort?.postMessage(report)
  report = emptyReport()
}

function runSome(): void {
  for (let run = 0; run < together && next < to; run += 1) {
    const trial = trials.run(createSchedule(next), next % replays === 0)
    const { calls, violations } = trial
    for (const one of trial.reached) reached.set(one, (reached.get(one) ?? 0) + 1)
    report = { ...report, schedules: report.schedules + 1, calls: report.calls + calls }
    if (violations.length > 0) find({ seed: next, violations })
    next += 1
  }
  if (report.schedules >= reported || report.findings.length > 0) send()
  if (next < to && found < findingsMax) setImmediate(runSome)
  else setImmediate(send)
}
setImmediate(runSome)
