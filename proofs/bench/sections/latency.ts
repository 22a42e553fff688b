import type { Probe } from '../../../test/support/read-probe.ts'
import { callOpenLoop } from '../client.ts'
import { nginxLuaMissing } from '../nginx.ts'
import { luaPeerName, startNginxLuaPeer } from '../peers/nginx-lua-peer.ts'
import { startTollgatePeer, warmSeconds } from '../peers/tollgate-peer.ts'
import { printGoal, printTable } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { mix, type RequestList, writeRequests } from '../workload.ts'
import type { BenchWorld } from '../world.ts'
import { load } from '../wrk.ts'
import type { Section } from './section.ts'

const callsPerSecond = 1_000
/** Load at the measured rate, after {@link warmSeconds} at full speed and before the first measured round. */
const ratedWarmSeconds = 15
/** The same before each round: at rest, keys and identities go out of date, and in the first seconds all are renewed. */
const roundWarmSeconds = 4
/** A shorter round has one or two collections, and its tail is chance. */
const roundSeconds = 10
/** What the probe and PostgreSQL are asked about: with the warm-up. */
const measuredSeconds = roundWarmSeconds + roundSeconds

/** The goals of docs/evidence/performance.md: what Tollgate adds to the median and to the tail. */
const goals = { addedP50Ms: 0.45, addedP99Ms: 3, addedP99Ratio: 2 } as const

/** The backend, directly or through a gateway, and what each round showed. */
interface Route {
  readonly name: string
  readonly url: string
  /** Undefined: no gateway of ours. */
  readonly readProbe?: Probe | undefined
  readonly rounds: LatencyRound[]
}

interface LatencyRound {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  /** How long the collections of the round stopped the gateway; empty if not known. */
  readonly stopsMs: readonly number[]
  /** Share of a core that PostgreSQL used; load and backend need the same core. */
  readonly databasePercent: number
}

/**
 * How much longer a call takes through the gateway than directly to the backend, at a constant rate that saturates neither.
 */
export const latency: Section = async (world, { rounds, connections }) => {
  const list = writeRequests(world.bench, 'latency', mix({ keys: world.keys }))
  const routes = await startRoutes(world)
  for (const { url } of routes) {
    await load({ url, list, begin: 0, seconds: warmSeconds, connections, expect: undefined })
    await callOpenLoop({ url, list, callsPerSecond, seconds: ratedWarmSeconds })
  }
  for (let round = 0; round < rounds; round += 1) {
    const begin = (ratedWarmSeconds + round * roundSeconds) * callsPerSecond
    for (const route of round % 2 === 0 ? routes : routes.toReversed()) {
      route.rounds.push(await measure(route, world, { list, begin }))
    }
    process.stderr.write(`round ${round + 1} of ${rounds}\n`)
  }
  report(routes)
}

async function startRoutes(world: BenchWorld): Promise<Route[]> {
  const routes: Omit<Route, 'rounds'>[] = [{ name: 'direct', url: world.backendUrl }]
  if (nginxLuaMissing() === undefined) routes.push(await startNginxLuaPeer(world))
  routes.push(await startTollgatePeer(world, { name: 'Tollgate' }))
  const unrecorded = { name: 'Tollgate, RECORD_CALLS=false', env: { RECORD_CALLS: 'false' } }
  routes.push(await startTollgatePeer(world, unrecorded))
  return routes.map(({ name, url, readProbe }) => ({ name, url, readProbe, rounds: [] }))
}

async function measure(
  { url, readProbe }: Route,
  { database }: BenchWorld,
  { list, begin }: { readonly list: RequestList; readonly begin: number },
): Promise<LatencyRound> {
  await readProbe?.()
  const before = database.cpuMicroseconds()
  const latencies = await callOpenLoop({
    url,
    list,
    begin,
    callsPerSecond,
    seconds: roundSeconds,
    warmSeconds: roundWarmSeconds,
  })
  return {
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    p999Ms: percentile(latencies, 0.999),
    stopsMs: (await readProbe?.())?.stopsMs ?? [],
    databasePercent: (database.cpuMicroseconds() - before) / (measuredSeconds * 10_000),
  }
}

function report(routes: readonly Route[]): void {
  const [direct] = routes
  if (direct === undefined) return
  const added = (route: Route, figure: 'p50Ms' | 'p99Ms' | 'p999Ms'): number =>
    median(
      route.rounds.map(
        (round, index) => round[figure] - (direct.rounds[index]?.[figure] ?? Number.NaN),
      ),
    )
  const middle = ({ rounds }: Route, figure: (round: LatencyRound) => number): string =>
    median(rounds.map(figure)).toFixed(2)
  printTable(
    [
      `${callsPerSecond} calls/s`,
      'p50 ms',
      'p99 ms',
      'p99.9 ms',
      'added p50 ms',
      'added p99 ms',
      'added p99.9 ms',
      'collections/s',
      'longest ms',
      'PostgreSQL, no vacuum, %',
    ],
    routes.map((route) => [
      route.name,
      middle(route, ({ p50Ms }) => p50Ms),
      middle(route, ({ p99Ms }) => p99Ms),
      middle(route, ({ p999Ms }) => p999Ms),
      added(route, 'p50Ms').toFixed(2),
      added(route, 'p99Ms').toFixed(2),
      added(route, 'p999Ms').toFixed(2),
      ...(route.readProbe === undefined
        ? ['', '']
        : [
            middle(route, ({ stopsMs }) => stopsMs.length / measuredSeconds),
            middle(route, ({ stopsMs }) => Math.max(0, ...stopsMs)),
          ]),
      middle(route, ({ databasePercent }) => databasePercent),
    ]),
  )
  const tollgate = routes.find(({ name }) => name === 'Tollgate')
  if (tollgate === undefined) return
  printGoal('added p50 in ms', added(tollgate, 'p50Ms'), { atMost: goals.addedP50Ms })
  printGoal('added p99 in ms', added(tollgate, 'p99Ms'), { atMost: goals.addedP99Ms })
  const lua = routes.find(({ name }) => name === luaPeerName)
  if (lua === undefined) return
  const p99Ratio = added(tollgate, 'p99Ms') / added(lua, 'p99Ms')
  printGoal(`added p99 × that of ${luaPeerName}`, p99Ratio, { atMost: goals.addedP99Ratio })
}
