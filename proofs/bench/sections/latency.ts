import { callOpenLoop } from '../client.ts'
import { nginxLuaMissing } from '../nginx.ts'
import { luaPeerName, startNginxLuaPeer } from '../peers/nginx-lua-peer.ts'
import { startTollgatePeer, warmSeconds } from '../peers/tollgate-peer.ts'
import { printGoal, printTable } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { mix, requestTexts, writeRequests } from '../workload.ts'
import type { BenchWorld } from '../world.ts'
import { load } from '../wrk.ts'
import type { Section } from './section.ts'

const callsPerSecond = 1_000
/** Load at the measured rate, after {@link warmSeconds} at full speed and before the first measured round. */
const ratedWarmSeconds = 15

/** The goals of docs/performance.md: what Tollgate adds to the median, and its added p99 over that of nginx. */
const goals = { addedP50Ms: 0.45, addedP99Ratio: 1.5 } as const

/** The backend, directly or through a gateway, and what each round showed. */
interface Route {
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
  const routes = await startRoutes(world)
  for (const { url } of routes) {
    await load({ url, list, begin: 0, seconds: warmSeconds, connections, expect: undefined })
    await callOpenLoop({ url, requests, callsPerSecond, seconds: ratedWarmSeconds })
  }
  for (let round = 0; round < rounds; round += 1) {
    const begin = (ratedWarmSeconds + round * seconds) * callsPerSecond
    for (const route of round % 2 === 0 ? routes : routes.toReversed()) {
      const { url } = route
      const latencies = await callOpenLoop({ url, requests, begin, callsPerSecond, seconds })
      route.rounds.push({ p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) })
    }
    process.stderr.write(`round ${round + 1} of ${rounds}\n`)
  }
  report(routes)
}

async function startRoutes(world: BenchWorld): Promise<Route[]> {
  const routes = [{ name: 'direct', url: world.backendUrl }]
  if (nginxLuaMissing() === undefined) routes.push(await startNginxLuaPeer(world))
  routes.push(await startTollgatePeer(world, { name: 'Tollgate' }))
  return routes.map(({ name, url }) => ({ name, url, rounds: [] }))
}

function report(routes: readonly Route[]): void {
  const [direct] = routes
  if (direct === undefined) return
  const added = (route: Route, figure: 'p50Ms' | 'p99Ms'): number =>
    median(
      route.rounds.map(
        (round, index) => round[figure] - (direct.rounds[index]?.[figure] ?? Number.NaN),
      ),
    )
  printTable(
    [`${callsPerSecond} calls/s`, 'p50 ms', 'p99 ms', 'added p50 ms', 'added p99 ms'],
    routes.map((route) => [
      route.name,
      median(route.rounds.map(({ p50Ms }) => p50Ms)).toFixed(3),
      median(route.rounds.map(({ p99Ms }) => p99Ms)).toFixed(3),
      added(route, 'p50Ms').toFixed(3),
      added(route, 'p99Ms').toFixed(3),
    ]),
  )
  const tollgate = routes.find(({ name }) => name === 'Tollgate')
  if (tollgate === undefined) return
  printGoal('added p50 in ms', added(tollgate, 'p50Ms'), { atMost: goals.addedP50Ms })
  const lua = routes.find(({ name }) => name === luaPeerName)
  if (lua === undefined) return
  const p99Ratio = added(tollgate, 'p99Ms') / added(lua, 'p99Ms')
  printGoal(`added p99 × that of ${luaPeerName}`, p99Ratio, { atMost: goals.addedP99Ratio })
}
