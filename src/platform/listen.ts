import { createServer } from 'node:net'
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
  try {
    await app.listen({ host: address.host, port: address.port, listenTextResolver: () => '' })
  } catch (error) {
    throw new ListenError(setting, address, error)
  }
  const bound = app.server.address()
  const port = bound !== null && typeof bound !== 'string' ? bound.port : address.port
  return origin({ host: address.host, port })
}

/** Between two looks for connections that became idle while their listener closes. */
const sweepMs = 100

/**
 * Runs `close`, which closes the listeners of `apps` once their calls under way
 * are answered. Node ends the connections that are idle when that begins; one
 * that becomes idle later would hold the process until its client leaves.
 */
export async function closeListeners(
  apps: readonly FastifyInstance[],
  close: () => Promise<unknown>,
): Promise<void> {
  const sweep = setInterval(() => {
    for (const app of apps) app.server.closeIdleConnections()
  }, sweepMs)
  try {
    await close()
  } finally {
    clearInterval(sweep)
  }
}

/** The origin by which this machine reaches a listener. */
export function origin({ host, port }: ListenAddress): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** The port of an address, or for port 0 one that was free a moment ago. */
export async function freePort({ host, port }: ListenAddress): Promise<number> {
  if (port !== 0) return port
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, resolve)
  })
  const bound = server.address()
  await new Promise((resolve) => server.close(resolve))
  return bound !== null && typeof bound !== 'string' ? bound.port : 0
}
