import { drawUuid } from '../../../test/support/random.ts'
import { downloadTemplate, prefix, uploadTemplate } from '../operations.ts'
import { startNginxPeer } from '../peers/nginx-peer.ts'
import { settleMs, startTollgatePeer } from '../peers/tollgate-peer.ts'
import { print, printGoal, printMeasured, ratio } from '../report.ts'
import { type Measured, runRounds, type Subject } from '../rounds.ts'
import { mix, type RequestList, writeRequests } from '../workload.ts'
import type { BenchWorld } from '../world.ts'
import type { Section } from './section.ts'

const uploadBytes = 100_000
/** So few that the calls cut off at the end of a round do not count. */
const downloadConnections = 4
/** Load before each round, so that no subject is measured cold. */
const warmSeconds = 4
/** Memory that has grown no more than this did not grow with the bodies. */
const flat = 1.25

/** Large bodies, beside nginx: 100 KB up, 10 MB down. */
export const bodies: Section = async (world, options) => {
  const { bench, keys } = world
  const uploads = writeRequests(
    bench,
    'uploads',
    mix({
      keys,
      length: 100,
      method: 'POST',
      target: () => prefix + uploadTemplate,
      body: JSON.stringify({ text: 'x'.repeat(uploadBytes - 11) }),
    }),
  )
  const downloads = writeRequests(
    bench,
    'downloads',
    mix({
      keys,
      length: 1_000,
      target: (draw) => prefix + downloadTemplate.replace('{id}', drawUuid(draw)),
    }),
  )
  const fewer = { ...options, connections: downloadConnections }
  const pair = await startPair(world)
  compare('POST of 100 KB', 1.6, await runRounds(pair(uploads), options))
  compare('GET of 10 MB', 1.3, await runRounds(pair(downloads), fewer))
}

async function startPair(world: BenchWorld): Promise<(list: RequestList) => Subject[]> {
  const nginx = await startNginxPeer(world)
  const tollgate = await startTollgatePeer(world, { name: 'Tollgate' })
  return (list) => [
    { ...nginx, list, expect: 200, warmSeconds },
    { ...tollgate, list, expect: 200, settleMs, warmSeconds },
  ]
}

/** @param atMost goal of the CPU per call × nginx */
function compare(title: string, atMost: number, measured: readonly Measured[]): void {
  const [nginx, tollgate] = measured
  if (nginx === undefined || tollgate === undefined) return
  printMeasured(title, measured, [{ head: '× nginx', to: nginx }])
  printGoal('CPU per call × nginx', ratio(tollgate, nginx, 'cpuMicrosecondsPerCall'), { atMost })
  const { warmBytes, residentBytes } = tollgate
  print(
    `        resident ${megabytes(warmBytes)} MB after the warm-up, ${megabytes(residentBytes)} MB at the end`,
  )
  printGoal('resident at the end × after the warm-up', residentBytes / warmBytes, { atMost: flat })
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}
