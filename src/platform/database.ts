import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import { type ClientBase, DatabaseError, Pool, types } from 'pg'
import type { Logger } from './log.ts'

/** One PostgreSQL database, shared by everything in the process. */
export interface Database {
  /**
   * The statements of one schema, over the one pool. Cheap; never destroy what
   * it returns, close the database instead.
   */
  connect<Schema>(): Kysely<Schema>
  /**
   * Runs `work` on a connection of its own on which statements may take any
   * time (migrations waiting for each other).
   */
  unhurried<Result>(work: (kysely: Kysely<unknown>) => Promise<Result>): Promise<Result>
  /**
   * Says that the start is over: calls are waiting from now on. Until then this
   * process is busy with itself, and a connection that took seconds would say
   * nothing about the database.
   */
  hurry(): void
  /** Waits for the statements under way, then closes all connections. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** `postgres://…`; a folder with a Unix socket as the parameter `host`. */
  readonly url: string
  readonly log: Pick<Logger, 'warn'>
  /** Connections at most. (Default: 10) */
  readonly connectionsMax?: number
  /** Time to get a connection, waiting for a free one included. (Default: 10,000, and 1000 once in a hurry) */
  readonly connectTimeoutMs?: number
  /** Time of one statement; then it fails and its connection is thrown away. (Default: 5000) */
  readonly statementTimeoutMs?: number
}

/** A statement took longer than allowed. Whether it had an effect is unknown. */
export class StatementTimeout extends Error {
  constructor(cause?: unknown) {
    super('the database did not answer in time', { cause })
    this.name = 'StatementTimeout'
  }
}

/**
 * Opens the pool without connecting: a database that is down fails the
 * statements, not the start.
 *
 * Types that come back: `int8` as number (one beyond 2^53 fails its statement;
 * ours count rows and calls), `date` as `YYYY-MM-DD` (pg would make local
 * midnight of it), `numeric` as text (amounts), `timestamptz` as Date, `bytea`
 * as Buffer. Statements are never prepared by name and nothing is SET: the
 * embedded database and transaction poolers share a session between callers.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? 5000
  const pool = createPool(options, {
    max: options.connectionsMax ?? 10,
    query_timeout: statementTimeoutMs,
  })

  return {
    connect: <Schema>() =>
      new Kysely<Schema>({ dialect: new PostgresDialect({ pool: discarding(pool) }) }),

    hurry() {
      // pg-pool reads it whenever somebody wants a connection.
      pool.options.connectionTimeoutMillis = options.connectTimeoutMs ?? hurriedConnectMs
    },

    async unhurried(work) {
      const own = createPool(options, { max: 1 })
      try {
        return await work(new Kysely({ dialect: new PostgresDialect({ pool: discarding(own) }) }))
      } finally {
        await own.end()
      }
    },

    close: () => pool.end(),
  }
}

/**
 * Whether the error says that a constraint of that name was violated, so that
 * the caller can tell its user which rule it was (SQLSTATE class 23).
 */
export function violates(error: unknown, constraint: string): boolean {
  return (
    error instanceof DatabaseError &&
    error.code?.startsWith('23') === true &&
    error.constraint === constraint
  )
}

/**
 * Whether the database answered and refused. Anything else (no connection, no
 * answer, shutting down) says nothing about the statement.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && !/^(08|53|57)/.test(error.code ?? '08')
}

/**
 * Whether the database could not be asked, gave no answer, or gave the
 * transaction up for the sake of others (SQLSTATE class 40): whoever wanted
 * something may try again later.
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

function createPool(options: DatabaseOptions, specific: { max: number; query_timeout?: number }) {
  const pool = new Pool({
    connectionString: options.url,
    application_name: 'tollgate',
    connectionTimeoutMillis: options.connectTimeoutMs ?? unhurriedConnectMs,
    keepAlive: true,
    // An idle connection to a machine that has left would cost its next user a time-out.
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
  // Without these listeners a connection that breaks, idle or between two
  // statements of a transaction, would end the process.
  pool.on('error', (error) => options.log.warn({ err: error }, 'idle database connection broke'))
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/**
 * The pool as Kysely sees it, with one addition: pg gives a statement up on
 * its time-out but would hand the connection, still busy with it, to the next
 * caller. Here it is closed instead.
 */
function discarding(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect()
      let isBroken = false
      return {
        // Kysely's type wants its cursor overload too; without a cursor in the dialect it is never called.
        query: (async (sql: string, parameters: readonly unknown[]) => {
          if (isBroken) throw new StatementTimeout()
          try {
            return await run(client, sql, parameters)
          } catch (error) {
            if (!(error instanceof DatabaseError)) isBroken = true
            throw isReadTimeout(error) ? new StatementTimeout(error) : error
          }
        }) as never,
        release: (destroy?: boolean) => client.release(destroy === true || isBroken),
      }
    },
  }
}

function run(client: ClientBase, sql: string, parameters: readonly unknown[]) {
  return client.query(sql, [...parameters])
}

function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}
