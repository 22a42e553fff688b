// This folder connects to PostgreSQL. Read this file first: all parts of a process share one `Database`.
// `database-servers.ts` finds the primary and `database-logins.ts` the login that it accepts. `migrate.ts` runs the
// migrations that the owner of the tables passes in, and `schema-history.ts` notes them. `database-folder.ts` and
// `embedded-database.ts` are the database inside the process; `data-folder.ts` locks DATA_DIR, where it lies, and keeps
// secrets and addresses there. `move/` exports and imports rows. Of registry and bank, it knows only the names, not
// what a row means.

import { hostname } from 'node:os'
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import { type ClientBase, DatabaseError, Pool, types } from 'pg'
import type { Logger } from '../log/log.ts'
import type { PoolLoad } from '../process/pool-load.ts'
import { createLogins, type Logins } from './database-logins.ts'
import {
  createDatabaseServers,
  type DatabaseServers,
  isStandby,
  poolTimeout,
  StandbyServer,
} from './database-servers.ts'
import { splitDatabaseTls } from './database-tls.ts'

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
   * limit: migrations wait for each other. Connecting has one.
   */
  apart<Result>(work: (kysely: Kysely<unknown>) => Promise<Result>): Promise<Result>
  /**
   * Ends the startup phase: from now on, a connection must be open within one
   * second, because calls are waiting. At startup it may take ten, because the
   * process itself is busy.
   */
  endStartup(): void
  /**
   * Calls `listener` whenever any process has ended a transaction. Undefined
   * where the database does not report it, as a server does not.
   */
  readonly onTransaction: ((listener: () => void) => void) | undefined
  /**
   * Takes another user or password for new connections as soon as the server
   * accepts them, so it does not matter whether the server or this process
   * learns of a new password first. Connections of before then close when they
   * are free.
   */
  adoptLogin(url: string): void
  /** Connections of the pool, and statements that wait for one. */
  load(): PoolLoad
  /** Waits for running statements, then closes all connections. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** `postgres://…`; several servers separated by commas, a folder with a Unix socket as the parameter `host`. */
  readonly url: string
  /** The roles of the process, for `pg_stat_activity`, such as `gateway`. */
  readonly user?: string
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** For the embedded database in this process. */
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
  const servers = createDatabaseServers(options)
  const applicationName = applicationNameOf(options.user)
  const logins = createLogins({ ...options, servers, applicationName })
  const connect = { servers, applicationName, logins }
  const pool = createPool(options, connect, {
    max: options.connectionsMax ?? 10,
    query_timeout: statementTimeoutMs,
  })
  logins.follow(pool)

  return {
    get url() {
      return logins.current()
    },

    adoptLogin: logins.adopt,

    connect: <Schema>(timeouts?: { readonly statementTimeoutMs: number }) =>
      kyselyOver<Schema>(pool, logins, timeouts?.statementTimeoutMs),

    endStartup() {
      // pg-pool reads this value for each new connection.
      pool.options.connectionTimeoutMillis = options.connectTimeoutMs ?? connectMs
    },

    async apart(work) {
      const own = createPool(options, connect, { max: 1 })
      const unfollow = logins.follow(own)
      try {
        return await work(kyselyOver(own, logins, undefined))
      } finally {
        unfollow()
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
  return error instanceof DatabaseError && !/^(08|53|57|25006)/.test(error.code ?? '08')
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
  if (error instanceof StatementTimeout || error instanceof StandbyServer) return true
  if (error instanceof DatabaseError && error.code?.startsWith('40') === true) return true
  if (error instanceof DatabaseError) return !isRefusal(error)
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOENT|EHOST|ENET|EAI_)/.test(code) ||
    error.message.startsWith('Connection terminated') ||
    error.message.startsWith(poolTimeout)
  )
}

/** PostgreSQL cuts the name of an application at 63 bytes. */
function applicationNameOf(user = ''): string {
  return ['tollgate', user, hostname()].filter(Boolean).join(' ').slice(0, 63)
}

const int8 = 20
const date = 1082

function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('an int8 is beyond 2^53')
  return value
}

const connectMs = 1_000
const startupConnectMs = 10_000

function createPool(
  options: DatabaseOptions,
  {
    servers,
    applicationName,
    logins,
  }: { servers: DatabaseServers; applicationName: string; logins: Logins },
  specific: { max: number; query_timeout?: number },
) {
  const pool = new Pool({
    ...splitDatabaseTls(servers.pick(logins.current())),
    Client: logins.Client,
    application_name: applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs ?? startupConnectMs,
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
    // A standby would answer what it knew some time ago.
    verify(client, done) {
      isStandby(client, pool.options.connectionTimeoutMillis).then(
        (isIt) => done(isIt ? new StandbyServer() : undefined),
        (error: Error) => done(orStatementTimeout(error)),
      )
    },
    ...specific,
  })
  // Without these listeners a connection that breaks, idle or between two statements of a transaction, would end the
  // process.
  pool.on('error', (error) => options.log.warn({ err: error }, 'idle database connection broke'))
  pool.on('connect', (client) => void client.on('error', () => undefined))
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
      let isWriteRefused = false
      return {
        // Kysely's type also requires the overload for cursors, which the dialect never calls without a cursor.
        query: (async (sql: string, parameters: readonly unknown[]) => {
          if (isBroken) throw new StatementTimeout()
          try {
            return await run(client, sql, parameters, statementTimeoutMs)
          } catch (error) {
            if (!(error instanceof DatabaseError)) isBroken = true
            if (isReadOnly(error)) isWriteRefused = true
            const thrown = orStatementTimeout(error)
            if (thrown instanceof StatementTimeout) logins.seekPrimary()
            throw thrown
          }
        }) as never,
        release(destroy?: boolean) {
          const release = () =>
            client.release(destroy === true || isBroken || logins.isOutdated(client))
          // Not earlier: in a transaction that has failed, a connection answers nothing.
          if (isWriteRefused && !isBroken) {
            logins.suspect(client).then(release, () => client.release(true))
          } else release()
        },
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

/** The server was demoted under this connection, or accepts no writes for another reason (SQLSTATE 25006). */
function isReadOnly(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '25006'
}

/** Names the timeout of pg, which has no code. */
function orStatementTimeout<Thrown>(error: Thrown): Thrown | StatementTimeout {
  const isReadTimeout = error instanceof Error && error.message === 'Query read timeout'
  return isReadTimeout ? new StatementTimeout(error) : error
}
