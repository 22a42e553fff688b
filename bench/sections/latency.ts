import { callOpenLoop } from '../client.ts'
import { nginxLuaMissing } from '../nginx.ts'
import { startNginxLuaPeer } from '../peers/nginx-lua-peer.ts'
import { startTollgatePeer } from '../peers/tollgate-peer.ts'
import { printGoal, printTable } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { mix, requestTexts } from '../workload.ts'
import type { BenchWorld } from '../world.ts'
import type { Section } from './section.ts'

const callsPerSecond = 1_000

interface Way {
  readonly name: string
  readonly url: string
  readonly rounds: { readonly p50Ms: number; readonly p99Ms: number }[]
}

/** What a call takes longer through the gateway than straight to the backend, at a constant rate that saturates nobody. */
export const latency: Section = async (world, { rounds, seconds }) => {
  const requests = [...requestTexts(mix({ keys: world.keys }))]
  const ways = await startWays(world)
  for (let round = 0; round <= rounds; round += 1) {
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
      const { url } = way
      const latencies = await callOpenLoop({ url, requests, callsPerSecond, seconds })
      // The first round warms up.
      if (round === 0) continue
      way.rounds.push({ p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) })
    }
    process.stderr.write(`round ${round} of ${rounds}\n`)
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
  printGoal('added p50 in ms', added(tollgate, 'p50Ms'), { atMost: 0.3 })
  printGoal('added p99 in ms', added(tollgate, 'p99Ms'), { atMost: 1 })
}
