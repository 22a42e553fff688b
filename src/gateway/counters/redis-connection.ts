import { openRedis } from '../../platform/open-redis.ts'
import type { SentinelRedis, SingleRedis } from '../../platform/redis-address.ts'
import { startDeadline } from './deadline.ts'
import { readNumbers, type Script } from './grant-script.ts'

/** One connection to one Redis server, or to the primary its sentinels name, which comes back by itself. */
export interface RedisConnection {
  /** Whether commands can be sent. */
  isReady(): boolean
  /** Runs a script. Nothing is ever sent twice, but a script the server does not have: then with its text. */
  run(call: ScriptCall): void
  /** {@link run} with a promise, for what no call waits for. Rejects with {@link DeadlineMissedError} or the server's error. */
  ask(call: Omit<ScriptCall, keyof ScriptHandlers>): Promise<ScriptReply>
  /** Reads a key; undefined when it is missing. */
  read(call: ReadCall): void
  /** {@link read} with a promise, which rejects as {@link ask} does. */
  get(key: string, deadlineMs: number): Promise<string | undefined>
  /** What INFO tells, by field name. Rejects as {@link ask} does. */
  info(deadlineMs: number): Promise<ReadonlyMap<string, string>>
  /** Undefined when the server does not trust its own view (it sees no majority of the cluster). Rejects as {@link ask} does. */
  clusterView(deadlineMs: number): Promise<ClusterView | undefined>
  /** Gives the connection up and opens another one. */
  reconnect(): void
  close(): void
}

/** What a node says of its cluster. */
export interface ClusterView {
  /** What CLUSTER SLOTS answers, unread. */
  readonly slots: unknown
  /** Every primary that has slots lives, as far as the node knows. */
  readonly isWhole: boolean
}

export interface ScriptCall extends ScriptHandlers {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: readonly (string | number)[]
  readonly deadlineMs: number
  /** The server is asked although the slot of the keys is only on its way to it (ASK). */
  readonly isAsking?: boolean
}

export interface ReadCall extends AnswerHandlers<string | undefined> {
  readonly key: string
  readonly deadlineMs: number
}

/** Each is called at most once, and one of `onReply` and `onError` always: also after the deadline, when what was sent then comes to its end. */
export interface AnswerHandlers<Reply> {
  onReply(reply: Reply): void
  onError(error: Error): void
  /** The deadline passed and the server has not answered. */
  onMissed(): void
}

export type ScriptHandlers = AnswerHandlers<ScriptReply>

export interface ScriptReply {
  readonly numbers: readonly number[]
  /** Monotonic milliseconds. */
  readonly sentAt: number
  readonly receivedAt: number
}

/** The server did not answer in time. Whether it has done what was asked is not known. */
export class DeadlineMissedError extends Error {
  readonly code = 'DEADLINE_MISSED'

  constructor() {
    super('Redis did not answer in time')
    this.name = 'DeadlineMissedError'
  }
}

export interface RedisConnectionOptions {
  readonly address: SingleRedis | SentinelRedis
  /** Milliseconds since any moment, never stepping. */
  readonly monotonic: () => number
  onReady(): void
  /** The connection ended or could not be made; another attempt follows. */
  onLost(cause: Error | undefined): void
}

/** Connecting and the handshake may each take so long; a server that accepts and stays silent must not hold us. */
const connectDeadlineMs = 500

/** Pause between two attempts to connect: the store is shared again well within a second of its return. */
const retryMsMax = 250

/**
 * Opens a connection of its own for counters. The defaults of ioredis suit a
 * cache: it resends what was not answered (one increment ran four times),
 * queues while offline, and gives up after a minute. A counter must know what
 * ran and what did not, so all of that is off.
 */
export function openRedisConnection({
  address,
  monotonic,
  onReady,
  onLost,
}: RedisConnectionOptions): RedisConnection {
  const { client, close } = openRedis({
    address,
    behaviour: {
      autoResendUnfulfilledCommands: false,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      // LOADING is an answer like any other to us; INFO is asked where it is needed.
      enableReadyCheck: false,
      disableClientInfo: true,
      connectTimeout: connectDeadlineMs,
      disconnectTimeout: 50,
      retryStrategy: (attempt) => Math.min(attempt * 50, retryMsMax),
    },
    onSentinelsFailed: () => onLost(cause ?? new Error('no sentinel names a primary')),
  })
  let cause: Error | undefined
  let reconnectedAt = Number.NEGATIVE_INFINITY
  let callOffHandshake: () => void = () => undefined

  // Without a listener ioredis prints to the console.
  client.on('error', (error: Error) => {
    cause = error
  })
  client.on('connect', () => {
    callOffHandshake = startDeadline(connectDeadlineMs, () => client.disconnect(true))
  })
  client.on('ready', () => {
    callOffHandshake()
    cause = undefined
    onReady()
  })
  client.on('close', () => {
    callOffHandshake()
    onLost(cause)
  })

  const connection: RedisConnection = {
    isReady: () => client.status === 'ready',
    run({ script, keys, args, deadlineMs, isAsking = false, onReply, onError, onMissed }) {
      const sentAt = monotonic()
      let isMissed = false
      const callOff = startDeadline(deadlineMs, () => {
        isMissed = true
        onMissed()
      })
      function accept(reply: unknown): void {
        callOff()
        onReply({ numbers: readNumbers(String(reply)), sentAt, receivedAt: monotonic() })
      }
      function fail(error: Error): void {
        callOff()
        onError(error)
      }
      /** For the one command that follows; its own answer says nothing that the next one's does not. */
      function announce(): void {
        if (isAsking) client.call('ASKING').catch(() => undefined)
      }
      announce()
      client.evalsha(script.sha1, keys.length, ...keys, ...args).then(accept, (error: Error) => {
        // It did not run, for the server has lost or never had it; once the deadline is over nobody wants it to.
        if (!error.message.startsWith('NOSCRIPT') || isMissed) fail(error)
        else {
          announce()
          client.eval(script.text, keys.length, ...keys, ...args).then(accept, fail)
        }
      })
    },
    ask: (call) =>
      new Promise((resolve, reject) => {
        connection.run({
          ...call,
          onReply: resolve,
          onError: reject,
          onMissed: () => reject(new DeadlineMissedError()),
        })
      }),
    read({ key, deadlineMs, onReply, onError, onMissed }) {
      const callOff = startDeadline(deadlineMs, onMissed)
      client.get(key).then(
        (value) => {
          callOff()
          onReply(value ?? undefined)
        },
        (error: Error) => {
          callOff()
          onError(error)
        },
      )
    },
    get: (key, deadlineMs) =>
      new Promise((resolve, reject) => {
        connection.read({
          ...{ key, deadlineMs },
          onReply: resolve,
          onError: reject,
          onMissed: () => reject(new DeadlineMissedError()),
        })
      }),
    async info(deadlineMs) {
      return readInfo(await inTime(client.info(), deadlineMs))
    },
    async clusterView(deadlineMs) {
      const [info, slots] = await Promise.all([
        inTime(client.cluster('INFO'), deadlineMs),
        inTime(client.cluster('SLOTS'), deadlineMs),
      ])
      const facts = readInfo(String(info))
      if (facts.get('cluster_state') !== 'ok') return undefined
      const failures = [facts.get('cluster_slots_fail'), facts.get('cluster_slots_pfail')]
      return { slots, isWhole: failures.every((count) => count === '0') }
    },
    reconnect() {
      // A server that answers READONLY for ever must not be connected to without pause.
      if (!connection.isReady() || monotonic() - reconnectedAt < retryMsMax) return
      reconnectedAt = monotonic()
      client.disconnect(true)
    },
    close,
  }
  return connection
}

function readInfo(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\r\n').flatMap((line): [string, string][] => {
      const colon = line.indexOf(':')
      return colon === -1 ? [] : [[line.slice(0, colon), line.slice(colon + 1)]]
    }),
  )
}

function inTime<T>(answer: Promise<T>, deadlineMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const callOff = startDeadline(deadlineMs, () => reject(new DeadlineMissedError()))
    answer.then(resolve, reject).finally(callOff)
  })
}
