import { nginxLuaMissing } from '../nginx.ts'
import { startNginxLuaPeer } from '../peers/nginx-lua-peer.ts'
import { settleMs, startTollgatePeer, warmSeconds } from '../peers/tollgate-peer.ts'
import { printGoal, printMeasured, ratio } from '../report.ts'
import { runRounds, type Subject } from '../rounds.ts'
import { mix, writeRequests } from '../workload.ts'
import type { Section } from './section.ts'

/** How much more than nginx's a second worker of the gateway may cost, of one worker's CPU per call. */
const beyondNginx = 0.15

/**
 * What sharing a port between two processes costs a call. Both share the one
 * core, so that figures compare; what one core costs two processes by itself
 * is shown by nginx.
 */
export const workers: Section = async (world, options) => {
  const list = writeRequests(world.bench, 'workers', mix({ keys: world.keys }))
  const startTollgate = async (name: string, count: number): Promise<Subject> => {
    const env = { GATEWAY_WORKERS: String(count) }
    const running = await startTollgatePeer(world, { name, env })
    return { ...running, list, expect: 200, settleMs, warmSeconds }
  }
  const startNginx = async (count: number): Promise<Subject> => {
    const running = await startNginxLuaPeer(world, { workers: count })
    return { ...running, name: `${running.name}, ${count}`, list, expect: 200, warmSeconds: 3 }
  }
  const subjects = [
    await startTollgate('Tollgate, one worker', 1),
    await startTollgate('Tollgate, two workers', 2),
  ]
  if (nginxLuaMissing() === undefined) subjects.push(await startNginx(1), await startNginx(2))
  const [one, two, nginxOne, nginxTwo] = await runRounds(subjects, options)
  if (one === undefined || two === undefined) return
  printMeasured('workers', [one, two], [{ head: '× one', to: one }])
  if (nginxOne === undefined || nginxTwo === undefined) return
  printMeasured('workers', [nginxOne, nginxTwo], [{ head: '× one', to: nginxOne }])
  const ofNginx = ratio(nginxTwo, nginxOne, 'cpuMicrosecondsPerCall')
  printGoal('CPU per call, two workers × one', ratio(two, one, 'cpuMicrosecondsPerCall'), {
    atMost: Number((ofNginx + beyondNginx).toFixed(2)),
  })
}
