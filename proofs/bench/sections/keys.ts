import { startPostgres } from '../../../test/support/database.ts'
import { ample } from '../catalogue.ts'
import { callInTurn } from '../client.ts'
import { addFillers, fillRegistry } from '../fill-registry.ts'
import { secrets, settleMs, startTollgatePeer } from '../peers/tollgate-peer.ts'
import { print, printGoal, printMeasured, ratio } from '../report.ts'
import { runRounds, type Subject } from '../rounds.ts'
import { percentile } from '../statistics.ts'
import { mix, requestTexts, writeRequests } from '../workload.ts'
import type { BenchWorld } from '../world.ts'
import type { Section } from './section.ts'
import { printStartTimes } from './start-times.ts'

/** Ten keys each. */
const fillerApplications = 100_000
const coldKeys = 2_000

/** A million keys in the registry beside a thousand: the call that knows its key, the call that does not yet, the start. */
export const keys: Section = async (world, options) => {
  const databaseUrl = await startLargeRegistry(world)
  const few = await startGateway(world, '1,000 keys')
  const applications = world.keys.length
  const fill = { databaseUrl, pepper: secrets.KEY_PEPPER, plan: ample.name }
  const known = await fillRegistry({ ...fill, applications })
  const large = { ...world, databaseUrl, keys: known }
  const many = await startGateway(large, '1,000,000 keys')
  const measured = await runRounds([few, many], options)
  const [thousand, million] = measured
  if (thousand === undefined || million === undefined) return
  printMeasured('registry', measured, [{ head: '× 1,000', to: thousand }])
  const dearer = ratio(million, thousand, 'cpuMicrosecondsPerCall')
  printGoal('CPU per call, 1,000,000 keys × 1,000', dearer, { atMost: 1.05 })

  const unknownYet = await fillRegistry({ ...fill, applications: coldKeys })
  const requests = unknownYet.flatMap((key) => [...mix({ keys: [key], length: 1 })])
  const latencies = await callInTurn(many.url, requestTexts(requests))
  print(`        first call of a key: p50 ${percentile(latencies, 0.5).toFixed(2)} ms`)
  printGoal('first call of a key, p99 in ms', percentile(latencies, 0.99), { atMost: 5 })
  await printStartTimes(large)
}

async function startLargeRegistry({ bench }: BenchWorld): Promise<string> {
  const postgres = await startPostgres({
    teardown: (undo) => bench.undo(async () => void (await undo())),
    comment: (text) => process.stderr.write(`${text}\n`),
  })
  process.stderr.write('registering 1,000,000 keys\n')
  await addFillers({
    databaseUrl: postgres.url,
    pepper: secrets.KEY_PEPPER,
    applications: fillerApplications,
    plan: ample.name,
  })
  return postgres.url
}

async function startGateway(world: BenchWorld, name: string): Promise<Subject> {
  const running = await startTollgatePeer(world, { name })
  const list = writeRequests(world.bench, name, mix({ keys: world.keys }))
  return { ...running, list, expect: 200, settleMs }
}
