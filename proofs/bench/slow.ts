// npm run prove -- bench-slow: what callers with a key notice while others are slow, idle, hasty or many, on every listener,
// behind Tollgate and behind nginx (docs/evidence/performance.md). Some attacks only:
// npm run prove -- bench-slow --only portal --rounds 1
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { createTestAuthority, type IssuedCertificate } from '../../test/support/certificates.ts'
import { freePort } from '../../test/support/free-port.ts'
import { listenOnLoopback } from '../../test/support/loopback.ts'
import { testConfigDir } from '../../test/support/tollgate.ts'
import {
  type Attack,
  createAttacks,
  type Listener,
  largeTargets,
  prefix,
  slowTarget,
  upload,
} from './attacks.ts'
import { ample } from './catalogue.ts'
import { fillRegistry } from './fill-registry.ts'
import { callHealthily } from './healthy-callers.ts'
import { isAsked, readOptions } from './options.ts'
import { startNginxPeer } from './peers/nginx-peer.ts'
import type { World } from './peers/peer.ts'
import { secrets, startTollgatePeer } from './peers/tollgate-peer.ts'
import { print, printGoal, printTable } from './report.ts'
import { startSlowCallers } from './slow-callers.ts'
import { median, percentile } from './statistics.ts'
import { onTwoCores } from './two-cores.ts'
import type { Workbench } from './workbench.ts'
import { type BenchRequest, mix } from './workload.ts'
import { openWorld } from './world.ts'

const callsPerSecond = 200
/** From the slow callers' arrival to the first measured call. */
const settleMs = 1_000
/** Duration of calls before the first round, so that each key was called once. */
const warmSeconds = 10
const slowAnswerMs = 10_000
const largeAnswerBytes = 262_144
const attackers = 10
/** Applications of the callers that wait for the slow operation. */
const waiting = 100

// A gateway waits for less than 12 s for a body that stays away.
const options = readOptions(process.argv.slice(2), { rounds: '3', seconds: '12' })

/** What is attacked. */
interface Subject {
  readonly name: string
  /** Origins. */
  readonly urls: Readonly<Record<Listener, string>>
}

/** What one round showed of one subject. */
interface Measured {
  readonly open: number
  readonly cuts: number
  readonly calls: number
  readonly answered: number
  readonly p50Ms: number
  readonly p99Ms: number
}

await onTwoCores(async (bench) => {
  const world = {
    ...(await openWorld(bench, options)),
    backendUrl: await startSlowBackend(bench),
  }
  const t = { teardown: (undo: () => unknown) => bench.undo(async () => void (await undo())) }
  const authority = createTestAuthority({ ...t, comment: () => undefined })
  const certificate = authority.issue()
  const [tollgate, nginx] = [
    await startTollgates(world, certificate),
    await startNginx(world, certificate),
  ]
  const subjects = [tollgate, nginx]
  const register = (applications: number): Promise<string[]> =>
    fillRegistry({
      databaseUrl: world.databaseUrl,
      pepper: secrets.KEY_PEPPER,
      applications,
      plan: ample.name,
      version: { name: 'xs2a', version: '1.7.0' },
    })
  // As many to a developer as may be.
  const developers = await Promise.all(Array.from({ length: 100 }, () => register(10)))
  const keys = developers.flat()
  const attacks = createAttacks({
    keys: await register(attackers),
    waitingKeys: keys.slice(0, waiting),
    clientHello: await recordClientHello(),
  }).filter(({ name }) => isAsked(options, name))
  const healthy = { ca: authority.ca, requests: healthyRequests(keys), callsPerSecond }
  for (const { urls } of subjects) {
    for (const url of [urls.gateway, urls.tls]) {
      await callHealthily({ ...healthy, url, seconds: warmSeconds })
    }
  }
  const results = attacks.map((attack) => ({ attack, rounds: subjects.map((): Measured[] => []) }))
  for (let round = 0; round < options.rounds; round += 1) {
    for (const { attack, rounds } of results) {
      const order = [...subjects.entries()]
      for (const [at, subject] of round % 2 === 0 ? order : order.toReversed()) {
        rounds[at]?.push(await measure(subject, attack))
      }
      const p99 = rounds.map((ofSubject) => ofSubject.at(-1)?.p99Ms.toFixed(1))
      process.stderr.write(`round ${round + 1}, ${attack.name}: p99 ${p99.join(' and ')} ms\n`)
    }
  }
  report(results)

  async function measure({ name, urls }: Subject, attack: Attack): Promise<Measured> {
    const groups = await Promise.all(
      attack.groups.map(({ on, ...group }) => startSlowCallers({ ...group, url: urls[on] })),
    )
    await delay(settleMs)
    const { calls, answeredMs, failures } = await callHealthily({
      ...healthy,
      url: urls[attack.healthyOn],
      seconds: options.seconds,
    })
    const states = await Promise.all(groups.map((group) => group.state()))
    const sum = (figure: 'open' | 'cuts'): number =>
      states.reduce((total, state) => total + state[figure], 0)
    const [open, cuts] = [sum('open'), sum('cuts')]
    await Promise.all(groups.map((group) => group.stop()))
    // What the subject still owes these callers ends before the next are measured.
    await delay(settleMs)
    if (failures.length > 0) {
      process.stderr.write(`${name}, not answered with 2xx: ${failures.join(' ')}\n`)
    }
    const [p50Ms, p99Ms] = [percentile(answeredMs, 0.5), percentile(answeredMs, 0.99)]
    return { open, cuts, calls, answered: answeredMs.length, p50Ms, p99Ms }
  }

  function report(found: typeof results): void {
    print(
      `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}; ${callsPerSecond} healthy calls/s; ` +
        `${options.rounds} alternating rounds of ${options.seconds} s, medians; ratios are medians of the ratios of each round`,
    )
    const head = ['attack', 'subject', 'open', 'came back', '2xx %', 'p50 ms', 'p99 ms', '× nginx']
    const rows = found.flatMap(({ attack, rounds }) =>
      rounds.map((ofSubject, at) => [
        attack.name,
        subjects[at]?.name ?? '',
        middle(ofSubject, 'open').toFixed(),
        middle(ofSubject, 'cuts').toFixed(),
        (shareOf(ofSubject) * 100).toFixed(2),
        middle(ofSubject, 'p50Ms').toFixed(1),
        middle(ofSubject, 'p99Ms').toFixed(1),
        at === 0 ? timesNginx(rounds).toFixed(2) : '',
      ]),
    )
    printTable(head, rows)
    const least = Math.min(...found.map(({ rounds }) => shareOf(rounds[0] ?? [])))
    const most = Math.max(...found.map(({ rounds }) => timesNginx(rounds)))
    printGoal('healthy calls answered by Tollgate, the worst case', least, { atLeast: 0.999 })
    printGoal('p99 × nginx under the same attack, the worst case', most, { atMost: 1.5 })
  }
})

function middle(rounds: readonly Measured[], figure: keyof Measured): number {
  return median(rounds.map((round) => round[figure]))
}

function shareOf(rounds: readonly Measured[]): number {
  const sum = (figure: 'answered' | 'calls'): number =>
    rounds.reduce((total, round) => total + round[figure], 0)
  return sum('answered') / sum('calls')
}

/** The median over the rounds of Tollgate's p99 in that of nginx. */
function timesNginx([tollgate = [], nginx = []]: readonly (readonly Measured[])[]): number {
  return median(tollgate.map(({ p99Ms }, at) => p99Ms / (nginx[at]?.p99Ms ?? Number.NaN)))
}

/** Everything in one process, so that an attack on any listener meets the callers, and a gateway with TLS. */
async function startTollgates(
  world: World,
  { certFile, keyFile }: IssuedCertificate,
): Promise<Subject> {
  const { bench } = world
  const teardown = (undo: () => unknown) => bench.undo(async () => void (await undo()))
  const { calls, window } = ample
  const configDir = testConfigDir({ teardown, comment: () => undefined }, { calls, window })
  const all = await startTollgatePeer(world, {
    name: 'Tollgate',
    configDir,
    roles: ['gateway', 'portal', 'backend'],
    env: {
      SESSION_SECRET: secrets.KEY_PEPPER,
      PORTAL_PORT: '0',
      BACKEND_PORT: '0',
      SCA_PORT: '0',
      // A security event for each of the sign-ins would hide the report.
      LOG_LEVEL: 'silent',
    },
  })
  const { url } = await startTollgatePeer(world, {
    name: 'Tollgate with TLS',
    configDir,
    env: { GATEWAY_TLS_CERT_FILE: certFile, GATEWAY_TLS_KEY_FILE: keyFile },
  })
  return { name: all.name, urls: { ...all.urls, tls: url } }
}

/** Forwards what arrives at any of these ports. */
async function startNginx(world: World, tls: IssuedCertificate): Promise<Subject> {
  const origins = await Promise.all(
    (['portal', 'sca', 'management'] as const).map(async (name) => [
      name,
      `http://127.0.0.1:${await freePort()}`,
    ]),
  )
  const listens = origins.map(([, url = '']) => `listen ${new URL(url).host} backlog=1024;`)
  const buffersRequests = true
  const plain = await startNginxPeer(world, { buffersRequests, listens: listens.join(' ') })
  const encrypted = await startNginxPeer(world, { buffersRequests, tls })
  const urls = { ...Object.fromEntries(origins), gateway: plain.url, tls: encrypted.url }
  return { name: plain.name, urls }
}

/** Answers at once, but for the slow operation. Takes any number of connections. */
async function startSlowBackend(bench: Workbench): Promise<string> {
  const [small, large] = [1_000, largeAnswerBytes].map((length) =>
    JSON.stringify({ entries: 'x'.repeat(length) }),
  )
  const server = createServer((request, response) => {
    const requestId = request.headers['x-request-id'] ?? ''
    const answer = (): void => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': requestId })
      response.end(largeTargets.has(request.url ?? '') ? large : small)
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

/** The first octets of a TLS client: a client that repeats them makes the server sign without computing anything itself. */
async function recordClientHello(): Promise<string> {
  const server = createTcpServer()
  const port = await listenOnLoopback(server)
  const client = connectTls({ port, host: '127.0.0.1', ALPNProtocols: ['http/1.1'] })
  client.on('error', () => undefined)
  const [socket] = await once(server, 'connection')
  const [octets] = await once(socket, 'data')
  client.destroy()
  server.close()
  return octets.toString('latin1')
}

/** A GET and a small POST in turn, never of the slow operation. */
function healthyRequests(keys: readonly string[]): BenchRequest[] {
  const paths = ['/accounts', '/accounts/a1', '/accounts/a1/balances', '/consents/c1']
  const target = (draw: (limit: number) => number): string =>
    prefix + (paths[draw(paths.length)] ?? '')
  const gets = mix({ keys, length: 1_000, target })
  const posts = [...mix({ keys, length: 1_000, method: 'POST', target: () => upload, body: '{}' })]
  return [...gets].flatMap((get, at) => [get, ...posts.slice(at, at + 1)])
}
