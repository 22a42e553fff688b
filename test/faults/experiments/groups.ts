import type { Test } from '../../support/database.ts'
import { startRedisSentinel } from '../../support/redis-sentinel.ts'
import type { Outcome } from '../outcome.ts'
import { startRig } from '../rig.ts'
import { runFault } from '../run-fault.ts'
import { startSingleStore } from '../single-store.ts'
import { startStoreProbe, watchModes } from '../watch.ts'
import { clockFaults, clocksMissing, createShiftedClocks } from './clocks.ts'
import { runRace, runSoak } from './healthy.ts'
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
  /** Full windows of the healthy soak; undefined: as many as its share of the time allows. */
  readonly soak: number | undefined
  /** Where the books are kept; undefined: nowhere. */
  readonly books: string | undefined
  isWanted(id: string): boolean
  report(outcome: Outcome): void
}

const single: Group = {
  ids: ['R1', 'I1', 'R2', 'R3', 'R4', 'R7', 'R8', 'N1'],
  async run(t, { seed, soak, books, isWanted, report }) {
    const store = await startSingleStore(t, { books })
    if (isWanted('R1')) report(await runRace(store.rig, 50))
    if (isWanted('I1')) {
      const full = soak ?? 10_000
      report(await runSoak(store.rig, { full, mostMs: soak === undefined ? 60_000 : 3_600_000 }))
    }
    for (const fault of singleFaults(store)) {
      if (!isWanted(fault.id)) continue
      await store.serve(fault.args ?? [])
      report(await runFault(fault, { ...store, seed }))
    }
  },
}

const clocks: Group = {
  ids: ['R9'],
  async run(t, { seed, books, report }) {
    const missing = clocksMissing()
    if (missing !== false) {
      t.comment(`SKIPPED: R9: ${missing}`)
      return
    }
    const shifted = createShiftedClocks(t)
    const store = await startSingleStore(t, { books, env: shifted.env })
    for (const fault of clockFaults(shifted)) report(await runFault(fault, { ...store, seed }))
  },
}

const sentinels: Group = {
  ids: ['R5'],
  async run(t, { seed, books, report }) {
    const sentinel = await startRedisSentinel()
    t.teardown(() => sentinel.stop())
    const rig = await startRig(t, { books, redis: { url: sentinel.url } })
    const modes = watchModes(rig.gateways.map(({ urls }) => urls.management))
    t.teardown(() => modes.stop())
    const probe = startStoreProbe((await sentinel.primary()).port)
    t.teardown(() => probe.stop())
    const { faults, restore } = sentinelFaults({ sentinel, probe })
    for (const fault of faults) {
      report(await runFault(fault, { rig, modes, probe, seed }))
      await restore()
    }
  },
}

export const groups: readonly Group[] = [single, clocks, sentinels]
