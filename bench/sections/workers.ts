import { settleMs, startTollgatePeer, warmSeconds } from '../peers/tollgate-peer.ts'
import { printGoal, printMeasured, ratio } from '../report.ts'
import { runRounds, type Subject } from '../rounds.ts'
import { mix, writeRequests } from '../workload.ts'
import type { Section } from './section.ts'

/** What sharing a port between two processes costs a call. Both share the one core, so that figures compare. */
export const workers: Section = async (world, options) => {
  const list = writeRequests(world.bench, 'workers', mix({ keys: world.keys }))
  const start = async (name: string, count: number): Promise<Subject> => {
    const env = { GATEWAY_WORKERS: String(count) }
    const running = await startTollgatePeer(world, { name, env })
    return { ...running, list, expect: 200, settleMs, warmSeconds }
  }
  const subjects = [await start('one worker', 1), await start('two workers', 2)]
  const measured = await runRounds(subjects, options)
  const [one, two] = measured
  if (one === undefined || two === undefined) return
  printMeasured('workers', measured, [{ head: '× one', to: one }])
  printGoal('CPU per call, two workers × one', ratio(two, one, 'cpuMicrosecondsPerCall'), {
    atMost: 1.1,
  })
}
