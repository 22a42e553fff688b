import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startTollgatePeer } from '../peers/tollgate-peer.ts'
import { type PinnedProcess, startPinned } from '../process.ts'
import { printGoal } from '../report.ts'
import { targetCore } from '../two-cores.ts'
import { root } from '../workbench.ts'
import { everyBucket, writeRequests } from '../workload.ts'
import type { BenchWorld } from '../world.ts'
import { load } from '../wrk.ts'
import type { Section } from './section.ts'

const restMs = 60_000
/** Over which the processor time of an idle process is measured. */
const idleMs = 30_000

/** Memory and idle processor time: a gateway in production's shape, and `npm start` on a laptop. */
export const footprint: Section = async (world, options) => {
  await measureGateway(world, options.connections)
  await measureEverything(world)
}

async function measureGateway(world: BenchWorld, connections: number): Promise<void> {
  const { bench, keys } = world
  const { target, url } = await startTollgatePeer(world, { name: 'Tollgate' })
  await delay(restMs)
  printGoal('gateway, resident MB after an idle minute', residentMegabytes(target), { atMost: 160 })
  printGoal('gateway, idle CPU in percent of a core', await idlePercent(target), { atMost: 0.5 })
  const list = writeRequests(bench, 'footprint', everyBucket(keys))
  await load({ url, list, expect: 200, begin: 0, seconds: 20, connections })
  const loaded = residentMegabytes(target)
  printGoal('gateway, resident MB under load', loaded, { atMost: 320 })
}

/** As a newcomer starts it: nothing set, on an empty folder, with the portal's page still to build. */
async function measureEverything({ bench }: BenchWorld): Promise<void> {
  const folder = mkdtempSync(join(bench.folder, 'everything-'))
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  const ports = ['GATEWAY', 'PORTAL', 'BACKEND', 'SCA', 'MANAGEMENT']
  let peak = 0
  const target = await startPinned({
    core: targetCore,
    command: process.execPath,
    args: [join(root, 'bin', 'tollgate.js'), 'start'],
    env: {
      ...Object.fromEntries(ports.map((name) => [`${name}_PORT`, '0'])),
      DATA_DIR: join(folder, 'data'),
    },
    ready: /^tollgate ready /,
    starting: (bytes) => {
      peak = Math.max(peak, bytes)
    },
  })
  bench.undo(() => target.stop())
  printGoal('npm start, resident MB at its first peak', peak / 1e6, { atMost: 650 })
  await delay(restMs)
  printGoal('npm start, resident MB after a minute', residentMegabytes(target), { atMost: 380 })
  printGoal('npm start, idle CPU in percent of a core', await idlePercent(target), { atMost: 0.5 })
}

function residentMegabytes(target: PinnedProcess): number {
  return target.residentBytes() / 1e6
}

async function idlePercent(target: PinnedProcess): Promise<number> {
  const before = target.cpuMicroseconds()
  await delay(idleMs)
  return (target.cpuMicroseconds() - before) / (idleMs * 10)
}
