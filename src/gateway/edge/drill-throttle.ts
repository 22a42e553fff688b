import { createFixedWindows } from '../../platform/fixed-windows.ts'

/** Drills of one developer in a minute, in each process. */
export const drillsPerMinute = 60

/** Counts the drills of a developer, because no plan does. */
export interface DrillThrottle {
  /** Counts one drill. @returns 0 while the developer is within the allowance, otherwise the seconds to wait (≥ 1) */
  count(developerId: string): number
}

/** Creates a throttle in this process. A minute begins with a developer's first drill. */
export function createDrillThrottle(now: () => number): DrillThrottle {
  const windows = createFixedWindows({ allowance: drillsPerMinute, windowMs: 60_000, now })
  return {
    count(developerId) {
      const { excess, endsInMs } = windows.count(developerId)
      return excess <= 0 ? 0 : Math.ceil(endsInMs / 1000)
    },
  }
}
