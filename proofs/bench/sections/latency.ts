import { callOpenLoop } from '../client.ts'
import { nginxLuaMissing } from '../nginx.ts'
import { luaPeerName, startNginxLuaPeer } from '../peers/nginx-lua-peer.ts'
import { startTollgatePeer } from '../peers/tollgate-peer.ts'
import { printGoal, printTable } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { mix, requestTexts, writeRequests } from '../workload.ts'
import type { BenchWorld } from '../world.ts'
import { load } from '../wrk.ts'
import type { Section } from './section.ts'

const callsPerSecond = 1_000
/**
 * Load before the first measured round. At full speed, until every pair of
 * application and operation was called a few times: how long the first call of
 * a pair takes is another figure. Then at the measured rate.
 */
const fullSpeedSeconds = 12
const warmSeconds = 15

interface Way {
  readonly name: string
  readonly url: string
  readonly rounds: { readonly p50Ms: number; readonly p99Ms: number }[]
}

/**
 * How much longer a call takes through the gateway than directly to the backend, at a constant rate that saturates neither.
 */
export const latency: Section = async (world, { rounds, seconds, connections }) => {
  const mixed = [...mix({ keys: world.keys })]
  const requests = [...requestTexts(mixed)]
  const list = writeRequests(world.bench, 'latency', mixed)
  const ways = await startWays(world)
  for (const { url } of ways) {
    await load({ url, list, begin: 0, seconds: fullSpeedSeconds, connections, expect: undefined })
    await callOpenLoop({ url, requests, callsPerSecond, seconds: warmSeconds })
  }
  for (let round = 0; round < rounds; round += 1) {
    const begin = (warmSeconds + round * seconds) * callsPerSecond
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
      const { url } = way
      const latencies = await callOpenLoop({ url, requests, begin, callsPerSecond, seconds })
      way.rounds.push({ p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) })
    }
    process.stderr.write(`round ${round + 1} of ${rounds}\n`)
  }
  report(ways)
}

async function startWays(world: BenchWorld): Promise<Way[]> {
  const ways = [{ name: 'direct', url: world.backendUrl }]
  if (nginxLuaMissing() === undefined) ways.push(await startNginxLuaPeer(world))
  ways.push(await startTollgatePeer(world, { name: 'Tollgate' }))
  return ways.map(({ name, url }) => ({ name, url, rounds: [] }))
}

function report(ways: readonly Way[]): void {
  const [direct] = ways
  if (direct === undefined) return
  const added = (way: Way, figure: 'p50Ms' | 'p99Ms'): number =>
    median(
      way.rounds.map((round, index) => round[figure] - (direct.rounds[index]?.[figure] ?? NaN)),
    )
  printTable(
    [`${callsPerSecond} calls/s`, 'p50 ms', 'p99 ms', 'added p50 ms', 'added p99 ms'],
    ways.map((way) => [
      way.name,
      median(way.rounds.map(({ p50Ms }) => p50Ms)).toFixed(3),
      median(way.rounds.map(({ p99Ms }) => p99Ms)).toFixed(3),
      added(way, 'p50Ms').toFixed(3),
      added(way, 'p99Ms').toFixed(3),
    ]),
  )
  const tollgate = ways.find(({ name }) => name === 'Tollgate')
  if (tollgate === undefined) return
  printGoal('added p50 in ms', added(tollgate, 'p50Ms'), { atMost: 0.45 })
  const lua = ways.find(({ name }) => name === luaPeerName)
  if (lua === undefined) return
  const p99Ratio = added(tollgate, 'p99Ms') / added(lua, 'p99Ms')
  printGoal(`added p99 × that of ${luaPeerName}`, p99Ratio, { atMost: 1.5 })
}
