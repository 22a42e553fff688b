// npm run prove -- bench-records [--rounds 10 --seconds 4]: what remembering calls for developers costs an admitted call.
// The same gateway with RECORD_CALLS true and false, in one run, alternating: beside PostgreSQL and Redis, as in
// production, and embedded, where the database is a thread of the same process and its time counts, too.
import { figure } from '../figure.ts'
import { readOptions } from './options.ts'
import { startEmbeddedPeer } from './peers/embedded-peer.ts'
import { settleMs, startTollgatePeer } from './peers/tollgate-peer.ts'
import { printHeader, printMeasured, ratio } from './report.ts'
import { runRounds, type Subject } from './rounds.ts'
import { onTwoCores } from './two-cores.ts'
import { mix, writeRequests } from './workload.ts'
import { type BenchWorld, openWorld } from './world.ts'

const options = readOptions(process.argv.slice(2))
await onTwoCores(async (bench) => {
  const world = await openWorld(bench, options)
  printHeader(options)
  await compare('PostgreSQL and Redis', [await beside(world, false), await beside(world, true)])
  await compare('embedded', [await embedded(world, false), await embedded(world, true)])
})

async function compare(title: string, subjects: readonly Subject[]): Promise<void> {
  const measured = await runRounds(subjects, options)
  printMeasured(title, measured, [{ head: '× without', to: measured[0] }])
  const [without, recording] = measured
  if (without === undefined || recording === undefined) return
  const dearer = ratio(recording, without, 'cpuMicrosecondsPerCall')
  figure(`${title}: ${dearer.toFixed(2)} × the CPU without records`)
}

async function beside(world: BenchWorld, isRecording: boolean): Promise<Subject> {
  const name = nameOf(isRecording)
  const env = { RECORD_CALLS: String(isRecording) }
  const running = await startTollgatePeer(world, { name, env })
  const list = writeRequests(world.bench, name, mix({ keys: world.keys }))
  return { ...running, list, expect: 200, settleMs }
}

async function embedded(world: BenchWorld, isRecording: boolean): Promise<Subject> {
  const name = `embedded, ${nameOf(isRecording)}`
  const { keys, ...running } = await startEmbeddedPeer(world, {
    name,
    env: { RECORD_CALLS: String(isRecording) },
  })
  const list = writeRequests(world.bench, name, mix({ keys }))
  return { ...running, list, expect: 200, settleMs }
}

function nameOf(isRecording: boolean): string {
  return isRecording ? 'recording' : 'without'
}
