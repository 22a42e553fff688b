import { Client, type ClientBase, DatabaseError, type Pool, type PoolClient } from 'pg'
import { splitDatabaseTls } from './database-tls.ts'
import type { Logger } from './log.ts'

/** With which user and password a process connects to its database. */
export interface Logins {
  /** The address with the user and the password that work. */
  current(): string
  /** Takes another user or password as soon as the server accepts them. */
  adopt(url: string): void
  /** From now on, the pool connects with the current ones. */
  follow(pool: Pool): void
  /** A connection of the pool. If the server refuses the current login, tries the adopted one at once. */
  connect(pool: Pool): Promise<PoolClient>
  /** Notes that a connection was made. */
  connected(client: ClientBase): void
  /** Whether a connection was made with a login that another has replaced. */
  isOutdated(client: ClientBase): boolean
  /** Tries no more. */
  close(): void
}

export interface LoginsOptions {
  readonly url: string
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/** Interval between two attempts with a login that the server does not accept yet. */
const againMs = 1_000
const attemptMs = 5_000

export function createLogins({ url, log }: LoginsOptions): Logins {
  const pools = new Set<Pool>()
  const loginOf = new WeakMap<ClientBase, string>()
  let current = url
  /** Adopted, but not accepted by the server yet. */
  let next: string | undefined
  let isRefused = false
  let trying: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  async function attempt(): Promise<void> {
    clearTimeout(timer)
    const tried = next
    if (tried === undefined || isClosed) return
    try {
      await logIn(tried)
    } catch (err) {
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
    // pg-pool reads its options for each new connection.
    for (const pool of pools) Object.assign(pool.options, splitDatabaseTls(current))
    log.info({}, 'new connections to PostgreSQL use the new login')
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

    follow: (pool) => void pools.add(pool),

    async connect(pool) {
      const tried = current
      try {
        return await pool.connect()
      } catch (error) {
        if (!isLoginRefused(error)) throw error
        await tryNext()
        if (tried === current) throw error
        return pool.connect()
      }
    },

    connected: (client) => void loginOf.set(client, current),

    isOutdated: (client) => loginOf.get(client) !== current,

    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

async function logIn(url: string): Promise<void> {
  const client = new Client({
    ...splitDatabaseTls(url),
    ...{ application_name: 'tollgate', connectionTimeoutMillis: attemptMs },
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
