import { sql } from 'kysely'
import type { Database } from '../platform/database.ts'
import type { Lifetime } from '../platform/lifetime.ts'
import type { Logger } from '../platform/log.ts'

/** Several gateway processes use one database and do not share their counters. */
export class CountersNotShared extends Error {
  constructor(isShared: boolean) {
    super(
      isShared
        ? 'REDIS_URL: another gateway process on this DATABASE_URL runs without it and counts by itself; every limit would be multiplied (stop it, or give it the same REDIS_URL)'
        : 'REDIS_URL: is required: another gateway process uses this DATABASE_URL, and processes that count by themselves would multiply every limit (e.g. redis://host:6379/0)',
    )
    this.name = 'CountersNotShared'
  }
}

/** Our number among PostgreSQL's advisory locks: "tollgate" in ASCII. */
const lockId = '8389772277106373733'

/** Between two attempts to hold the claim again after the database was away. */
const againMs = 5_000

export interface CountingClaimOptions {
  readonly database: Database
  /** Whether this process counts in Redis. */
  readonly isShared: boolean
  readonly log: Pick<Logger, 'error' | 'warn'>
  readonly lifetime: Lifetime
}

/**
 * Claims, for as long as the process lives, the right to count for a
 * PostgreSQL registry: alone, or together with others that share counters. The
 * claim is an advisory lock on a connection of its own, so a killed process
 * gives it up. After an outage of the database it is taken again; should
 * somebody else hold it then, that is logged as an error, and calls go on.
 *
 * Not for the embedded database: its folder has one opener anyway.
 *
 * @throws {CountersNotShared}
 */
export async function claimCounting(options: CountingClaimOptions): Promise<void> {
  const { database, isShared, log, lifetime } = options
  const ended = Promise.withResolvers<void>()
  let isEnded = false

  /** Resolves once the claim is held; `released` then resolves when its connection has ended. */
  async function hold(): Promise<{ released: Promise<void> }> {
    const held = Promise.withResolvers<void>()
    const released = database.unhurried((kysely) =>
      kysely.connection().execute(async (connection) => {
        const { rows } = isShared
          ? await sql<Claim>`select pg_try_advisory_lock_shared(${lockId}::bigint) as "isHeld"`.execute(
              connection,
            )
          : await sql<Claim>`select pg_try_advisory_lock(${lockId}::bigint) as "isHeld"`.execute(
              connection,
            )
        if (rows[0]?.isHeld !== true) throw new CountersNotShared(isShared)
        held.resolve()
        while (!isEnded) {
          await Promise.race([ended.promise, pause(againMs)])
          // Notices a connection that has ended, and the lock with it.
          if (!isEnded) await sql`select 1`.execute(connection)
        }
      }),
    )
    released.catch((error: unknown) => held.reject(error))
    await held.promise
    return { released }
  }

  async function keep(first: Promise<void>): Promise<void> {
    let released = first
    while (!isEnded) {
      try {
        await released
      } catch (error) {
        const isTaken = error instanceof CountersNotShared
        if (isTaken) log.error({ reason: error.message }, 'limits may be multiplied')
        else log.warn({ err: error }, 'the claim to count was lost with its connection')
        await Promise.race([ended.promise, pause(againMs)])
        released = isEnded ? Promise.resolve() : hold().then((again) => again.released)
      }
    }
  }

  const { released } = await hold()
  const keeping = keep(released)
  lifetime.opened(async () => {
    isEnded = true
    ended.resolve()
    await keeping
    await released.catch(() => undefined)
  })
}

interface Claim {
  readonly isHeld: boolean
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref()
  })
}
