import type { RedisReply } from './lua.ts'

/** What a key holds; never changed, so that replicas and snapshots share it. */
export type Stored = (
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'zset'; readonly scores: ReadonlyMap<string, number> }
) & {
  /** Milliseconds since 1970 by the clock of the server. */
  readonly expiresAt: number | undefined
}

/** The data of a simulated Redis, and the commands that scripts and gateways use. */
export interface Keyspace {
  /** Runs a command. @throws when it is not one that the simulation knows */
  run(words: readonly string[], timeUs: number): RedisReply
  has(key: string, timeUs: number): boolean
  find(key: string): Stored | undefined
  /** Writes from outside, as replication or a restart does; undefined deletes. */
  put(key: string, stored: Stored | undefined): void
  entries(): Iterable<[string, Stored]>
  clear(): void
}

export const writeCommands: ReadonlySet<string> = new Set([
  'SET',
  'DEL',
  'PEXPIRE',
  'ZADD',
  'ZREM',
  'ZREMRANGEBYSCORE',
])

const wrongType = { err: 'WRONGTYPE Operation against a key holding the wrong kind of value' }

/** @param onWrite called after a command changed a key; undefined when it deleted it */
export function createKeyspace(
  onWrite: (key: string, stored: Stored | undefined, before: Stored | undefined) => void = () =>
    undefined,
): Keyspace {
  const keys = new Map<string, Stored>()

  function live(key: string, timeUs: number): Stored | undefined {
    const stored = keys.get(key)
    if (stored?.expiresAt === undefined || timeUs / 1000 < stored.expiresAt) return stored
    change(key, undefined)
    return undefined
  }

  function change(key: string, stored: Stored | undefined): void {
    const before = keys.get(key)
    put(key, stored)
    onWrite(key, stored, before)
  }

  function put(key: string, stored: Stored | undefined): void {
    if (stored === undefined) keys.delete(key)
    else keys.set(key, stored)
  }

  /** The sorted set at the key, or an empty one; undefined when the key holds something else. */
  function sortedSet(key: string, timeUs: number): Extract<Stored, { kind: 'zset' }> | undefined {
    const stored = live(key, timeUs)
    if (stored === undefined) return { kind: 'zset', scores: new Map(), expiresAt: undefined }
    return stored.kind === 'zset' ? stored : undefined
  }

  /** Changes the members of a sorted set. @returns how many were added or removed */
  function changeScores(
    key: string,
    timeUs: number,
    next: (scores: ReadonlyMap<string, number>) => Map<string, number>,
  ): RedisReply {
    const set = sortedSet(key, timeUs)
    if (set === undefined) return wrongType
    const scores = next(set.scores)
    change(key, scores.size === 0 ? undefined : { ...set, scores })
    return Math.abs(scores.size - set.scores.size)
  }

  function run(words: readonly string[], timeUs: number): RedisReply {
    const [name = '', key = '', ...rest] = words
    switch (`${name} ${words.length}`) {
      case 'TIME 1':
        return [String(Math.floor(timeUs / 1e6)), String(timeUs % 1e6)]
      case 'GET 2': {
        const stored = live(key, timeUs)
        if (stored === undefined) return null
        return stored.kind === 'string' ? stored.value : wrongType
      }
      case 'SET 3':
      case 'SET 5': {
        const [value = '', option, ms] = rest
        if (option !== undefined && option !== 'PX') break
        const expiresAt =
          ms === undefined ? undefined : Math.floor(timeUs / 1000) + whole(ms, words)
        change(key, { kind: 'string', value, expiresAt })
        return 'OK'
      }
      case 'DEL 2': {
        if (live(key, timeUs) === undefined) return 0
        change(key, undefined)
        return 1
      }
      case 'PEXPIRE 3': {
        const stored = live(key, timeUs)
        if (stored === undefined) return 0
        const expiresAt = Math.floor(timeUs / 1000) + whole(rest[0], words)
        change(key, { ...stored, expiresAt })
        return 1
      }
      case 'ZADD 4':
        return changeScores(key, timeUs, (scores) =>
          new Map(scores).set(rest[1] ?? '', whole(rest[0], words)),
        )
      case 'ZREM 3':
        return changeScores(key, timeUs, (scores) => {
          const others = new Map(scores)
          others.delete(rest[0] ?? '')
          return others
        })
      case 'ZREMRANGEBYSCORE 4': {
        const [least, most] = [edge(rest[0], words), edge(rest[1], words)]
        return changeScores(
          key,
          timeUs,
          (scores) => new Map([...scores].filter(([, score]) => score < least || score > most)),
        )
      }
      case 'ZRANGE 4': {
        const set = sortedSet(key, timeUs)
        if (set === undefined) return wrongType
        const members = [...set.scores]
          .toSorted(([a, scoreA], [b, scoreB]) => scoreA - scoreB || (a < b ? -1 : 1))
          .map(([member]) => member)
        const last = whole(rest[1], words)
        return members.slice(whole(rest[0], words), last === -1 ? undefined : last + 1)
      }
    }
    throw new Error(`the simulated Redis does not know ${words.join(' ')}`)
  }

  return {
    run,
    has: (key, timeUs) => live(key, timeUs) !== undefined,
    find: (key) => keys.get(key),
    put,
    entries: () => keys.entries(),
    clear: () => keys.clear(),
  }
}

function edge(text: string | undefined, words: readonly string[]): number {
  if (text === '-inf') return Number.NEGATIVE_INFINITY
  return text === '+inf' ? Number.POSITIVE_INFINITY : whole(text, words)
}

function whole(text: string | undefined, words: readonly string[]): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) {
    throw new Error(`the simulated Redis takes whole numbers only: ${words.join(' ')}`)
  }
  return number
}
