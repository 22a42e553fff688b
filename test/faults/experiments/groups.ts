import type { Test } from '../../support/database.ts'
import type { Outcome } from '../outcome.ts'
import { runFault } from '../run-fault.ts'
import { startSingleStore } from '../single-store.ts'
import { runRace, runSoak } from './healthy.ts'
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

export const groups: readonly Group[] = [single]
