import { type Kysely, sql } from 'kysely'
import type { Database } from '../platform/database.ts'
import type { Lifetime } from '../platform/lifetime.ts'
import type { Logger } from '../platform/log.ts'

/** Several gateway processes use one database without sharing their counters. */
export class CountersNotShared extends Error {
  constructor(isShared: boolean) {
    super(
      isShared
        ? 'REDIS_URL: another gateway process on this DATABASE_URL runs without it and counts by itself; every limit would be multiplied (stop it, or give it the same REDIS_URL)'
        : 'REDIS_URL: is required: another gateway process uses this DATABASE_URL, and processes that count separately would multiply every limit (e.g. redis://host:6379/0)',
    )
    this.name = 'CountersNotShared'
  }
}

/** This application's number among PostgreSQL's advisory locks: "tollgate" in ASCII. */
const lockId = '8389772277106373733'

export interface CountingClaimOptions {
  readonly database: Database
  /** Whether this process counts in Redis. */
  readonly isShared: boolean
  readonly log: Pick<Logger, 'error' | 'warn'>
  readonly lifetime: Lifetime
  /** Interval between two checks of the connection, and between two attempts to take the lock back. (Default: 5000) */
  readonly intervalMs?: number
  /** Time limit of each statement; a connection that takes longer is closed. (Default: 10,000) */
  readonly statementTimeoutMs?: number
}

/**
 * Claims the right to count for a PostgreSQL registry while this process lives,
 * either alone or together with processes that share their counters. The claim
 * is an advisory lock on its own connection, so PostgreSQL releases it when the
 * process dies. After a database outage, and when the login of the database has
 * changed, the process takes the lock again. If another process holds it by then,
 * this one logs an error and keeps serving.
 *
 * The embedded database needs no claim: only one process can open its folder.
 *
 * @throws {CountersNotShared}
 */
export async function claimCounting(options: CountingClaimOptions): Promise<void> {
  const { database, isShared, log, lifetime } = options
  const { intervalMs = 5_000, statementTimeoutMs = 10_000 } = options
  const ended = Promise.withResolvers<void>()
  let isEnded = false

  /** Resolves once the claim is held; `released` then resolves when its connection has ended. */
  async function hold(): Promise<{ released: Promise<void> }> {
    const held = Promise.withResolvers<void>()
    const { url } = database
    const isCurrent = () => database.url === url
    const released = database.apart(
      (kysely) =>
        kysely
          .connection()
          .execute((connection) => claim(connection, { onHeld: held.resolve, isCurrent })),
      { statementTimeoutMs },
    )
    released.catch((error: unknown) => held.reject(error))
    await held.promise
    return { released }
  }

  /** Returns when the process ends or the login has changed: nothing else ends the last connection of the old one. Throws when another process holds the claim, or when the connection and its lock are lost. */
  async function claim(
    connection: Kysely<unknown>,
    { onHeld, isCurrent }: { readonly onHeld: () => void; readonly isCurrent: () => boolean },
  ): Promise<void> {
    const { rows } = isShared
      ? await sql<Claim>`select pg_try_advisory_lock_shared(${lockId}::bigint) as "isHeld"`.execute(
          connection,
        )
      : await sql<Claim>`select pg_try_advisory_lock(${lockId}::bigint) as "isHeld"`.execute(
          connection,
        )
    if (rows[0]?.isHeld !== true) throw new CountersNotShared(isShared)
    onHeld()
    while (!isEnded && isCurrent()) {
      await Promise.race([ended.promise, pause(intervalMs)])
      // Detects a connection that has ended and one whose network drops the replies.
      if (!isEnded) await sql`select 1`.execute(connection)
    }
  }

  async function keep(first: Promise<void>): Promise<void> {
    let released = first
    while (!isEnded) {
      try {
        await released
        if (!isEnded) released = (await hold()).released
      } catch (error) {
        const isTaken = error instanceof CountersNotShared
        if (isTaken) log.error({ reason: error.message }, 'limits may be multiplied')
        else log.warn({ err: error }, 'the claim to count was lost with its connection')
        await Promise.race([ended.promise, pause(intervalMs)])
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
