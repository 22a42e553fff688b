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
 * @param setting prefix of its variables, for the error
 * @returns its origin; a host of 0.0.0.0 or :: is named 127.0.0.1
 * @throws {ListenError}
 */
export async function listen(
  app: FastifyInstance,
  setting: string,
  address: ListenAddress,
): Promise<string> {
  try {
    await app.listen({ host: address.host, port: address.port, listenTextResolver: () => '' })
  } catch (error) {
    throw new ListenError(setting, address, error)
  }
  const bound = app.server.address()
  const port = bound !== null && typeof bound !== 'string' ? bound.port : address.port
  return origin({ host: address.host, port })
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
