import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { codeOf } from '../log/error-code.ts'
import type { ListenAddress } from '../settings/settings-reader.ts'
import { isFree } from './free-port.ts'
import { bindFailure, boundHost } from './listen.ts'

/** A listener that a start will bind. */
export interface PlannedListener {
  /** Prefix of the listener's variables: `GATEWAY` for `GATEWAY_HOST` and `GATEWAY_PORT`. */
  readonly setting: string
  readonly address: ListenAddress
  /** As {@link ListenOptions}. */
  readonly isShared?: boolean
}

/** Listeners cannot bind their addresses. The message names each setting and offers free ports. */
export class PortsTaken extends Error {
  constructor(problems: readonly string[], offer: string | undefined) {
    const list =
      problems.length === 1 ? problems[0] : problems.map((problem) => `\n  ${problem}`).join('')
    const hint = offer === undefined ? '' : `\nFree at the moment: ${offer}`
    super(
      `${problems.length === 1 ? '' : `${problems.length} listeners cannot start:`}${list}${hint}`,
    )
    this.name = 'PortsTaken'
  }
}

/**
 * Binds every port for a moment, before startup does work that takes seconds.
 * Port 0 is always free. A shared port is not bound: the kernel would give this
 * process connections that are reset when the port is released.
 *
 * @param command the operator's start command, for the offer of free ports
 * @throws {PortsTaken} with every listener that cannot bind its address
 */
export async function probePorts(
  listeners: readonly PlannedListener[],
  command: string,
): Promise<void> {
  const bound: Server[] = []
  const problems: string[] = []
  const taken: PlannedListener[] = []
  for (const listener of listeners.filter(isProbed)) {
    try {
      await bindAll(listener.address, bound)
    } catch (error) {
      problems.push(bindFailure(listener.setting, listener.address, error))
      if (isInUse(error)) taken.push(listener)
    }
  }
  // While the probed ports are still bound, so that the offer names only other ones.
  const offer = taken.length === 0 ? undefined : await offerPorts(taken, command)
  await Promise.all(bound.map(closeServer))
  if (problems.length > 0) throw new PortsTaken(problems, offer)
}

/**
 * Binds the host, and for `localhost` also [::1], which browsers try first:
 * another program there would get the visitors. Machines without IPv6 lack it.
 */
async function bindAll({ host, port }: ListenAddress, bound: Server[]): Promise<void> {
  bound.push(await bind(boundHost(host), port))
  if (host !== 'localhost') return
  try {
    bound.push(await bind('::1', port))
  } catch (error) {
    if (isInUse(error)) throw error
  }
}

async function bind(host: string, port: number): Promise<Server> {
  const server = createServer().unref()
  server.listen({ port, host })
  await once(server, 'listening')
  return server
}

function isProbed({ address, isShared = false }: PlannedListener): boolean {
  return address.port !== 0 && !isShared
}

/** `GATEWAY_PORT=8090 tollgate start`; undefined when no port nearby is free. */
async function offerPorts(
  taken: readonly PlannedListener[],
  command: string,
): Promise<string | undefined> {
  const offered = new Set<number>()
  for (const { address } of taken) {
    const port = await freeNear(address, offered)
    if (port === undefined) return undefined
    offered.add(port)
  }
  const ports = [...offered].map((port, index) => `${taken[index]?.setting}_PORT=${port}`)
  return `${ports.join(' ')} ${command}`
}

/** The next free port whose last digit is the same: 8080 → 8090. */
async function freeNear(
  { host, port }: ListenAddress,
  offered: ReadonlySet<number>,
): Promise<number | undefined> {
  for (let candidate = port + 10; candidate <= Math.min(port + 500, 65_535); candidate += 10) {
    if (!offered.has(candidate) && (await isFree(host, candidate))) return candidate
  }
  return undefined
}

function isInUse(error: unknown): boolean {
  return codeOf(error) === 'EADDRINUSE'
}

async function closeServer(server: Server): Promise<void> {
  server.close()
  await once(server, 'close')
}
