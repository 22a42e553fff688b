import { processesKey } from '../../src/gateway/counters/redis/heartbeat.ts'
import type { RedisAddress } from '../../src/platform/redis/redis-address.ts'
import { isRedisError, type RedisReply } from './lua.ts'
import { type Connection, type Link, type Network, openConnection } from './network.ts'
import { beginning, type Server } from './server.ts'
import { type Happening, type Process, phases } from './world.ts'

// Stands for `platform/redis/open-redis.ts` in a simulation: a client that behaves as ioredis does with the options that the
// counters choose (nothing queued, nothing sent again), and as that file makes it behave with sentinels.

let network: Network | undefined

/** Where clients connect to from now on. */
export function connectClientsTo(next: Network): void {
  network = next
}

interface Options {
  readonly address: Exclude<RedisAddress, { topology: 'cluster' }>
  readonly behaviour: {
    readonly connectTimeout: number
    readonly retryStrategy: (attempt: number) => number
  }
  readonly onSentinelsFailed?: () => void
}

type Status = 'connecting' | 'connect' | 'ready' | 'close' | 'reconnecting' | 'end'

interface Waiting {
  /** Whether its reply begins with the time of the server. */
  readonly tellsTime: boolean
  /** True milliseconds; undefined for a script that is sent again, whose reply the first sending may have made late. */
  readonly sentAt: number | undefined
  resolve(reply: RedisReply): void
  reject(error: Error): void
}

/** How long the counters wait for a reply that holds up no call, at least. */
const patienceMs = 250

const sentinelDeadlineMs = 250
const sentinelRetryMs = 250

export function openRedis({ address, behaviour, onSentinelsFailed = () => undefined }: Options) {
  if (network === undefined) throw new Error('there is no network')
  const net = network
  const { world } = net
  const process = world.current()
  const listeners = new Map<string, ((error: Error) => void)[]>()
  let status: Status = 'connecting'
  let connection: Connection | undefined
  let link: Link | undefined
  let isEnding = false
  let isClosing = false
  let attempts = 0
  let waiting: Waiting[] = []
  let later: Happening | undefined

  function emit(event: string, error = new Error(event)): void {
    for (const listener of listeners.get(event) ?? []) listener(error)
  }

  function after(ms: number, run: () => void): void {
    later = world.at(world.now() + ms, phases.timers, process, run)
  }

  function connect(): void {
    status = 'connecting'
    isEnding = false
    if (address.topology === 'single') connectTo(named(net, address.server))
    else askSentinels(process)
  }

  function askSentinels(asking: Process): void {
    if ((net.sentinelsHeldUntil.get(asking) ?? 0) > world.now()) {
      after(sentinelDeadlineMs, () => {
        onSentinelsFailed()
        after(sentinelRetryMs, connect)
      })
    } else after(net.delayMs() * 4, () => connectTo(net.primary))
  }

  function connectTo(server: Server | undefined): void {
    const { heldUntil } =
      server === undefined ? { heldUntil: { to: 0, from: 0 } } : net.link(process, server)
    const openAt = Math.max(world.now(), heldUntil.to, heldUntil.from) + net.delayMs() * 2
    const isLate = openAt - world.now() > behaviour.connectTimeout
    if (isLate) {
      after(behaviour.connectTimeout, () => failed('connect ETIMEDOUT'))
      return
    }
    after(openAt - world.now(), () => {
      if (server?.isUp !== true) {
        failed('connect ECONNREFUSED')
        return
      }
      attempts = 0
      link = net.link(process, server)
      connection = openConnection({ network: net, process, server, onReply, onClosed })
      status = 'connect'
      emit('connect')
      status = 'ready'
      emit('ready')
    })
  }

  function failed(message: string): void {
    emit('error', new Error(message))
    onClosed()
  }

  function onReply(reply: RedisReply): void {
    const first = waiting.shift()
    if (link !== undefined && first?.tellsTime === true && typeof reply === 'string') {
      const [timeMs = 0] = reply.split(' ', 1).map(Number)
      const lagMs = beginning + world.now() - timeMs
      if (first.sentAt !== undefined && world.now() - first.sentAt < patienceMs) {
        link.lagMs = link.isTold ? Math.min(link.lagMs, lagMs) : lagMs
        link.isTold = true
      } else if (!link.isTold) {
        link.lagMs = link.lagMs < Number.POSITIVE_INFINITY ? Math.max(link.lagMs, lagMs) : lagMs
      }
    }
    if (isRedisError(reply)) first?.reject(new Error(reply.err))
    else first?.resolve(reply)
  }

  function onClosed(): void {
    connection = undefined
    status = 'close'
    const lost = waiting
    waiting = []
    // ioredis calls its listeners before it rejects pending commands.
    emit('close')
    const error =
      'Reached the max retries per request limit (which is 0). Refer to "maxRetriesPerRequest" option for details.'
    for (const one of lost) one.reject(new Error(error))
    if (isClosing) {
      status = 'end'
      emit('end')
      return
    }
    status = 'reconnecting'
    attempts += 1
    after(behaviour.retryStrategy(attempts), connect)
  }

  function send(...words: (string | number)[]): Promise<RedisReply> {
    const to = connection
    if (status !== 'ready' || to === undefined || isEnding) {
      return Promise.reject(
        new Error("Stream isn't writeable and enableOfflineQueue options is false"),
      )
    }
    return new Promise((resolve, reject) => {
      const [command, , keys, key] = words
      const isScript = command === 'EVALSHA' || command === 'EVAL'
      const tellsTime = isScript && Number(keys) > 0 && key !== processesKey
      const sentAt = command === 'EVAL' ? undefined : world.now()
      waiting.push({ tellsTime, sentAt, resolve, reject })
      to.send(words.map(String))
    })
  }

  function disconnect(isReconnecting = false): void {
    if (!isReconnecting) {
      isClosing = true
      if (later !== undefined) later.run = undefined
    }
    if (connection === undefined || isEnding) return
    isEnding = true
    connection.end()
  }

  function failedOver(primary: Server): void {
    if (process.isDead || address.topology !== 'sentinel') return
    const reachable = Math.max(world.now(), net.sentinelsHeldUntil.get(process) ?? 0)
    world.at(reachable + net.delayMs(), phases.sockets, process, () => {
      if (net.primary === primary) disconnect(true)
    })
  }

  net.subscribers.add(failedOver)
  world.at(world.now(), phases.immediates, process, connect)
  const client = {
    get status() {
      return status
    },
    on(event: string, listener: (error: Error) => void) {
      const known = listeners.get(event)
      if (known === undefined) listeners.set(event, [listener])
      else known.push(listener)
      return client
    },
    evalsha: (...words: (string | number)[]) => send('EVALSHA', ...words),
    eval: (...words: (string | number)[]) => send('EVAL', ...words),
    get: (key: string) => send('GET', key),
    call: send,
    disconnect,
  }
  return {
    client,
    close() {
      net.subscribers.delete(failedOver)
      disconnect()
    },
  }
}

function named(net: Network, { host, port }: { host: string; port: number }): Server | undefined {
  return net.servers.get(`${host}:${port}`)
}
