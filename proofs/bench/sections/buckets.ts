import { setTimeout as delay } from 'node:timers/promises'
import { rolling, rollingSeconds } from '../catalogue.ts'
import { callEach } from '../client.ts'
import { fillRegistry } from '../fill-registry.ts'
import { operations } from '../operations.ts'
import { secrets, startTollgatePeer, type TollgatePeer } from '../peers/tollgate-peer.ts'
import { printGoal, printTable } from '../report.ts'
import { everyBucket, requestTexts } from '../workload.ts'
import type { BenchWorld } from '../world.ts'
import type { Section } from './section.ts'

const bucketsWanted = 1_000_000
/** Share of the first pass; the second shows whether what the first left is used again. */
const secondPassShare = 0.2
/** A bucket is dropped after two windows; Redis takes some seconds to sweep. */
const rolledMs = (2 * rollingSeconds + 6) * 1_000
/** Memory that has grown no more than this did not grow with the windows. */
const flat = 1.1

interface Memory {
  readonly gatewayBytes: number
  readonly redisBytes: number
}

interface Pass {
  /** The most seen while the calls were made. */
  readonly during: Memory
  /** When all their windows are over. */
  readonly after: Memory
}

/**
 * A million buckets, and a fifth of them again, in windows of 20 seconds: what gateway and Redis hold while they live and
 * when they are gone.
 */
export const buckets: Section = async (world, { connections }) => {
  const keys = await fillRegistry({
    databaseUrl: world.databaseUrl,
    pepper: secrets.KEY_PEPPER,
    plan: rolling.name,
    applications: bucketsWanted / operations.length,
  })
  const tollgate = await startTollgatePeer(world, { name: 'Tollgate', plans: [rolling] })
  const before = await memoryOf(world, tollgate)
  const pass = async (applications: readonly string[]): Promise<Pass> => {
    process.stderr.write(`${applications.length * operations.length} buckets\n`)
    const during = await highest(world, tollgate, () =>
      callEach(tollgate.url, requestTexts(everyBucket(applications)), connections),
    )
    await delay(rolledMs)
    return { during, after: await memoryOf(world, tollgate) }
  }
  const first = await pass(keys)
  const second = await pass(keys.slice(0, keys.length * secondPassShare))
  report(before, [first, second])
}

async function memoryOf({ redis }: BenchWorld, { target }: TollgatePeer): Promise<Memory> {
  const used = /used_memory:(\d+)/.exec(await redis.cli('INFO', 'memory'))?.[1]
  return { gatewayBytes: target.residentBytes(), redisBytes: Number(used) }
}

async function highest(
  world: BenchWorld,
  tollgate: TollgatePeer,
  work: () => Promise<void>,
): Promise<Memory> {
  const seen: Memory[] = []
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      seen.push(await memoryOf(world, tollgate))
      await delay(1_000)
    }
  })()
  try {
    await work()
  } finally {
    isOver = true
  }
  await watching
  return {
    gatewayBytes: Math.max(...seen.map(({ gatewayBytes }) => gatewayBytes)),
    redisBytes: Math.max(...seen.map(({ redisBytes }) => redisBytes)),
  }
}

function report(before: Memory, [first, second]: readonly [Pass, Pass]): void {
  const row = (name: string, { gatewayBytes, redisBytes }: Memory): string[] => [
    name,
    (gatewayBytes / 1e6).toFixed(0),
    (redisBytes / 1e6).toFixed(1),
  ]
  printTable(
    ['1,000,000 buckets', 'gateway resident MB', 'Redis used MB'],
    [
      row('before', before),
      ...[first, second].flatMap(({ during, after }, index) => [
        row(`pass ${index + 1}, at most`, during),
        row(`pass ${index + 1}, its windows over`, after),
      ]),
    ],
  )
  const goal = { atMost: flat }
  const grown = (figure: keyof Memory): number => second.after[figure] / first.after[figure]
  printGoal('gateway memory after the second pass × first', grown('gatewayBytes'), goal)
  printGoal('Redis memory after the second pass × first', grown('redisBytes'), goal)
}
