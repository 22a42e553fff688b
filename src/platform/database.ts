import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import { type ClientBase, DatabaseError, Pool, types } from 'pg'
import { createLogins, type Logins } from './database-logins.ts'
import { splitDatabaseTls } from './database-tls.ts'
import type { Logger } from './log.ts'
import type { PoolLoad } from './pool-load.ts'

/** One PostgreSQL database, shared by all parts of the process. */
export interface Database {
  /** As in {@link DatabaseOptions}. */
  readonly url: string
  /**
   * The tables of one schema, over the shared pool. Cheap. Never destroy the
   * result; close the database instead.
   *
   * @param options.statementTimeoutMs a shorter limit for these statements
   */
  connect<Schema>(options?: { readonly statementTimeoutMs: number }): Kysely<Schema>
  /**
   * Runs `work` on a connection outside the pool. Its statements have no time
   * limit (migrations wait for each other), or `statementTimeoutMs`.
   */
  apart<Result>(
    work: (kysely: Kysely<unknown>) => Promise<Result>,
    options?: { readonly statementTimeoutMs: number },
  ): Promise<Result>
  /**
   * Ends the startup phase: from now on calls are waiting. During startup the
   * process itself is busy, so a slow connection would not mean a slow
   * database.
   */
  hurry(): void
  /**
   * Calls `listener` whenever any process has ended a transaction. Undefined
   * where the database does not report it, as a server does not.
   */
  readonly onTransaction: ((listener: () => void) => void) | undefined
  /**
   * Takes another user or password for new connections as soon as the server
   * accepts them, so it does not matter whether the server or this process
   * hears of a new password first. Connections of before then close when they
   * are free.
   */
  adoptLogin(url: string): void
  /** Connections of the pool, and statements that wait for one. */
  load(): PoolLoad
  /** Waits for running statements, then closes all connections. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** `postgres://…`; a folder with a Unix socket as the parameter `host`. */
  readonly url: string
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Of the embedded database in this process. */
  readonly onTransaction?: Database['onTransaction']
  /** Maximum number of connections. (Default: 10) */
  readonly connectionsMax?: number
  /** Time limit for getting a connection, including the wait for a free one. (Default: 10,000, and 1000 after startup) */
  readonly connectTimeoutMs?: number
  /** Time limit of one statement; after it the statement fails and its connection is closed. (Default: 5000) */
  readonly statementTimeoutMs?: number
}

/** A statement exceeded its time limit. It may or may not have had an effect. */
export class StatementTimeout extends Error {
  constructor(cause?: unknown) {
    super('the database did not answer in time', { cause })
    this.name = 'StatementTimeout'
  }
}

/**
 * Opens the pool without connecting: if the database is down, statements fail,
 * but startup does not.
 *
 * Result types: `int8` as number (a value beyond 2^53 fails its statement;
 * Tollgate stores only counts there), `date` as `YYYY-MM-DD` (pg would convert
 * it to local midnight), `numeric` as text (amounts), `timestamptz` as Date,
 * `bytea` as Buffer. The pool never prepares statements by name and never uses
 * SET, because the embedded database and transaction poolers share a session
 * between callers.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? 5000
  const logins = createLogins(options)
  const pool = createPool(options, logins, {
    max: options.connectionsMax ?? 10,
    query_timeout: statementTimeoutMs,
  })

  return {
    get url() {
      return logins.current()
    },

    adoptLogin: logins.adopt,

    connect: <Schema>(timeouts?: { readonly statementTimeoutMs: number }) =>
      kyselyOver<Schema>(pool, logins, timeouts?.statementTimeoutMs),

    hurry() {
      // pg-pool reads this value for each new connection.
      pool.options.connectionTimeoutMillis = options.connectTimeoutMs ?? hurriedConnectMs
    },

    async apart(work, timeouts) {
      const own = createPool(options, logins, { max: 1 })
      try {
        return await work(kyselyOver(own, logins, timeouts?.statementTimeoutMs))
      } finally {
        await own.end()
      }
    },

    onTransaction: options.onTransaction,

    load: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),

    close() {
      logins.close()
      return pool.end()
    },
  }
}

/**
 * Whether the error is a violation of the named constraint, so that the caller
 * can name the rule (SQLSTATE class 23).
 */
export function violates(error: unknown, constraint: string): boolean {
  return (
    error instanceof DatabaseError &&
    error.code?.startsWith('23') === true &&
    error.constraint === constraint
  )
}

/**
 * Whether the database answered with an error of the statement. Any other
 * failure (no connection, no reply, shutdown) implies nothing about the
 * statement.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && !/^(08|53|57)/.test(error.code ?? '08')
}

/** Whether the role of the connection lacks a privilege that the statement needs (SQLSTATE 42501). */
export function isForbidden(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '42501'
}

/**
 * Whether the database was unreachable, did not reply, or aborted the
 * transaction in favour of others (SQLSTATE class 40). The caller may retry
 * later.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof StatementTimeout) return true
  if (error instanceof DatabaseError && error.code?.startsWith('40') === true) return true
  if (error instanceof DatabaseError) return !isRefusal(error)
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOENT|EHOST|ENET|EAI_)/.test(code) ||
    /^(Connection terminated|timeout exceeded when trying to connect)/.test(error.message)
  )
}

const int8 = 20
const date = 1082

function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('an int8 is beyond 2^53')
  return value
}

const hurriedConnectMs = 1_000
const unhurriedConnectMs = 10_000

function createPool(
  options: DatabaseOptions,
  logins: Logins,
  specific: { max: number; query_timeout?: number },
) {
  const pool = new Pool({
    ...splitDatabaseTls(logins.current()),
    application_name: 'tollgate',
    connectionTimeoutMillis: options.connectTimeoutMs ?? unhurriedConnectMs,
    keepAlive: true,
    // An idle connection to a machine that is gone would time out for its next user.
    idleTimeoutMillis: 30_000,
    types: {
      getTypeParser(oid, format) {
        if (format !== 'binary' && oid === int8) return parseInt8
        if (format !== 'binary' && oid === date) return (text: string) => text
        return types.getTypeParser(oid, format)
      },
    },
    ...specific,
  })
  // Without these listeners a connection that breaks, idle or between two statements of a transaction, would end the
  // process.
  pool.on('error', (error) => options.log.warn({ err: error }, 'idle database connection broke'))
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    logins.connected(client)
  })
  logins.follow(pool)
  return pool
}

function kyselyOver<Schema>(
  pool: Pool,
  logins: Logins,
  statementTimeoutMs: number | undefined,
): Kysely<Schema> {
  const dialect = new PostgresDialect({ pool: discarding(pool, logins, statementTimeoutMs) })
  return new Kysely<Schema>({ dialect })
}

/**
 * The pool for Kysely, with one addition. After a timeout, pg would give the
 * connection, still busy with the statement, to the next caller. This closes
 * the connection instead.
 */
function discarding(
  pool: Pool,
  logins: Logins,
  statementTimeoutMs: number | undefined,
): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await logins.connect(pool)
      let isBroken = false
      return {
        // Kysely's type also requires the overload for cursors, which the dialect never calls without a cursor.
        query: (async (sql: string, parameters: readonly unknown[]) => {
          if (isBroken) throw new StatementTimeout()
          try {
            return await run(client, sql, parameters, statementTimeoutMs)
          } catch (error) {
            if (!(error instanceof DatabaseError)) isBroken = true
            throw isReadTimeout(error) ? new StatementTimeout(error) : error
          }
        }) as never,
        release: (destroy?: boolean) =>
          client.release(destroy === true || isBroken || logins.isOutdated(client)),
      }
    },
  }
}

/** @param timeoutMs undefined: the timeout of the connection */
function run(
  client: ClientBase,
  text: string,
  parameters: readonly unknown[],
  timeoutMs: number | undefined,
) {
  const timeout = timeoutMs === undefined ? {} : { query_timeout: timeoutMs }
  return client.query({ text, values: [...parameters], ...timeout })
}

function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}
