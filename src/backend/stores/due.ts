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
     * Who answers at the instant of a step was faster; else what was made first.
     */
    next(now: Date, except: readonly string[]): Promise<Due | undefined> {
      const answers = db
        .selectFrom('authorisations')
        .select((any) => [
          any.val<Due['kind']>('answer').as('kind'),
          'id',
          'answersAt as at',
          'number',
        ])
        .where('status', '=', 'started')
        .where('answersAt', '<=', now)
      const steps = db
        .selectFrom('payments')
        .select((any) => [any.val<Due['kind']>('step').as('kind'), 'id', 'dueAt as at', 'number'])
        .where('dueAt', '<=', now)
      const due = db
        .selectFrom(answers.unionAll(steps).as('due'))
        .select(['kind', 'id', 'at'])
        // A row without a time is not due.
        .$narrowType<{ at: NotNull }>()
      return (except.length === 0 ? due : due.where('id', 'not in', except))
        .orderBy('at')
        .orderBy('kind')
        .orderBy('number')
        .limit(1)
        .executeTakeFirst()
    },
  }
}
