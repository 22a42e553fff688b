import type { Kysely } from 'kysely'
import { beginCursor, lockCursor, moveCursor, readCursor } from '../../registry/job-cursor.ts'
import {
  findLimitedDevelopers,
  listRefusedByLimit,
  type RefusedByLimit,
} from '../../registry/refused-by-limit.ts'
import type { RegistrySchema } from '../../registry/schema.ts'
import type { RegistryTransaction } from '../../registry/transaction.ts'
import type { LimitsFacts } from './limits-letter.ts'
import type { Outbox } from './outbox.ts'
import { dayOf } from './utc-time.ts'

/** Tells developers once a day which limits refused calls of theirs the day before. */
export interface LimitsDigest {
  /** Writes yesterday's digests unless that was done, by whichever process. */
  run(): Promise<void>
}

export interface LimitsDigestOptions {
  readonly db: Kysely<RegistrySchema>
  readonly outbox: Outbox
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const cursorName = 'limits-digest'
const developersMax = 20
/** After the end of a day: counts are written some seconds late, and the clocks of the gateways differ. */
const countedWithinMs = 600_000
const beforeAllIds = '00000000-0000-0000-0000-000000000000'

/**
 * One digest for a developer and day, over all processes: the cursor
 * (`2026-11-19`, or `2026-11-19 <id>` while developers up to that id are done)
 * moves in the transaction that writes the letters. A day on which no portal
 * ran gets no digest.
 */
export function createLimitsDigest({ db, outbox, now }: LimitsDigestOptions): LimitsDigest {
  /** @returns whether there may be more */
  function runPiece(day: string): Promise<boolean> {
    return db.transaction().execute(async (trx) => {
      const cursor = await lockCursor(trx, cursorName)
      if (cursor === undefined || isDone(cursor.value, day)) return false
      const [doing, last = beforeAllIds] = cursor.value.split(' ')
      const after = doing === day ? last : beforeAllIds
      const developers = await findLimitedDevelopers(trx, { day, after, max: developersMax })
      for (const { id, email } of developers) {
        await outbox.post(trx, { kind: 'limits-reached', ...(await factsOf(trx, day, id)) }, email)
      }
      const reached = developers.at(-1)
      await moveCursor(trx, cursorName, reached === undefined ? day : `${day} ${reached.id}`)
      return reached !== undefined
    })
  }

  return {
    async run() {
      const yesterday = dayOf(now(), -1)
      // A new installation starts with the current day.
      await beginCursor(db, cursorName, yesterday)
      const cursor = await readCursor(db, cursorName)
      if (cursor === undefined || isDone(cursor.value, yesterday)) return
      if (dayOf(now() - countedWithinMs, -1) !== yesterday) return
      while (await runPiece(yesterday));
    },
  }
}

/** Days compare as texts. */
function isDone(value: string, day: string): boolean {
  const [doing = '', last] = value.split(' ')
  return doing > day || (doing === day && last === undefined)
}

async function factsOf(
  trx: RegistryTransaction,
  day: string,
  developerId: string,
): Promise<LimitsFacts> {
  const rows = await listRefusedByLimit(trx, { day, developerId })
  const applications = Map.groupBy(rows, ({ applicationId }) => applicationId)
  return {
    developerId,
    day,
    applications: [...applications.values()].flatMap(([first, ...others]) =>
      first === undefined ? [] : [applicationOf(first, others)],
    ),
  }
}

function applicationOf(first: RefusedByLimit, others: readonly RefusedByLimit[]) {
  return {
    id: first.applicationId,
    name: first.applicationName,
    operations: [first, ...others].map(({ api, version, operation, refused }) => ({
      api,
      version,
      operation,
      refused,
    })),
  }
}
