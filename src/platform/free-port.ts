import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { ListenAddress } from './settings.ts'

/**
 * Below those that systems give to connections (from 32,768 on Linux, 49,152
 * elsewhere): one of these is not taken by somebody's call before it is bound.
 */
const first = 10_000
const last = 32_767

/** Counted up from a random one, so that a process is not given one twice and seldom another's. */
let next = randomInt(first, last + 1)

/**
 * The port of an address, or for port 0 one that was free a moment ago: for
 * whoever has to name a port before the listener is bound.
 *
 * @throws when the host is none of this machine
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

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}
