import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { generateKey } from '../../../src/registry/keys/key-format.ts'
import { type Draw, drawUuid } from '../../../test/support/random.ts'
import { callEach } from '../client.ts'
import { operations, prefix } from '../operations.ts'
import { settleMs, startTollgatePeer } from '../peers/tollgate-peer.ts'
import { printGoal, printMeasured, ratio } from '../report.ts'
import { runRounds, type Subject } from '../rounds.ts'
import { type BenchRequest, everyBucket, mix, requestTexts, writeRequests } from '../workload.ts'
import type { BenchWorld } from '../world.ts'
import { load } from '../wrk.ts'
import type { Section } from './section.ts'

/** How much dearer than a refused call another refusal may be and still count as just as cheap: what rounds differ by. */
const asCheap = 1.1
/** Load before each round, so that no subject pays for what the one before it left behind. */
const warmSeconds = 4

/** Calls that never reach the backend, beside an admitted one of the same gateway. */
export const refused: Section = async (world, options) => {
  const subjects = await startSubjects(world)
  const measured = await runRounds(subjects, options)
  const [admitted, limited] = measured
  if (admitted === undefined || limited === undefined) return
  printMeasured('refused', measured, [
    { head: '× admitted', to: admitted },
    { head: '× over the limit', to: limited },
  ])
  printGoal('requests/s over the limit × admitted', ratio(limited, admitted, 'perSecond'), {
    atLeast: 3,
  })
  for (const one of measured.slice(2)) {
    const name = `CPU per call, ${one.subject.name} × over the limit`
    printGoal(name, ratio(one, limited, 'cpuMicrosecondsPerCall'), { atMost: asCheap })
  }
  await countRedisCommands(world, limited.subject, options.connections)
}

async function startSubjects(world: BenchWorld): Promise<Subject[]> {
  const { bench, keys } = world
  const tollgate = await startTollgatePeer(world, { name: 'Tollgate' })
  const spending = everyBucket(world.spentKeys)
  await callEach(tollgate.url, requestTexts(spending), 16)
  const strangers = Array.from({ length: keys.length }, () => generateKey(randomBytes).text)
  const subject = (name: string, expect: number, requests: Iterable<BenchRequest>): Subject => ({
    ...tollgate,
    name,
    expect,
    settleMs,
    warmSeconds,
    list: writeRequests(bench, name, requests),
  })
  const nowhere = (draw: Draw) => `${prefix}/nowhere/${drawUuid(draw)}`
  const encoded = (draw: Draw) => `${operations[1]?.start}%2e%2e/${drawUuid(draw)}`
  return [
    subject('admitted', 200, mix({ keys })),
    subject('over the limit', 429, everyBucket(world.spentKeys)),
    subject('unknown key', 401, mix({ keys: strangers })),
    subject('unknown path', 404, mix({ keys, target: nowhere })),
    subject('wrong method', 405, mix({ keys, method: 'DELETE' })),
    subject('malformed target', 400, mix({ keys, target: encoded })),
  ]
}

/** What Redis is asked because of the calls: an idle gateway looks after its store, too, and that is taken off. */
async function countRedisCommands(
  { redis }: BenchWorld,
  { url, list, expect }: Subject,
  connections: number,
): Promise<void> {
  const seconds = 3
  const commands = async (): Promise<number> => {
    const stats = await redis.cli('INFO', 'stats')
    return Number(/total_commands_processed:(\d+)/.exec(stats)?.[1] ?? Number.NaN)
  }
  const atFirst = await commands()
  const { requests } = await load({ url, list, expect, begin: 0, seconds, connections })
  const loaded = (await commands()) - atFirst
  await delay(seconds * 1_000)
  const idle = (await commands()) - atFirst - loaded
  const caused = Math.max(0, loaded - idle)
  printGoal('Redis commands per 1,000 calls over the limit', (caused / requests) * 1_000, {
    atMost: 1,
  })
}
