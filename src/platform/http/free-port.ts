import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { codeOf } from '../log/error-code.ts'
import type { ListenAddress } from '../settings/settings-reader.ts'

/**
 * The ports to choose from. Systems assign higher ones to outgoing connections
 * (from 32,768 on Linux, 49,152 elsewhere), and a connection could take such a
 * port before it is bound.
 */
const [lowest, highest] = [10_000, 32_767]

/**
 * The next candidate. It begins at random, so that processes seldom try the same, and counts up, so that none is tried
 * twice.
 */
let next = randomInt(lowest, highest + 1)

/**
 * The port of an address; for port 0, a port that was free a moment ago. For
 * callers that must know the port before the listener is bound.
 *
 * @throws when the host is not an address of this machine
 */
export async function freePort({ host, port }: ListenAddress): Promise<number> {
  if (port !== 0) return port
  for (let tries = 0; tries <= highest - lowest; tries += 1) {
    const candidate = next
    next = candidate === highest ? lowest : candidate + 1
    if (await isFree(host, candidate)) return candidate
  }
  throw new Error(`no port from ${lowest} to ${highest} of ${host} is free`)
}

/** Whether this process could bind the port a moment ago. @throws when the host is not an address of this machine */
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
