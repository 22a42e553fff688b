import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { codeOf } from '../log/error-code.ts'
import type { ListenAddress } from '../settings/settings-reader.ts'

/**
 * Below the ports that systems assign to outgoing connections (from 32,768 on
 * Linux, 49,152 elsewhere), so that no connection takes a port before it is
 * bound.
 */
const first = 10_000
const last = 32_767

/** Counts up from a random port, so that a process never gets a port twice and seldom another process's. */
let next = randomInt(first, last + 1)

/**
 * The port of an address; for port 0, a port that was free a moment ago. For
 * callers that must know the port before the listener is bound.
 *
 * @throws when the host is not an address of this machine
 */
export async function freePort({ host, port }: ListenAddress): Promise<number> {
  if (port !== 0) return port
  for (let tried = first; tried <= last; tried += 1) {
    const candidate = next
    next = candidate === last ? first : candidate + 1
    if (await isFree(host, candidate)) return candidate
  }
  throw new Error(`no port from ${first} to ${last} of ${host} is free`)
}

/** Whether this process could bind that port of that host a moment ago. @throws when the host is not one of this machine */
export async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE') return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}
