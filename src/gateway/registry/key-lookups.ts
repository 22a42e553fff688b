import type { Logger } from '../../platform/log.ts'
import type { CachedKey, KeyCache } from './key-cache.ts'
import type { FindKeyRecords } from './key-record.ts'

/** The result of a look-up; `unreachable` implies nothing about the key. */
export type LookUpOutcome = CachedKey | 'unreachable'

/**
 * Looks keys up in the database, many per statement.
 *
 * All callers that need one id share its query. While fewer than
 * `concurrencyMax` statements run, a query starts at once. Otherwise the next
 * statement takes as many waiting queries as it has room for. Strangers can
 * invent ids with correct checksums, so a flood of invented ids must cost other
 * callers little:
 *
 * - Waiting queries run newest first, and above `waitingMax` the oldest fails.
 *   So a new query waits for one statement and not for the whole queue.
 * - Half the room of a statement belongs to refreshes of known keys. Unknown
 *   ids never displace these.
 */
export interface KeyLookUps {
  /** Asks the database. Calls `done` once and later, by the deadline at the latest. */
  find(id: string, done: (outcome: LookUpOutcome) => void): void
  /** Refreshes a known key in the background. The queue has room for every cached key. */
  refresh(id: string): void
}

export interface KeyLookUpsOptions {
  readonly cache: KeyCache
  readonly findKeyRecords: FindKeyRecords
  readonly log: Pick<Logger, 'debug' | 'error'>
  /** Simultaneous statements. (Default: 8) */
  readonly concurrencyMax?: number
  /** Ids per statement. (Default: 100) */
  readonly batchMax?: number
  /** Maximum waiting queries of {@link KeyLookUps.find}. (Default: 10,000) */
  readonly waitingMax?: number
  /** Milliseconds until a query ends as `unreachable`. (Default: 1000) */
  readonly deadlineMs?: number
}

interface Question {
  readonly id: string
  readonly wanting: ((outcome: LookUpOutcome) => void)[]
  state: 'waiting' | 'asked' | 'answered'
  /** Number of times the database was asked. */
  attempts: number
  /** Undefined while no caller waits for the result. */
  timer: NodeJS.Timeout | undefined
}

/** A change applied during a look-up makes its result stale; a third time in a row is next to impossible. */
const attemptsMax = 3

export function createKeyLookUps(options: KeyLookUpsOptions): KeyLookUps {
  const { cache, findKeyRecords, log } = options
  const { concurrencyMax = 8, batchMax = 100, waitingMax = 10_000, deadlineMs = 1000 } = options
  const questions = new Map<string, Question>()
  // Both lists may contain queries that no longer wait; these are skipped.
  const newestLast: Question[] = []
  const refreshes = new Set<Question>()
  let running = 0

  function open(id: string): Question {
    const question: Question = {
      id,
      wanting: [],
      state: 'waiting',
      attempts: 0,
      timer: undefined,
    }
    questions.set(id, question)
    return question
  }

  function next(): void {
    while (running < concurrencyMax) {
      const batch = takeBatch()
      if (batch.length === 0) return
      void run(batch)
    }
  }

  function takeBatch(): Question[] {
    const batch: Question[] = []
    takeRefreshes(batch, Math.ceil(batchMax / 2))
    while (batch.length < batchMax) {
      const question = newestLast.pop()
      if (question === undefined) break
      take(question, batch)
    }
    takeRefreshes(batch, batchMax)
    return batch
  }

  function takeRefreshes(batch: Question[], lengthMax: number): void {
    for (const question of refreshes) {
      if (batch.length >= lengthMax) return
      refreshes.delete(question)
      take(question, batch)
    }
  }

  function take(question: Question, batch: Question[]): void {
    if (question.state !== 'waiting') return
    question.state = 'asked'
    question.attempts += 1
    batch.push(question)
  }

  /** The slot becomes free when the database has answered, not at the deadline: until then it is still working on the statement. */
  async function run(batch: readonly Question[]): Promise<void> {
    running += 1
    try {
      const mark = cache.mark()
      const records = await findKeyRecords(batch.map(({ id }) => id))
      for (const question of batch) {
        const entry = cache.keep(question.id, records.get(question.id), mark)
        if (entry !== undefined) answer(question, entry)
        else askAgain(question)
      }
    } catch (error) {
      // The change feed reports an outage; a line for each call would bury that report.
      log.debug({ err: error }, 'keys not looked up')
      for (const question of batch) answer(question, 'unreachable')
    } finally {
      running -= 1
      next()
    }
  }

  function askAgain(question: Question): void {
    if (question.state === 'answered') return
    if (question.attempts >= attemptsMax) {
      answer(question, 'unreachable')
      return
    }
    question.state = 'waiting'
    if (question.timer === undefined) refreshes.add(question)
    else newestLast.push(question)
  }

  function answer(question: Question, outcome: LookUpOutcome): void {
    if (question.state === 'answered') return
    question.state = 'answered'
    questions.delete(question.id)
    clearTimeout(question.timer)
    for (const done of question.wanting) {
      try {
        done(outcome)
      } catch (error) {
        // An error of one callback must not leave other callers waiting.
        log.error({ err: error }, 'the continuation of a key look-up failed')
      }
    }
  }

  function shedOldest(): void {
    while (newestLast.length > waitingMax) {
      const oldest = newestLast.shift()
      // Not synchronously, inside the call that exceeded the maximum.
      if (oldest?.state === 'waiting') queueMicrotask(() => answer(oldest, 'unreachable'))
    }
  }

  return {
    find(id, done) {
      const question = questions.get(id) ?? open(id)
      question.wanting.push(done)
      if (question.timer !== undefined) return
      question.timer = setTimeout(() => answer(question, 'unreachable'), deadlineMs)
      // A waiting refresh now counts as a call's query.
      if (question.state !== 'waiting') return
      newestLast.push(question)
      next()
      shedOldest()
    },
    refresh(id) {
      if (questions.has(id)) return
      refreshes.add(open(id))
      next()
    },
  }
}
