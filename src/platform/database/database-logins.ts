import { Client, type ClientBase, DatabaseError, type Pool, type PoolClient } from 'pg'
import type { Logger } from '../log/log.ts'
import {
  type DatabaseServers,
  isStandby,
  poolTimeout,
  probeMs,
  suggestsFailover,
} from './database-servers.ts'
import { splitDatabaseTls } from './database-tls.ts'

/** The user, password and server with which a process connects to its database. */
export interface Logins {
  /** The address with the user and the password that work. */
  current(): string
  /** Takes another user or password as soon as the server accepts them. */
  adopt(url: string): void
  /** The connections that a pool must make, so that they can be outdated. */
  readonly Client: typeof Client
  /** From now on, the pool connects with the current ones. Returns a function that ends this. */
  follow(pool: Pool): () => void
  /**
   * A connection of the pool that is not outdated. If the server refuses the current login, tries the
   * adopted one at once; if it does not answer or is a standby, tries the primary.
   */
  connect(pool: Pool): Promise<PoolClient>
  /**
   * The server of this connection, which is outside a transaction, has refused to write. If it is a
   * standby, outdates all connections and looks for the primary. A primary also refuses when its disk is full;
   * reads go on then.
   *
   * @throws if the server does not answer
   */
  suspect(client: ClientBase): Promise<void>
  /**
   * Looks for the primary, if there are several servers, because one has not answered a statement.
   * When it vanishes, a small pool has all its connections in such statements, and makes none that would fail.
   */
  seekPrimary(): void
  /** Whether a connection was made with a login, or leads to a server, that another has replaced or that is suspected. */
  isOutdated(client: ClientBase): boolean
  /** Stops trying. */
  close(): void
}

export interface LoginsOptions {
  readonly url: string
  readonly servers: DatabaseServers
  /** Name of the connections in `pg_stat_activity`. */
  readonly applicationName: string
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/** Interval between two attempts with a login that the server does not accept yet. */
const againMs = 1_000
const attemptMs = 5_000

export function createLogins({ url, servers, applicationName, log }: LoginsOptions): Logins {
  const pools = new Set<Pool>()
  let current = url
  /** The current server, with the current login. */
  let target = servers.pick(url)
  /** Connections of an earlier generation are outdated. */
  let generation = 0
  /** Adopted, but not accepted by the server yet. */
  let next: string | undefined
  let isRefused = false
  let trying: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  /**
   * Pools construct it with the options that belong to the generation of that
   * moment; until it has connected, both may change.
   */
  class LabelledClient extends Client {
    readonly madeIn = generation
  }

  function isOutdated(client: ClientBase): boolean {
    return client instanceof LabelledClient && client.madeIn !== generation
  }

  /** Outdated connections may come first, and one that is made now may be outdated before it has connected. */
  async function connectAnew(pool: Pool): Promise<PoolClient> {
    const deadline = performance.now() + (pool.options.connectionTimeoutMillis ?? attemptMs)
    for (;;) {
      const client = await pool.connect()
      if (!isOutdated(client)) return client
      client.release(true)
      if (performance.now() > deadline) throw new Error(poolTimeout)
    }
  }

  async function attempt(): Promise<void> {
    clearTimeout(timer)
    const tried = next
    if (tried === undefined || isClosed) return
    try {
      await logIn(servers.pick(tried), applicationName)
    } catch (err) {
      // The server for which it is may have stopped being the primary meanwhile.
      if (suggestsFailover(err) && (await findPrimary())) return attempt()
      if (!isRefused) {
        log.warn({ err }, 'PostgreSQL does not accept the new login yet, the current one stays')
      }
      isRefused = true
      if (!isClosed) timer = setTimeout(() => void tryNext(), againMs).unref()
      return
    }
    if (tried !== next) return attempt()
    next = undefined
    isRefused = false
    current = tried
    redirect()
    log.info({}, 'new connections to PostgreSQL use the new login')
  }

  /** From now on, pools connect to the current server with the current login. */
  function redirect(): void {
    target = servers.pick(current)
    generation += 1
    // pg-pool reads its options for each new connection.
    for (const pool of pools) Object.assign(pool.options, splitDatabaseTls(target))
  }

  async function findPrimary(options?: { readonly isHint: boolean }): Promise<boolean> {
    const urls = next === undefined ? [current] : [current, next]
    const isFound = await servers.find(urls, options)
    if (isFound) redirect()
    return isFound
  }

  function seekPrimary(options?: { readonly isHint: boolean }): void {
    findPrimary(options).catch((err: unknown) =>
      log.warn({ err }, 'the primary was not looked for'),
    )
  }

  function tryNext(): Promise<void> {
    trying ??= attempt().finally(() => {
      trying = undefined
    })
    return trying
  }

  return {
    current: () => current,

    adopt(adopted) {
      next = adopted === current ? undefined : adopted
      isRefused = false
      void tryNext()
    },

    Client: LabelledClient,

    follow(pool) {
      pools.add(pool)
      return () => void pools.delete(pool)
    },

    async connect(pool) {
      const tried = current
      const before = target
      try {
        return await connectAnew(pool)
      } catch (error) {
        if (isLoginRefused(error)) {
          await tryNext()
          if (tried === current) throw error
        } else if (!suggestsFailover(error)) throw error
        // Another statement may have found the primary meanwhile.
        else if (before === target && !(await findPrimary())) throw error
        return connectAnew(pool)
      }
    },

    async suspect(client) {
      // One that is outdated is closed in any case, and another may have found the standby meanwhile.
      if (isOutdated(client) || !(await isStandby(client, probeMs)) || isOutdated(client)) return
      generation += 1
      seekPrimary()
    },

    seekPrimary: () => seekPrimary({ isHint: true }),

    isOutdated,

    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

async function logIn(url: string, applicationName: string): Promise<void> {
  const client = new Client({
    ...splitDatabaseTls(url),
    application_name: applicationName,
    connectionTimeoutMillis: attemptMs,
  })
  // A connection that breaks after its attempt must not end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Wrong password, unknown role or no right to connect (SQLSTATE class 28). */
function isLoginRefused(error: unknown): boolean {
  return error instanceof DatabaseError && error.code?.startsWith('28') === true
}
