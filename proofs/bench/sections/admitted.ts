import { nginxLuaMissing } from '../nginx.ts'
import { isAsked } from '../options.ts'
import { haproxyMissing, startHaproxyPeer } from '../peers/haproxy-peer.ts'
import { luaPeerName, startNginxLuaPeer } from '../peers/nginx-lua-peer.ts'
import { startNginxPeer } from '../peers/nginx-peer.ts'
import { startBarePeer, startHandMadePeer, startPlainPeer } from '../peers/node-peer.ts'
import type { Peer } from '../peers/peer.ts'
import { settleMs, startTollgatePeer, warmSeconds } from '../peers/tollgate-peer.ts'
import { middle, printGoal, printMeasured, ratio } from '../report.ts'
import { type Measured, runRounds, type Subject } from '../rounds.ts'
import { mix, type RequestList, writeRequests } from '../workload.ts'
import type { BenchWorld } from '../world.ts'
import type { Section } from './section.ts'

interface Candidate {
  readonly name: string
  readonly missing?: string | undefined
  start(list: RequestList): Promise<Subject>
}

/** The admitted GET, compared with all peers: 50 operations, 1,000 applications. */
export const admitted: Section = async (world, options) => {
  const list = writeRequests(world.bench, 'admitted', mix({ keys: world.keys }))
  const subjects: Subject[] = []
  for (const candidate of candidates(world)) {
    if (!isAsked(options, candidate.name)) continue
    if (candidate.missing === undefined) subjects.push(await candidate.start(list))
    else {
      process.stderr.write(`cannot compare with ${candidate.name}: ${candidate.missing}\n`)
      process.exitCode = 1
    }
  }
  if (subjects.length > 0) report(await runRounds(subjects, options))
}

const names = {
  nginx: 'nginx proxy_pass',
  lua: luaPeerName,
  haproxy: 'HAProxy + stick table',
  plain: 'plain @fastify/http-proxy',
  handMade: 'hand-made stack',
  bare: 'bare forwarding',
  tollgate: 'Tollgate',
  unrecorded: 'Tollgate, RECORD_CALLS=false',
} as const

function candidates(world: BenchWorld): Candidate[] {
  const peer = (start: () => Promise<Peer>, name: string, missing?: string): Candidate => ({
    name,
    missing,
    start: async (list) => ({ ...(await start()), name, list, expect: 200, warmSeconds: 3 }),
  })
  const tollgate = (name: string, env: Readonly<Record<string, string>> = {}): Candidate => ({
    name,
    start: async (list) => ({
      ...(await startTollgatePeer(world, { name, env })),
      list,
      expect: 200,
      settleMs,
      warmSeconds,
    }),
  })
  return [
    peer(() => startNginxPeer(world), names.nginx),
    peer(() => startNginxLuaPeer(world), names.lua, nginxLuaMissing()),
    peer(() => startHaproxyPeer(world), names.haproxy, haproxyMissing()),
    peer(() => startPlainPeer(world), names.plain),
    peer(() => startHandMadePeer(world), names.handMade),
    peer(() => startBarePeer(world), names.bare),
    tollgate(names.tollgate),
    tollgate(names.unrecorded, { RECORD_CALLS: 'false' }),
  ]
}

function report(measured: readonly Measured[]): void {
  const find = (name: string): Measured | undefined =>
    measured.find(({ subject }) => subject.name === name)
  const [lua, handMade] = [find(names.lua), find(names.handMade)]
  printMeasured('admitted GET', measured, [
    { head: '× nginx+Lua+Redis', to: lua },
    { head: '× hand-made', to: handMade },
    { head: '× bare', to: find(names.bare) },
  ])
  const tollgate = find(names.tollgate)
  if (tollgate === undefined) return
  for (const [name, to, atMost] of [
    ['nginx + Lua + Redis', lua, 1],
    ['hand-made stack', handMade, 0.55],
  ] as const) {
    // Not asked for, or missing: that has failed the proof already.
    if (to === undefined) continue
    printGoal(`CPU per call × ${name}`, ratio(tollgate, to, 'cpuMicrosecondsPerCall'), { atMost })
  }
  printGoal('KB allocated per call', middle(tollgate, 'bytesPerCall') / 1_000, { atMost: 15 })
}
