import type { WindowLength } from '../../catalogue/catalogue.ts'
import { windowAt, windowEnd } from '../../gateway/counters/window.ts'

const dayMs = 86_400_000
const days = 30
/** Usage is stored by the hour for 60 days, of which the oldest may be half deleted. */
const daysStored = 59

/** The stored usage to compare with a limit. */
export interface UsageSpan {
  readonly from: Date
  /** Whether the first window began earlier, so that not all of its calls are known. */
  readonly isCut: boolean
}

/** The last 30 days and the rest of the window in which they begin: a part of a window would exceed a limit too late. */
export function usageSpan(length: WindowLength, nowMs: number): UsageSpan {
  const { id } = windowAt(nowMs - days * dayMs, length)
  const begin = windowEnd(id - 1, length)
  const stored = nowMs - daysStored * dayMs
  return { from: new Date(Math.max(begin, stored)), isCut: begin < stored }
}
