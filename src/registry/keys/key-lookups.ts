import { startDeadline } from '../../platform/deadline.ts'
import type { Logger } from '../../platform/log/log.ts'
import type { CachedKey, KeyCache } from './key-cache.ts'
import type { FindKeyRecords } from './key-record.ts'

/** The result of a look-up; `unreachable` implies nothing about the key. */
export type LookUpOutcome = CachedKey | 'unreachable'

/**
 * Looks keys up in the database, many per statement.
 *
 * All callers that need one id share its query. While fewer than
 * `concurrencyMax` statements run, the query of a call starts at once. Otherwise
 * the next statement takes as many waiting queries as it has room for. Strangers
 * can invent ids with correct checksums, so a flood of invented ids must cost other
 * callers little:
 *
 * - Refreshes of known keys come first. Unknown ids never displace these.
 * - Of the others the newest comes first, and above `waitingMax` the oldest
 *   fails. So a new query waits for one statement and not for the whole queue.
 */
export interface KeyLookUps {
  /** Asks the database. Calls `done` once and later: by the deadline, or when this process can read sockets again. */
  find(id: string, done: (outcome: LookUpOutcome) => void): void
  /** Refreshes a known key in the background. The queue has room for every cached key. */
  refresh(id: string): void
  /** Ids that the database was asked for, refreshes included. */
  asked(): number
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
  /** Milliseconds in which refreshes gather; no call waits for them. (Default: 50) */
  readonly gatherMs?: number
}

interface Question {
  readonly id: string
  readonly wanting: ((outcome: LookUpOutcome) => void)[]
  isAnswered: boolean
  /** Undefined while no caller waits for the result. */
  cancelDeadline: (() => void) | undefined
}

/** A change applied during a look-up makes its result stale; a third time in a row is next to impossible. */
const attemptsMax = 3

export function createKeyLookUps(options: KeyLookUpsOptions): KeyLookUps {
  const { cache, findKeyRecords, log } = options
  const { concurrencyMax = 8, batchMax = 100, waitingMax = 10_000 } = options
  const { deadlineMs = 1000, gatherMs = 50 } = options
  const questions = new Map<string, Question>()
  const refreshes: Question[] = []
  const newestLast: Question[] = []
  let isGathering = false
  let running = 0
  let asked = 0

  function ask(id: string, queue: Question[]): Question {
    const question: Question = { id, wanting: [], isAnswered: false, cancelDeadline: undefined }
    questions.set(id, question)
    queue.push(question)
    return question
  }

  function next(): void {
    while (running < concurrencyMax && refreshes.length + newestLast.length > 0) {
      const batch = refreshes.splice(0, batchMax)
      while (batch.length < batchMax) {
        const question = newestLast.pop()
        if (question === undefined) break
        // After its deadline no caller waits.
        if (!question.isAnswered) batch.push(question)
      }
      if (batch.length > 0) void run(batch)
    }
  }

  /**
   * The slot becomes free when the database has answered, not at the deadline:
   * until then it is still working on the statement.
   */
  async function run(batch: readonly Question[]): Promise<void> {
    running += 1
    asked += batch.length
    let left = batch
    try {
      for (let attempt = 0; attempt < attemptsMax && left.length > 0; attempt += 1) {
        const mark = cache.mark()
        const records = await findKeyRecords(left.map(({ id }) => id))
        left = left.filter((question) => {
          const entry = cache.keep(question.id, records.get(question.id), mark)
          if (entry !== undefined) answer(question, entry)
          return entry === undefined
        })
      }
    } catch (error) {
      // The change feed reports an outage; a line for each call would bury that report.
      log.debug({ err: error }, 'keys not looked up')
    }
    for (const question of left) answer(question, 'unreachable')
    running -= 1
    next()
  }

  function answer(question: Question, outcome: LookUpOutcome): void {
    if (question.isAnswered) return
    question.isAnswered = true
    questions.delete(question.id)
    question.cancelDeadline?.()
    for (const done of question.wanting) {
      try {
        done(outcome)
      } catch (error) {
        // An error of one callback must not leave other callers waiting.
        log.error({ err: error }, 'the continuation of a key look-up failed')
      }
    }
  }

  return {
    find(id, done) {
      const question = questions.get(id) ?? ask(id, newestLast)
      question.wanting.push(done)
      question.cancelDeadline ??= startDeadline(deadlineMs, () => answer(question, 'unreachable'))
      next()
      const oldest = newestLast.length > waitingMax ? newestLast.shift() : undefined
      // Not synchronously, inside the call that exceeded the maximum.
      if (oldest !== undefined) queueMicrotask(() => answer(oldest, 'unreachable'))
    },
    refresh(id) {
      if (questions.has(id)) return
      ask(id, refreshes)
      if (isGathering) return
      isGathering = true
      setTimeout(() => {
        isGathering = false
        next()
      }, gatherMs).unref()
    },
    asked: () => asked,
  }
}
