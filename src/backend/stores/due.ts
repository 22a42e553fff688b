import type { Kysely, NotNull } from 'kysely'
import type { BankSchema } from './schema.ts'

/** What the bank does next by itself. */
export interface Due {
  /** The answer of a person on a device, or a step of a payment. */
  readonly kind: 'answer' | 'step'
  /** Of the authorisation, or of the payment. */
  readonly id: string
  /** For when it was planned. */
  readonly at: Date
}

export function createDueStore(db: Kysely<BankSchema>) {
  return {
    /**
     * What is due first by `now`, but for these ids; undefined when nothing is.
     * At the same instant a step comes before an answer, and what was made first
     * before the rest.
     */
    next(now: Date, except: readonly string[]): Promise<Due | undefined> {
      const answers = db
        .selectFrom('authorisations')
        .select((any) => [any.val<Due['kind']>('answer').as('kind'), 'id', 'answersAt as at'])
        .where('status', '=', 'started')
        .where('answersAt', '<=', now)
      const steps = db
        .selectFrom('payments')
        .select((any) => [any.val<Due['kind']>('step').as('kind'), 'id', 'dueAt as at'])
        .where('dueAt', '<=', now)
      // Each by itself, so that an index has the first one at hand however many are due.
      const firstAnswer = (except.length === 0 ? answers : answers.where('id', 'not in', except))
        .orderBy('answersAt')
        .orderBy('number')
        .limit(1)
      const firstStep = (except.length === 0 ? steps : steps.where('id', 'not in', except))
        .orderBy('dueAt')
        .orderBy('number')
        .limit(1)
      const both = db
        .selectFrom(firstStep.as('step'))
        .selectAll()
        .unionAll(db.selectFrom(firstAnswer.as('answer')).selectAll())
      return (
        db
          .selectFrom(both.as('due'))
          .selectAll()
          .orderBy('at')
          .orderBy('kind', 'desc')
          .limit(1)
          // A row without a time is not due.
          .$narrowType<{ at: NotNull }>()
          .executeTakeFirst()
      )
    },
  }
}
