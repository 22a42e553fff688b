// npm run bench:slow: what callers notice of others that withhold their bodies, and of an operation of the bank that is
// slow, behind Tollgate, nginx and HAProxy (docs/performance.md). With numbers, only those rows: npm run bench:slow -- 6 7
import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { listenOnLoopback } from '../test/support/loopback.ts'
import { ample } from './catalogue.ts'
import { fillRegistry } from './fill-registry.ts'
import { callHealthily } from './healthy-callers.ts'
import { operations, prefix, uploadTemplate } from './operations.ts'
import { haproxyMissing, startHaproxyPeer } from './peers/haproxy-peer.ts'
import { startNginxPeer } from './peers/nginx-peer.ts'
import type { Peer } from './peers/peer.ts'
import { secrets, startTollgatePeer } from './peers/tollgate-peer.ts'
import { print, printGoal, printTable } from './report.ts'
import { startSlowCallers } from './slow-callers.ts'
import { percentile } from './statistics.ts'
import { onTwoCores } from './two-cores.ts'
import type { Workbench } from './workbench.ts'
import { type BenchRequest, mix } from './workload.ts'
import { openWorld } from './world.ts'

const callsPerSecond = 200
/** Longer than a gateway waits for a body that stays away. */
const seconds = 12
/** From the slow callers' arrival to the first measured call. */
const settleMs = 1_000
const upload = prefix + uploadTemplate
const slowTarget = `${prefix}/statements`
const slowAnswerMs = 10_000
const largeBytes = 262_144
/** Callers of the slow operation, and the applications they belong to. */
const waiting = { callers: 600, applications: 100 }

/** Those that withhold bodies are applications of one developer, who has no other. */
interface Cell {
  readonly withheld: number
  /** How many applications they belong to. (Default: 1) */
  readonly applications?: number
  /** Whether all but the last octet of a body comes at once. (Default: false, nearly nothing comes) */
  readonly isLarge?: boolean
  /** Whether those that are disconnected or refused come back at once and together. (Default: false, after a while) */
  readonly isInStep?: boolean
  /** (Default: false) */
  readonly isOperationSlow?: boolean
}

const attackers = 10
const cells: readonly Cell[] = [
  { withheld: 300 },
  { withheld: 800 },
  { withheld: 2_000 },
  { withheld: 0, isOperationSlow: true },
  { withheld: 2_000, isOperationSlow: true },
  { withheld: 2_000, isInStep: true },
  { withheld: 2_000, isInStep: true, applications: attackers },
  { withheld: 640, isInStep: true, applications: attackers, isLarge: true },
  { withheld: 2_000, isInStep: true, applications: attackers, isOperationSlow: true },
]

await onTwoCores(async (bench) => {
  const backendUrl = await startSlowBackend(bench)
  const opened = await openWorld(bench, { profileFolder: undefined })
  const slowKeys = await fillRegistry({
    databaseUrl: opened.databaseUrl,
    pepper: secrets.KEY_PEPPER,
    applications: attackers,
    plan: ample.name,
  })
  const world = { ...opened, backendUrl, keys: [...opened.keys, ...slowKeys] }
  const tollgate = await startTollgatePeer(world, { name: 'Tollgate' })
  const peers: Peer[] = [tollgate, await startNginxPeer(world, { buffersRequests: true })]
  const missing = haproxyMissing()
  if (missing === undefined) peers.push(await startHaproxyPeer(world))
  else process.stderr.write(`skipped: ${missing}\n`)

  const rows: string[][] = []
  let least = 1
  const asked = process.argv.slice(2).map((row) => cells[Number(row) - 1])
  for (const cell of cells.filter((one) => asked.length === 0 || asked.includes(one))) {
    for (const peer of peers) {
      const { share, row } = await measure({ peer, cell, slowKeys, healthyKeys: opened.keys })
      rows.push(row)
      if (peer === tollgate) least = Math.min(least, share)
      process.stderr.write(`${row.join('  ')}\n`)
    }
  }
  print(
    `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}; ${callsPerSecond} healthy calls/s for ${seconds} s`,
  )
  const what = ['withheld bodies', 'applications', 'come back', 'slow operation']
  const figures = ['open', 'cuts', 'healthy calls', '2xx %', 'p50 ms', 'p99 ms']
  printTable(['subject', ...what, ...figures], rows)
  printGoal('healthy calls answered by Tollgate, the worst case', least, { atLeast: 0.999 })
  if (least < 0.999) process.exitCode = 1
})

/** Answers at once, but for the slow operation. Takes any number of connections. */
async function startSlowBackend(bench: Workbench): Promise<string> {
  const body = JSON.stringify({ entries: 'x'.repeat(1_000) })
  const server = createServer((request, response) => {
    const requestId = request.headers['x-request-id'] ?? ''
    const answer = (): void => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': requestId })
      response.end(body)
    }
    request.resume()
    if (request.url === slowTarget) setTimeout(answer, slowAnswerMs)
    else request.on('end', answer)
  })
  const port = await listenOnLoopback(server)
  bench.undo(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${port}`
}

interface Measurement {
  readonly peer: Peer
  readonly cell: Cell
  /** Of the applications that withhold bodies. */
  readonly slowKeys: readonly string[]
  readonly healthyKeys: readonly string[]
}

async function measure({ peer: { name, url }, cell, slowKeys, healthyKeys }: Measurement) {
  const { withheld, applications = 1, isLarge = false, isInStep = false } = cell
  const { isOperationSlow = false } = cell
  const bodies = await startSlowCallers({
    ...{ url, callers: withheld, isTrickling: !isLarge, isInStep },
    requests: slowKeys.slice(0, applications).flatMap(isLarge ? largeRequests : withheldRequests),
  })
  const patient = await startSlowCallers({
    ...{ url, callers: isOperationSlow ? waiting.callers : 0, isTrickling: false, isInStep: false },
    requests: healthyKeys.slice(0, waiting.applications).map(waitingRequest),
  })
  await delay(settleMs)
  const requests = healthyRequests(healthyKeys)
  const measured = await callHealthily({ url, requests, callsPerSecond, seconds })
  const { calls, answeredMs, failures } = measured
  const open = (await bodies.open()) + (await patient.open())
  const cuts = (await bodies.cuts()) + (await patient.cuts())
  await bodies.stop()
  await patient.stop()
  // What the peer still owes these callers ends before the next are measured.
  await delay(settleMs)
  const share = answeredMs.length / calls
  const figures = [
    (share * 100).toFixed(2),
    ...[0.5, 0.99].map((part) => percentile(answeredMs, part).toFixed(1)),
  ]
  const what = [
    `${withheld}${isLarge ? ' large' : ''}`,
    withheld === 0 ? '' : String(applications),
    withheld === 0 ? '' : isInStep ? 'in step' : 'spread',
    isOperationSlow ? 'yes' : 'no',
  ]
  if (failures.length > 0) process.stderr.write(`not answered with 2xx: ${failures.join(' ')}\n`)
  const row = [name, ...what, String(open), String(cuts), String(calls), ...figures]
  return { share, row }
}

/** One waits for 100 Continue and then sends nothing; the other sends an octet now and then. */
function withheldRequests(key: string): string[] {
  return ['Expect: 100-continue\r\n', ''].map((expect) => uploadHead(key, 100_000, expect))
}

/** All but the last octet of a body: 64 of them are twice what Tollgate lets an application hold. */
function largeRequests(key: string): string[] {
  return [`${uploadHead(key, largeBytes, '')}${' '.repeat(largeBytes - 1)}`]
}

function uploadHead(key: string, length: number, expect: string): string {
  return `POST ${upload} HTTP/1.1\r\nHost: bank\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${expect}\r\n`
}

function waitingRequest(key: string): string {
  return `GET ${slowTarget} HTTP/1.1\r\nHost: bank\r\nX-API-Key: ${key}\r\n\r\n`
}

/** A GET and a small POST in turn, never of the slow operation. */
function healthyRequests(keys: readonly string[]): BenchRequest[] {
  const fast = operations.filter(({ start, hasParameter }) => !hasParameter && start !== slowTarget)
  const gets = mix({ keys, length: 1_000, target: (draw) => fast[draw(fast.length)]?.start ?? '' })
  const posts = [...mix({ keys, length: 1_000, method: 'POST', target: () => upload, body: '{}' })]
  return [...gets].flatMap((get, at) => [get, ...posts.slice(at, at + 1)])
}
