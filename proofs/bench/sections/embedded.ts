import { startEmbeddedPeer } from '../peers/embedded-peer.ts'
import { settleMs, startTollgatePeer, warmSeconds } from '../peers/tollgate-peer.ts'
import { printMeasured } from '../report.ts'
import { runRounds, type Subject } from '../rounds.ts'
import { mix, writeRequests } from '../workload.ts'
import type { Section } from './section.ts'

/**
 * What stores in the gateway's own process cost a call. Not among the subjects of the admitted call: a process of
 * 800 MB on the same core, warmed for as long as the others together, makes all others rest twice as long.
 */
export const embedded: Section = async (world, options) => {
  const tollgate = async (): Promise<Subject> => {
    const running = await startTollgatePeer(world, { name: 'Tollgate' })
    const list = writeRequests(world.bench, 'beside-embedded', mix({ keys: world.keys }))
    return { ...running, list, expect: 200, settleMs, warmSeconds }
  }
  const withStores = async (): Promise<Subject> => {
    const { keys, ...running } = await startEmbeddedPeer(world, {
      name: 'Tollgate, embedded stores',
    })
    const list = writeRequests(world.bench, 'embedded', mix({ keys }))
    return { ...running, list, expect: 200, settleMs, warmSeconds }
  }
  const measured = await runRounds([await tollgate(), await withStores()], options)
  printMeasured('embedded stores', measured, [{ head: '× Tollgate', to: measured[0] }])
}
