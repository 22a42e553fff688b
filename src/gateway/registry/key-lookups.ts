import type { Logger } from '../../platform/log.ts'
import type { CachedKey, KeyCache } from './key-cache.ts'
import type { FindKeyRecords } from './key-record.ts'

/** What a look-up ends with; `unreachable` says nothing about the key. */
export type LookUpOutcome = CachedKey | 'unreachable'

/**
 * Questions to the database about keys, many in one statement.
 *
 * A question waits, is asked, and is answered; all who want one id meanwhile
 * share it. While fewer than `concurrencyMax` statements are under way it is
 * asked at once; otherwise the next statement takes every question it has room
 * for. Anybody can make up ids with right checksums, so a flood of them must
 * cost others little:
 *
 * - those who wait are asked about newest first, and above `waitingMax` the
 *   oldest is given up: who comes fresh waits for one statement, not for all
 *   who came before;
 * - half the room of a statement belongs to refreshes of known keys. They are
 *   never given up for strangers.
 */
export interface KeyLookUps {
  /** Asks the database. `done` is called once, later: at the deadline at the latest. */
  find(id: string, done: (outcome: LookUpOutcome) => void): void
  /** Asks in the background about a key that is known: as many may wait as are remembered. */
  refresh(id: string): void
}

export interface KeyLookUpsOptions {
  readonly cache: KeyCache
  readonly findKeyRecords: FindKeyRecords
  readonly log: Pick<Logger, 'debug' | 'error'>
  /** Statements at once. (Default: 8) */
  readonly concurrencyMax?: number
  /** Ids in one statement. (Default: 100) */
  readonly batchMax?: number
  /** Questions of {@link KeyLookUps.find} waiting for their turn. (Default: 10,000) */
  readonly waitingMax?: number
  /** From asking to `unreachable`. (Default: 1000) */
  readonly deadlineMs?: number
}

interface Question {
  readonly id: string
  readonly wanting: ((outcome: LookUpOutcome) => void)[]
  state: 'waiting' | 'asked' | 'answered'
  /** How often it was asked. */
  attempts: number
  /** Undefined while nobody waits for the answer. */
  timer: NodeJS.Timeout | undefined
}

/** A change applied meanwhile outdates an answer; a third one in a row is next to impossible. */
const attemptsMax = 3

export function createKeyLookUps(options: KeyLookUpsOptions): KeyLookUps {
  const { cache, findKeyRecords, log } = options
  const { concurrencyMax = 8, batchMax = 100, waitingMax = 10_000, deadlineMs = 1000 } = options
  const questions = new Map<string, Question>()
  // Both may hold questions that no longer wait; they are skipped where they are met.
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

  /** The place is given up when the database has answered, not at the deadline: it is still busy with us. */
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
      // The change feed reports an outage; a line for every call of it would bury that.
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
        // One that fails must not leave the others waiting.
        log.error({ err: error }, 'the continuation of a key look-up failed')
      }
    }
  }

  function shedOldest(): void {
    while (newestLast.length > waitingMax) {
      const oldest = newestLast.shift()
      // Not in the middle of the call that came too much.
      if (oldest?.state === 'waiting') queueMicrotask(() => answer(oldest, 'unreachable'))
    }
  }

  return {
    find(id, done) {
      const question = questions.get(id) ?? open(id)
      question.wanting.push(done)
      if (question.timer !== undefined) return
      question.timer = setTimeout(() => answer(question, 'unreachable'), deadlineMs)
      // A refresh that is waiting counts as fresh from now on.
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
