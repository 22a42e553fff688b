import type { Test } from '../../../test/support/database.ts'
import { startRedisCluster } from '../../../test/support/redis-cluster.ts'
import { startRedisSentinel } from '../../../test/support/redis-sentinel.ts'
import { watchModes } from '../mode-watch.ts'
import type { Outcome } from '../outcome.ts'
import { startRig } from '../rig.ts'
import { runFault } from '../run-fault.ts'
import { startSingleStore } from '../single-store.ts'
import { startStoreProbe } from '../store-probe.ts'
import { clockFaults, createShiftedClocks } from './clocks.ts'
import { clusterFaults } from './cluster.ts'
import { evictionFaults, evictionSettings } from './evictions.ts'
import { runRace, runSoak } from './healthy.ts'
import { keyKinds, runKeyKills } from './keys.ts'
import { sentinelFaults } from './sentinel.ts'
import { singleFaults } from './single.ts'

/** Experiments that share what they run on. */
export interface Group {
  /** The ids of its experiments. */
  readonly ids: readonly string[]
  run(t: Test, options: GroupOptions): Promise<void>
}

export interface GroupOptions {
  readonly seed: number
  /** Only the first fault of each id, fewer rounds and kills, a shorter soak, and none with buckets of ten. */
  readonly isShare: boolean
  /** Full windows of the healthy soak; undefined: as many as its share of the time allows. */
  readonly soak: number | undefined
  /** Where the books are kept; undefined: nowhere. */
  readonly books: string | undefined
  isWanted(id: string): boolean
  report(outcome: Outcome): void
}

const single: Group = {
  ids: ['R1', 'I1', 'R2', 'R3', 'R4', 'R7', 'R8', 'N1', 'G1'],
  async run(t, { seed, soak, books, isShare, isWanted, report }) {
    const store = await startSingleStore(t, { books })
    if (isWanted('R1')) report(await runRace(store.rig, isShare ? 20 : 50))
    if (isWanted('I1')) {
      const hundred =
        soak === undefined ? { full: 10_000, mostMs: isShare ? 5_000 : 30_000 } : longSoak(soak)
      report(await runSoak(store.rig, { plan: 's2', ...hundred }))
      if (!isShare) {
        report(await runSoak(store.rig, { plan: 'ten', full: 10_000, mostMs: 35_000 }))
      }
    }
    for (const fault of chosen(singleFaults(store), isShare)) {
      if (!isWanted(fault.id)) continue
      await store.serve(fault.args ?? [])
      report(await runFault(fault, { ...store, seed }))
    }
    for (const kind of keyKinds) {
      const kills = isShare ? 5 : 25
      if (isWanted('G1')) report(await runKeyKills(store.rig, { kind, kills, seed }))
    }
  },
}

/** In the order in which they are written, the more telling first. */
function chosen<Fault extends { readonly id: string }>(
  faults: readonly Fault[],
  isShare: boolean,
): readonly Fault[] {
  if (!isShare) return faults
  return faults.filter(({ id }, index) => faults.findIndex((fault) => fault.id === id) === index)
}

/** As long as it takes, but an hour at most. */
const longSoak = (full: number) => ({ full, mostMs: 3_600_000 })

const clocks: Group = {
  ids: ['R9'],
  async run(t, { seed, books, isShare, report }) {
    const shifted = createShiftedClocks(t)
    const store = await startSingleStore(t, { books, env: shifted.env })
    for (const fault of chosen(clockFaults(shifted), isShare)) {
      report(await runFault(fault, { ...store, seed }))
    }
  },
}

const evictions: Group = {
  ids: ['E1'],
  async run(t, { seed, books, isShare, report }) {
    const env = () => ({ REDIS_EVICTION_ALLOWED: 'true' })
    const store = await startSingleStore(t, { books, env })
    for (const fault of chosen(evictionFaults(store), isShare)) {
      await store.serve(evictionSettings(fault))
      report(await runFault(fault, { ...store, seed }))
    }
  },
}

const sentinels: Group = {
  ids: ['R5'],
  async run(t, { seed, books, isShare, report }) {
    const sentinel = await startRedisSentinel()
    t.teardown(() => sentinel.stop())
    const { rig, modes, probe } = await startManyServers(t, {
      books,
      url: sentinel.url,
      port: (await sentinel.primary()).port,
    })
    const { faults, restore } = sentinelFaults({ sentinel, probe })
    for (const fault of chosen(faults, isShare)) {
      report(await runFault(fault, { rig, modes, probe, seed }))
      await restore()
    }
  },
}

const cluster: Group = {
  ids: ['R6'],
  async run(t, { seed, books, isShare, report }) {
    const cluster = await startRedisCluster()
    t.teardown(() => cluster.stop())
    const { rig, modes, probe } = await startManyServers(t, {
      books,
      url: cluster.url,
      port: (await cluster.ownerOf(0)).port,
    })
    const { faults, victim, isOnVictim } = clusterFaults({ cluster, probe })
    for (const fault of chosen(faults, isShare)) {
      // The empty name lies in slot 0.
      probe.target((await victim()).port)
      const run = { rig, modes, probe, seed, isInPlace: isOnVictim }
      report(await runFault(fault, run))
    }
  },
}

interface ManyServers {
  readonly books: string | undefined
  readonly url: string
  /** Port of the server that accepts writes. */
  readonly port: number
}

/** A rig on servers that the gateways find by themselves, without proxies before them. */
async function startManyServers(t: Test, { books, url, port }: ManyServers) {
  const rig = await startRig(t, { books, redis: { url } })
  const modes = watchModes(rig.gateways.map(({ urls }) => urls.management))
  t.teardown(() => modes.stop())
  const probe = startStoreProbe(port)
  t.teardown(() => probe.stop())
  return { rig, modes, probe }
}

export const groups: readonly Group[] = [single, clocks, evictions, sentinels, cluster]
