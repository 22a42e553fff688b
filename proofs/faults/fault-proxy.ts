import { connect, createServer, type Socket } from 'node:net'
import { resetConnection } from '../../src/platform/http/reset-connection.ts'
import { createRandom } from '../../test/support/random.ts'

/** What a proxy does to what passes through it. */
export type Trouble =
  | { readonly kind: 'none' }
  /** Connections are reset, new ones too. */
  | { readonly kind: 'reset' }
  /** Half open: connections stay and are accepted, nothing passes, either way. What was held passes when it ends. */
  | { readonly kind: 'stall' }
  /** Answers come later, in their order. */
  | {
      readonly kind: 'delay'
      readonly leastMs: number
      readonly mostMs: number
      readonly seed: number
    }
  /**
   * One answer in this many is lost although the request was executed: the connection is reset instead, or the answer is
   * late.
   */
  | { readonly kind: 'lose'; readonly oneIn: number; readonly seed: number }

/** Stands between one process and a server, on loopback. */
export interface FaultProxy {
  readonly port: number
  /** Goes on from now. */
  trouble(trouble: Trouble): void
  /** Where new connections go. */
  target(port: number): void
  close(): void
}

interface Link {
  readonly near: Socket
  readonly far: Socket
  /** Answers on their way, to keep their order. */
  late: Promise<void>
}

/** Listens on a free port. */
export function startFaultProxy(targetPort: number): Promise<FaultProxy> {
  const links = new Set<Link>()
  /** Links on which an answer was once held: the ones after it must not overtake it. */
  const late = new WeakSet<Link>()
  let target = targetPort
  let trouble: Trouble = { kind: 'none' }
  let random = createRandom(0, 'proxy')

  function hold(link: Link): void {
    link.near.pause()
    link.far.pause()
  }

  function release(link: Link): void {
    link.near.resume()
    link.far.resume()
  }

  function reset(link: Link): void {
    resetConnection(link.near)
    link.far.destroy()
  }

  function passLater(link: Link, chunk: Buffer, ms: number): void {
    const due = Date.now() + ms
    link.late = link.late.then(async () => {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - Date.now())))
      if (!link.near.destroyed) link.near.write(chunk)
    })
  }

  function answer(link: Link, chunk: Buffer): void {
    if (trouble.kind === 'lose' && random.next() < 1 / trouble.oneIn) {
      if (random.next() < 0.5) reset(link)
      else passLater(link, chunk, random.between(60, 300))
    } else if (trouble.kind === 'delay') {
      passLater(link, chunk, random.between(trouble.leastMs, trouble.mostMs))
    } else passLater(link, chunk, 0)
  }

  const server = createServer({ noDelay: true }, (near) => {
    if (trouble.kind === 'reset') {
      resetConnection(near)
      return
    }
    const far = connect({ port: target, host: '127.0.0.1', noDelay: true })
    const link: Link = { near, far, late: Promise.resolve() }
    links.add(link)
    if (trouble.kind === 'stall') hold(link)
    near.on('data', (chunk) => far.write(chunk))
    far.on('data', (chunk: Buffer) => {
      const isCalm = trouble.kind === 'none' || trouble.kind === 'stall'
      if (isCalm && !late.has(link)) near.write(chunk)
      else {
        late.add(link)
        answer(link, chunk)
      }
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => {
        links.delete(link)
        other.destroy()
      })
    }
  })

  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') throw new Error('no port')
      resolve({
        port: address.port,
        trouble(next) {
          const before = trouble
          trouble = next
          if (next.kind === 'delay' || next.kind === 'lose')
            random = createRandom(next.seed, 'proxy')
          if (next.kind === 'reset') for (const link of links) reset(link)
          if (next.kind === 'stall') for (const link of links) hold(link)
          else if (before.kind === 'stall') for (const link of links) release(link)
        },
        target(port) {
          target = port
        },
        close() {
          for (const { near, far } of links) {
            near.destroy()
            far.destroy()
          }
          server.close()
        },
      })
    })
  })
}
