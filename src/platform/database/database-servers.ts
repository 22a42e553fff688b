import { Client, DatabaseError } from 'pg'
import type { Logger } from '../log/log.ts'
import { splitDatabaseTls } from './database-tls.ts'
import { serverUrls } from './database-urls.ts'

/**
 * A standby, or a primary that was demoted under its connections: it accepts no
 * writes, and what it shows may be old.
 */
export class StandbyServer extends Error {
  constructor() {
    super('this server of PostgreSQL is a standby: it accepts no writes')
    this.name = 'StandbyServer'
  }
}

/** The servers of a database, one of which is the primary. */
export interface DatabaseServers {
  /** The URL of the server that is taken for the primary. @param url as in {@link serverUrls} */
  pick(url: string): string
  /**
   * Asks every server whether it is the primary.
   *
   * @param urls the same servers, each with a login that a server may accept
   * @param options.isHint a statement was slow, which an overloaded primary explains, too: after a
   * search in which the primary answered, no other one for 1 to 2 s; if the
   * next hints find it as well, for 2 to 4 and then 4 to 8 s
   * @returns whether the primary is now another one than before
   */
  find(urls: readonly string[], options?: { readonly isHint: boolean }): Promise<boolean>
}

/** Time that a server has to say whether it is the primary. */
export const probeMs = 1_000
/** After a search without a change, none begins for this time. */
const restMs = 500
/**
 * After one in which the primary answered, slow statements begin none for at
 * most this time, which doubles each time that they do again.
 */
const firstHintPauseMs = 2_000
const longestHintPauseMs = 8_000

export interface DatabaseServersOptions {
  /** The initial URL; the login may change later, the servers may not. */
  readonly url: string
  readonly log: Pick<Logger, 'warn'>
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

export function createDatabaseServers(options: DatabaseServersOptions): DatabaseServers {
  const { now = () => performance.now() } = options
  const { length } = serverUrls(options.url)
  let primary = 0
  let searching: Promise<boolean> | undefined
  let restsUntil = 0
  let noHintsUntil = Number.NEGATIVE_INFINITY
  let hintPauseMs = firstHintPauseMs

  const pick = (url: string): string => serverUrls(url)[primary] ?? url

  async function search(urls: readonly string[], isHint: boolean): Promise<boolean> {
    const answers = await Promise.all(
      urls.map((url) => Promise.all(serverUrls(url).map(isPrimary))),
    )
    // The one in use first: an old primary that returns before it is demoted says that it is one, too.
    const found = [primary, ...Array(length).keys()].find((server) =>
      answers.some((ofLogin) => ofLogin[server] === true),
    )
    if (found === undefined || found === primary) {
      restsUntil = now() + restMs
      if (isHint && found === primary) restHints(now())
      return false
    }
    primary = found
    noHintsUntil = Number.NEGATIVE_INFINITY
    const { host } = new URL(pick(options.url))
    options.log.warn({ host }, 'another server of PostgreSQL is the primary now')
    return true
  }

  function restHints(at: number): void {
    const isAgain = at < noHintsUntil + longestHintPauseMs
    hintPauseMs = isAgain ? Math.min(2 * hintPauseMs, longestHintPauseMs) : firstHintPauseMs
    // Not all gateways at once.
    noHintsUntil = at + hintPauseMs * (0.5 + Math.random() / 2)
  }

  return {
    pick,
    async find(urls, { isHint } = { isHint: false }) {
      const at = now()
      if (length === 1 || at < restsUntil || (isHint && at < noHintsUntil)) return false
      searching ??= search(urls, isHint).finally(() => {
        searching = undefined
      })
      return searching
    },
  }
}

/**
 * Whether a connection failed in a way that suggests that another server has become the primary. A pooler reports that with
 * class 08.
 */
export function suggestsFailover(error: unknown): boolean {
  if (error instanceof DatabaseError) return /^(08...|25006|57P0[1-3])$/.test(error.code ?? '')
  return !isOfPool(error)
}

/** The words of pg-pool, which has no code for it: no connection was free, or made, in time. */
export const poolTimeout = 'timeout exceeded when trying to connect'

/** Whether pg-pool itself failed: all its connections were busy for too long, or it is closed. */
function isOfPool(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.message.startsWith(poolTimeout) || error.message.startsWith('Cannot use a pool')
}

async function isPrimary(url: string): Promise<boolean> {
  let client: Client | undefined
  try {
    client = new Client({
      ...splitDatabaseTls(url),
      connectionTimeoutMillis: probeMs,
      application_name: 'tollgate looking for the primary',
    })
    // A connection that breaks after its answer must not end the process.
    client.on('error', () => undefined)
    await client.connect()
    return !(await isStandby(client, probeMs))
  } catch {
    return false
  } finally {
    client?.end().catch(() => undefined)
  }
}

/** Whether a connection leads to a server that accepts no writes. */
export async function isStandby(
  client: Pick<Client, 'query'>,
  timeoutMs: number | undefined,
): Promise<boolean> {
  // An option of each statement that the types leave out.
  const query = { text: 'select pg_is_in_recovery() as "isStandby"', query_timeout: timeoutMs }
  const { rows } = await client.query<{ isStandby: boolean }>(query)
  return rows[0]?.isStandby === true
}
