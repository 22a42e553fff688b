import { startDeadline } from '../../../platform/deadline.ts'
import { openRedis } from '../../../platform/redis/open-redis.ts'
import type { SentinelRedis, SingleRedis } from '../../../platform/redis/redis-address.ts'
import {
  readNumbers,
  type Script,
  type ScriptArguments,
  timeOfWindowsError,
} from './grant-script.ts'
import type { StoreClock } from './store-clock.ts'

/** A connection to one Redis server, or to the primary its sentinels name. It reconnects by itself. */
export interface RedisConnection {
  /** Whether commands can be sent now. */
  isReady(): boolean
  /**
   * Runs a script. Nothing is sent twice, except a script that did not run: the
   * server does not have it yet, or the arguments were for other windows.
   */
  run(call: ScriptCall): void
  /**
   * {@link run} as a promise, for requests that hold up no call. Rejects with
   * {@link DeadlineMissedError} or the server's error.
   */
  ask(call: Omit<ScriptCall, keyof ScriptHandlers>): Promise<ScriptReply>
  /** Reads a key; undefined when it is missing. */
  read(call: ReadCall): void
  /** {@link read} as a promise, which rejects as {@link ask} does. */
  get(key: string, deadlineMs: number): Promise<string | undefined>
  /** The fields of INFO by name. Rejects as {@link ask} does. */
  info(deadlineMs: number): Promise<ReadonlyMap<string, string>>
  /** The reply to a command that reads. Rejects as {@link ask} does. */
  command(words: readonly [string, ...string[]], deadlineMs: number): Promise<unknown>
  /** Closes the connection and opens another one. */
  reconnect(): void
  close(): void
}

export interface ScriptCall extends ScriptHandlers {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: ScriptArguments
  readonly deadlineMs: number
  /** A command that must run directly before the script. */
  readonly preceding?: string | undefined
  /** Called each time after the script was sent again because it did not run. */
  readonly onSentAgain?: (() => void) | undefined
}

export interface ReadCall extends ReplyHandlers<string | undefined> {
  readonly key: string
  readonly deadlineMs: number
}

/**
 * Each handler is called at most once. Exactly one of `onReply` and `onError`
 * is always called, after the deadline too, once the request ends.
 */
export interface ReplyHandlers<Reply> {
  onReply(reply: Reply): void
  onError(error: Error): void
  /** The deadline passed before the server replied. */
  onMissed(): void
}

export type ScriptHandlers = ReplyHandlers<ScriptReply>

export interface ScriptReply {
  readonly numbers: readonly number[]
  /** Monotonic milliseconds. */
  readonly sentAt: number
  readonly receivedAt: number
}

/** The server did not reply in time. It may or may not have run the command. */
export class DeadlineMissedError extends Error {
  readonly code = 'DEADLINE_MISSED'

  constructor() {
    super('Redis did not answer in time')
    this.name = 'DeadlineMissedError'
  }
}

export interface RedisConnectionOptions {
  readonly address: SingleRedis | SentinelRedis
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  /** The estimate of the server's time. */
  readonly clock: StoreClock
  onReady(): void
  /** The connection ended or could not be made; another attempt follows. */
  onLost(cause: Error | undefined): void
}

/**
 * Time limit for connecting and for the handshake each; a server that accepts
 * and stays silent must not block the gateway.
 */
const connectDeadlineMs = 500

/** One with the digest of a script, one because the server does not have the script, one because its time was unknown. */
const attemptsMax = 3

/**
 * Upper bound of the pause between connection attempts, so that gateways share counts again within a second of the store's
 * return.
 */
const retryMsMax = 250

/** Minimum pause between two calls of {@link RedisConnection.reconnect}; a server may keep answering READONLY. */
const reconnectPauseMs = 250

/**
 * Opens a separate connection for counters. The defaults of ioredis suit a
 * cache: it resends unanswered commands (in a test, one increment ran four
 * times), queues while offline, and gives up after a minute. A counter must
 * know which commands ran, so all of that is off.
 */
export function openRedisConnection({
  address,
  monotonic,
  clock,
  onReady,
  onLost,
}: RedisConnectionOptions): RedisConnection {
  let cause: Error | undefined
  const { client, close } = openRedis({
    address,
    behaviour: {
      autoResendUnfulfilledCommands: false,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      // The LOADING error needs no special case here, and the gateway reads INFO where it needs it.
      enableReadyCheck: false,
      disableClientInfo: true,
      connectTimeout: connectDeadlineMs,
      disconnectTimeout: 50,
      retryStrategy: (attempt) => Math.min(attempt * 50, retryMsMax),
    },
    onSentinelsFailed: () => onLost(cause ?? new Error('no sentinel names a primary')),
  })
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

  /** Whether the server does not have the script, or its time was unknown; if so, learns it. */
  function didNotRun(error: Error, sentAt: number): boolean {
    const serverTimeMs = timeOfWindowsError(error)
    if (serverTimeMs !== undefined) clock.learn(serverTimeMs, sentAt, monotonic())
    return serverTimeMs !== undefined || error.message.startsWith('NOSCRIPT')
  }

  const connection: RedisConnection = {
    isReady: () => client.status === 'ready',
    run({ script, keys, args, deadlineMs, preceding, onSentAgain, ...handlers }) {
      const { onReply, onError, onMissed } = handlers
      let isMissed = false
      const callOff = startDeadline(deadlineMs, () => {
        isMissed = true
        onMissed()
      })
      /** Sends the digest the first time, and the text if the script did not run. */
      function send(attempt: number): void {
        const sentAt = monotonic()
        // Prepares the next command only; its own reply adds nothing to that command's reply.
        if (preceding !== undefined) client.call(preceding).catch(() => undefined)
        const words = args(clock.now())
        const reply =
          attempt === 1
            ? client.evalsha(script.sha1, keys.length, ...keys, ...words)
            : client.eval(script.text, keys.length, ...keys, ...words)
        reply.then(
          (answer: unknown) => {
            callOff()
            onReply({ numbers: readNumbers(String(answer)), sentAt, receivedAt: monotonic() })
          },
          (error: Error) => {
            // After the deadline there is no reason to run it.
            const isOver = isMissed || attempt === attemptsMax
            if (didNotRun(error, sentAt) && !isOver) {
              send(attempt + 1)
              onSentAgain?.()
              return
            }
            callOff()
            onError(error)
          },
        )
      }
      send(1)
    },
    ask: (call) => asPromise<ScriptReply>((handlers) => connection.run({ ...call, ...handlers })),
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
      asPromise<string | undefined>((handlers) =>
        connection.read({ key, deadlineMs, ...handlers }),
      ),
    command: ([name, ...words], deadlineMs) =>
      asPromise<unknown>(({ onReply, onError, onMissed }) => {
        const callOff = startDeadline(deadlineMs, onMissed)
        client
          .call(name, ...words)
          .then(onReply, onError)
          .finally(callOff)
      }),
    async info(deadlineMs) {
      return readInfo(await connection.command(['INFO'], deadlineMs))
    },
    reconnect() {
      if (!connection.isReady() || monotonic() - reconnectedAt < reconnectPauseMs) return
      reconnectedAt = monotonic()
      client.disconnect(true)
    },
    close,
  }
  return connection
}

function asPromise<Reply>(start: (handlers: ReplyHandlers<Reply>) => void): Promise<Reply> {
  return new Promise((resolve, reject) => {
    start({
      onReply: resolve,
      onError: reject,
      onMissed: () => reject(new DeadlineMissedError()),
    })
  })
}

/** Reads lines of `<name>:<value>`. */
export function readInfo(text: unknown): ReadonlyMap<string, string> {
  return new Map(
    String(text)
      .split('\r\n')
      .flatMap((line): [string, string][] => {
        const colon = line.indexOf(':')
        return colon === -1 ? [] : [[line.slice(0, colon), line.slice(colon + 1)]]
      }),
  )
}
