import type { Kysely, NotNull } from 'kysely'
import type { BankSchema } from './schema.ts'

/** The next change that the bank makes by itself. */
export interface Due {
  /** The answer of a person on a device, or a step of a payment. */
  readonly kind: 'answer' | 'step'
  /** Id of the authorisation or payment. */
  readonly id: string
  /** The planned time. */
  readonly at: Date
}

export function createDueStore(db: Kysely<BankSchema>) {
  return {
    /**
     * The first change due by `now`, except for these ids; undefined if nothing
     * is due. At the same instant steps come before answers, and older rows
     * before newer ones.
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
      // Separate queries, so that an index gives the first row of each, however many are due.
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
