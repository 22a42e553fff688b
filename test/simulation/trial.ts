import { judge, type Violation } from './judge.ts'
import { type Lua, startLua } from './lua.ts'
import { type CounterModules, loadCounters, type Patch } from './modules.ts'
import { reachedBy } from './reached.ts'
import type { Schedule } from './schedule.ts'
import { simulate } from './simulate.ts'

/** The outcome of one schedule. */
export interface Trial {
  readonly violations: readonly Violation[]
  readonly calls: number
  /** What the store has counted in each bucket at the end. */
  readonly counted: readonly (number | null)[]
  readonly digest: number
  /** What it reached, of `classes`. */
  readonly reached: ReadonlySet<string>
}

/** Runs schedules, one after the other. */
export interface Trials {
  /** @param isTwice whether it must run the same way a second time (default) */
  run(schedule: Schedule, isTwice?: boolean): Trial
}

/** @param patches faults to plant */
export async function createTrials(patches: readonly Patch[] = []): Promise<Trials> {
  const [lua, modules]: [Lua, CounterModules] = await Promise.all([
    startLua(),
    loadCounters(patches),
  ])
  return {
    run(schedule, isTwice = true) {
      const history = simulate(schedule, { modules, lua })
      const violations = judge(schedule, history)
      if (isTwice && simulate(schedule, { modules, lua }).digest !== history.digest) {
        violations.push({ promise: 'replays', details: 'the second run differs from the first' })
      }
      const counted = history.stored.map((stored) => stored?.count ?? null)
      const { calls, digest } = history
      const reached = reachedBy(schedule, history)
      return { violations, calls: calls.length, counted, digest, reached }
    },
  }
}

/** Runs in its own turn, where no promise is being settled. */
export function inTurn<T>(run: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(run())
      } catch (error) {
        reject(error)
      }
    })
  })
}
