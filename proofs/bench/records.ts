// npm run prove -- bench-records [--rounds 10 --seconds 2]: what call records cost an admitted call. Runs the same gateway
// with RECORD_CALLS true and false in alternating rounds, on PostgreSQL and Redis as in production, and embedded. The
// embedded database runs in a thread of the gateway's process, so its CPU time counts too.
import { figure } from '../figure.ts'
import { readOptions } from './options.ts'
import { type EmbeddedOptions, startEmbeddedPeer } from './peers/embedded-peer.ts'
import type { Peer } from './peers/peer.ts'
import { settleMs, startTollgatePeer, warmSeconds } from './peers/tollgate-peer.ts'
import { printHeader, printMeasured, ratio } from './report.ts'
import { runRounds, type Subject } from './rounds.ts'
import { onTwoCores } from './two-cores.ts'
import { mix, writeRequests } from './workload.ts'
import { type BenchWorld, openWorld } from './world.ts'

const options = readOptions(process.argv.slice(2))
await onTwoCores(async (bench) => {
  const world = await openWorld(bench, options)
  printHeader(options)
  await compare(world, 'PostgreSQL and Redis', startWithStores)
  await compare(world, 'embedded', startEmbeddedPeer)
})

/** Starts a gateway and returns the keys of the applications registered there. */
type Start = (
  world: BenchWorld,
  options: EmbeddedOptions,
) => Promise<Peer & { readonly keys: readonly string[] }>

async function startWithStores(world: BenchWorld, options: EmbeddedOptions) {
  return { ...(await startTollgatePeer(world, options)), keys: world.keys }
}

async function compare(world: BenchWorld, title: string, start: Start): Promise<void> {
  const subjects = [
    await subjectOf(world, start, { title, isRecording: false }),
    await subjectOf(world, start, { title, isRecording: true }),
  ]
  const measured = await runRounds(subjects, options)
  printMeasured(title, measured, [{ head: '× not recording', to: measured[0] }])
  const [notRecording, recording] = measured
  if (notRecording === undefined || recording === undefined) return
  const cpuRatio = ratio(recording, notRecording, 'cpuMicrosecondsPerCall')
  figure(`${title}: ${cpuRatio.toFixed(2)} × the CPU without records`)
}

async function subjectOf(
  world: BenchWorld,
  start: Start,
  { title, isRecording }: { readonly title: string; readonly isRecording: boolean },
): Promise<Subject> {
  const name = isRecording ? 'recording' : 'not recording'
  const env = { RECORD_CALLS: String(isRecording) }
  const { keys, ...running } = await start(world, { name, env })
  const list = writeRequests(world.bench, `${title}, ${name}`, mix({ keys }))
  return { ...running, list, expect: 200, settleMs, warmSeconds }
}
