import { type Kysely, sql } from 'kysely'
import type { CountSample } from '../../platform/count-sample.ts'
import type { RegistrySchema } from '../schema.ts'

/** What one process says about the calls that it admitted. */
export interface ToldSamples {
  /** UUID of the process, made at its start. */
  readonly process: string
  readonly host: string
  readonly pid: number
  /** See {@link CountSamples.share}. */
  readonly share: number
  readonly samples: readonly CountSample[]
}

/** What a process reported when it ended. */
export interface EndedSamples extends ToldSamples {
  /** By the clock of the database. */
  readonly at: Date
}

/** The samples of counts that processes hand in, for a proof or because they end. */
export interface ToldCountSamples {
  /** @param proof undefined: the process ends */
  tell(told: ToldSamples, proof: string | undefined): Promise<void>
  /** What was reported for a proof so far. */
  told(proof: string): Promise<readonly ToldSamples[]>
  /** What processes reported when they ended, in the time that samples can still matter. */
  ended(): Promise<readonly EndedSamples[]>
  /** Removes a proof, and what is too old. */
  remove(proof: string): Promise<void>
}

/** Windows longer than a day are proven only as far as processes live. */
const keptHours = 25

export function createToldCountSamples({ db }: { db: Kysely<RegistrySchema> }): ToldCountSamples {
  const rows = () =>
    db.selectFrom('count_samples').select(['process', 'host', 'pid', 'share', 'samples'])
  const prune = () => db.deleteFrom('count_samples').where('at', '<', hoursAgo(keptHours)).execute()
  return {
    async tell({ samples, ...told }, proof) {
      await db
        .insertInto('count_samples')
        .values({
          ...told,
          proof: proof ?? null,
          samples: JSON.stringify(samples),
        })
        .execute()
      if (proof === undefined) await prune()
    },
    told: (proof) => rows().where('proof', '=', proof).execute(),
    ended: () =>
      rows()
        .select('at')
        .where('proof', 'is', null)
        .where('at', '>', hoursAgo(keptHours))
        .execute(),
    async remove(proof) {
      await db.deleteFrom('count_samples').where('proof', '=', proof).execute()
      await prune()
    },
  }
}

const hoursAgo = (hours: number) => sql<Date>`now() - make_interval(hours => ${hours})`
