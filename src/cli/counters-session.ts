import { counterStore } from '../compose/counter-store.ts'
import type { Counter } from '../gateway/counters/counter.ts'
import type { Settings } from '../platform/settings/settings.ts'

/** What an operator asks of counters. */
export type CountersSession = Pick<Counter, 'peek' | 'reset'>

/**
 * Runs `work` on the counters that are enforced: in Redis, or in the memory of
 * the process that has DATA_DIR open.
 *
 * @throws {CountersUnreachable} without REDIS_URL when no such process answers;
 * what the store throws when it does not answer
 */
export async function withCounters<Result>(
  settings: Settings,
  work: (counters: CountersSession) => Promise<Result>,
): Promise<Result> {
  const counters = await counterStore(settings).reach()
  try {
    return await work(counters)
  } finally {
    await counters.close()
  }
}
