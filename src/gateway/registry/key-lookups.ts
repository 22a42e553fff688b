import type { Logger } from '../../platform/log.ts'
import type { CachedKey, KeyCache } from './key-cache.ts'
import type { FindKeyRecord } from './key-record.ts'

/** What a look-up ends with; `unreachable` says nothing about the key. */
export type LookUpOutcome = CachedKey | 'unreachable'

export interface KeyLookUps {
  /** Asks the database; all who ask for one id at a time share one question. `done` is called once, later. */
  find(id: string, done: (outcome: LookUpOutcome) => void): void
  /** Asks in the background, unless a question is under way or too many are. */
  refresh(id: string): void
}

export interface KeyLookUpsOptions {
  readonly cache: KeyCache
  readonly findKeyRecord: FindKeyRecord
  readonly log: Pick<Logger, 'debug' | 'error'>
  /** Questions to the database at once. (Default: 8) */
  readonly concurrencyMax?: number
  /** Questions waiting for their turn; above it the answer is `unreachable` at once. (Default: 1000) */
  readonly waitingMax?: number
  /** From asking to `unreachable`. (Default: 1000) */
  readonly deadlineMs?: number
}

interface Question {
  readonly id: string
  readonly waiting: ((outcome: LookUpOutcome) => void)[]
  readonly timer: NodeJS.Timeout
}

export function createKeyLookUps(options: KeyLookUpsOptions): KeyLookUps {
  const { cache, findKeyRecord, log } = options
  const { concurrencyMax = 8, waitingMax = 1000, deadlineMs = 1000 } = options
  const questions = new Map<string, Question>()
  const queue: Question[] = []
  let running = 0

  function ask(id: string): Question | undefined {
    if (running >= concurrencyMax && queue.length >= waitingMax) return undefined
    const question: Question = {
      id,
      waiting: [],
      timer: setTimeout(() => answer(question, 'unreachable'), deadlineMs),
    }
    questions.set(id, question)
    queue.push(question)
    next()
    return question
  }

  function next(): void {
    while (running < concurrencyMax) {
      const question = queue.shift()
      if (question === undefined) return
      if (questions.get(question.id) === question) void run(question)
    }
  }

  /** The place is given up when the database has answered, not at the deadline: it is still busy with us. */
  async function run(question: Question): Promise<void> {
    running += 1
    try {
      const entry = await lookUp(question)
      answer(question, entry ?? 'unreachable')
    } catch (error) {
      // The change feed reports an outage; a line for every call of it would bury that.
      log.debug({ err: error }, 'key not looked up')
      answer(question, 'unreachable')
    } finally {
      running -= 1
      next()
    }
  }

  async function lookUp({ id }: Question): Promise<CachedKey | undefined> {
    // A change applied meanwhile outdates the answer; a second one in a row is next to impossible.
    for (let attempt = 0; attempt < 3; attempt++) {
      const mark = cache.mark()
      const entry = cache.keep(id, await findKeyRecord(id), mark)
      if (entry !== undefined) return entry
    }
    return undefined
  }

  function answer(question: Question, outcome: LookUpOutcome): void {
    if (questions.get(question.id) !== question) return
    questions.delete(question.id)
    clearTimeout(question.timer)
    for (const done of question.waiting) {
      try {
        done(outcome)
      } catch (error) {
        // One that fails must not leave the others waiting.
        log.error({ err: error }, 'the continuation of a key look-up failed')
      }
    }
  }

  return {
    find(id, done) {
      const question = questions.get(id) ?? ask(id)
      if (question === undefined) queueMicrotask(() => done('unreachable'))
      else question.waiting.push(done)
    },
    refresh(id) {
      if (!questions.has(id)) ask(id)
    },
  }
}
