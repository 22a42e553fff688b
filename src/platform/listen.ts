import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { ListenAddress } from './settings.ts'

/** A listener could not bind its address. */
export class ListenError extends Error {
  constructor(setting: string, address: ListenAddress, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    const reason = code === 'EADDRINUSE' ? 'the port is in use by another process' : code
    super(
      `${setting}_HOST/${setting}_PORT: cannot listen on ${address.host}:${address.port}: ${reason} (port 0 takes any free one)`,
      { cause },
    )
    this.name = 'ListenError'
  }
}

/**
 * Binds a listener.
 *
 * While `isEnding`, every answer tells its client that the connection ends, so
 * that kept connections move elsewhere before the listener closes under them.
 *
 * @param setting prefix of its variables, for the error
 * @param isEnding whether the process is about to stop, but serves on
 * @returns its origin; a host of 0.0.0.0 or :: is named 127.0.0.1
 * @throws {ListenError}
 */
export async function listen(
  app: FastifyInstance,
  setting: string,
  address: ListenAddress,
  isEnding: () => boolean = () => false,
): Promise<string> {
  app.server.prependListener('request', (_request, response) => {
    if (isEnding()) response.shouldKeepAlive = false
  })
  connections.set(app.server, trackConnections(app.server))
  try {
    await app.listen({ host: address.host, port: address.port, listenTextResolver: () => '' })
  } catch (error) {
    throw new ListenError(setting, address, error)
  }
  const bound = app.server.address()
  const port = bound !== null && typeof bound !== 'string' ? bound.port : address.port
  return origin({ host: address.host, port })
}

/** Milliseconds a call under way may go on while its listener closes: the longest a gateway lets one take. */
const longestCallMs = 25_000

/**
 * Runs `close`, which closes the listeners of `apps` once their calls under way
 * are answered. Connections without one are ended at once, whether their
 * clients keep them, have not said anything yet or half of something; the
 * others with their answer, or after the longest call.
 */
export async function closeListeners(
  apps: readonly FastifyInstance[],
  close: () => Promise<unknown>,
): Promise<void> {
  const tracked = apps.flatMap((app) => connections.get(app.server) ?? [])
  for (const { end } of tracked) end()
  const deadline = setTimeout(() => {
    for (const { cut } of tracked) cut()
  }, longestCallMs)
  try {
    await close()
  } finally {
    clearTimeout(deadline)
  }
}

/** The connections of one listener. */
interface Connections {
  /** Ends those without a call under way now, the others and those still to come when they have none. */
  readonly end: () => void
  /** Ends all. */
  readonly cut: () => void
}

/** By listener, from when it is bound. */
const connections = new WeakMap<Server, Connections>()

/** Node counts a connection that has sent nothing, or half a request, among the busy ones; so we count ourselves. */
function trackConnections(server: Server): Connections {
  const callsUnderWay = new Map<Socket, number>()
  let isEnding = false

  function count(socket: Socket, change: number): void {
    const before = callsUnderWay.get(socket)
    if (before === undefined) return
    callsUnderWay.set(socket, before + change)
    // What was written goes out first.
    if (isEnding && before + change === 0) socket.destroySoon()
  }

  server.on('connection', (socket: Socket) => {
    if (isEnding) {
      socket.destroy()
      return
    }
    callsUnderWay.set(socket, 0)
    socket.once('close', () => callsUnderWay.delete(socket))
  })
  // One function for all answers: a closure for each is a tenth of what a refused call costs.
  function answered(this: ServerResponse): void {
    count(this.req.socket, -1)
  }
  server.prependListener('request', ({ socket }, response) => {
    count(socket, 1)
    response.on('close', answered)
  })

  return {
    end() {
      isEnding = true
      for (const [socket, calls] of callsUnderWay) if (calls === 0) socket.destroy()
    },
    cut() {
      for (const socket of callsUnderWay.keys()) socket.destroy()
    },
  }
}

/** The origin by which this machine reaches a listener. */
export function origin({ host, port }: ListenAddress): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
