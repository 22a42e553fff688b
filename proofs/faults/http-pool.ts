import { connect, type Socket } from 'node:net'

/** An answer as far as the books need it. */
export interface HttpAnswer {
  readonly status: number
  /** The head in lower case, for {@link field}. */
  readonly head: string
  readonly body: string
}

/** Kept-alive connections to one server, cheap enough to load four gateways from one core. */
export interface HttpPool {
  /**
   * Sends a whole request as written. `done` is called once; with undefined when the connection ended without a whole
   * answer.
   */
  ask(request: string, done: (answer: HttpAnswer | undefined) => void): void
  close(): void
}

export interface HttpPoolOptions {
  readonly port: number
  readonly connectionsMax: number
  /** Requests on one connection at a time, when there are no more connections. (Default: 1; more wait here.) */
  readonly pipelining?: number
}

interface Connection {
  readonly socket: Socket
  readonly waiting: ((answer: HttpAnswer | undefined) => void)[]
  unread: string
}

/** Longer than any answer takes, including the gateway's own timeouts. */
const patienceMs = 30_000

export function createHttpPool({
  port,
  connectionsMax,
  pipelining = 1,
}: HttpPoolOptions): HttpPool {
  const connections = new Set<Connection>()
  const queue: { request: string; done: (answer: HttpAnswer | undefined) => void }[] = []
  let isClosed = false

  function open(): Connection {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const connection: Connection = { socket, waiting: [], unread: '' }
    connections.add(connection)
    socket.setTimeout(patienceMs, () => {
      if (connection.waiting.length > 0) socket.destroy()
    })
    socket.on('data', (chunk) => read(connection, chunk.toString('latin1')))
    socket.on('error', () => undefined) // 'close' follows
    socket.on('close', () => {
      connections.delete(connection)
      for (const done of connection.waiting.splice(0)) done(undefined)
      next()
    })
    return connection
  }

  function read(connection: Connection, text: string): void {
    let unread = connection.unread + text
    for (;;) {
      const end = unread.indexOf('\r\n\r\n')
      if (end === -1) break
      const head = unread.slice(0, end).toLowerCase()
      const bodyAt = end + 4
      const bodyLength = Number(field(head, 'content-length') ?? 0)
      if (unread.length < bodyAt + bodyLength) break
      const body = unread.slice(bodyAt, bodyAt + bodyLength)
      unread = unread.slice(bodyAt + bodyLength)
      const done = connection.waiting.shift()
      // Anything but a length would be misread from here on.
      if (done === undefined || head.includes('\r\ntransfer-encoding:')) {
        throw new Error(`an answer that cannot be read: ${head}`)
      }
      if (head.includes('\r\nconnection: close')) connections.delete(connection)
      done({ status: Number(head.slice(9, 12)), head, body })
    }
    connection.unread = unread
    next()
  }

  /** The connection with the least to do; undefined when all have enough. */
  function free(): Connection | undefined {
    let found: Connection | undefined
    for (const connection of connections) {
      if (connection.waiting.length === 0) return connection
      if (found === undefined || connection.waiting.length < found.waiting.length) {
        found = connection
      }
    }
    if (connections.size < connectionsMax) return open()
    return found !== undefined && found.waiting.length < pipelining ? found : undefined
  }

  function next(): void {
    while (queue.length > 0 && !isClosed) {
      const connection = free()
      if (connection === undefined) return
      const asked = queue.shift()
      if (asked === undefined) return
      connection.waiting.push(asked.done)
      connection.socket.write(asked.request)
    }
  }

  return {
    ask(request, done) {
      queue.push({ request, done })
      next()
    },
    close() {
      isClosed = true
      for (const { socket } of connections) socket.destroy()
    },
  }
}

/** The value of a field of a head in lower case; undefined when it has none. */
export function field(head: string, name: string): string | undefined {
  const at = head.indexOf(`\r\n${name}: `)
  if (at === -1) return undefined
  const from = at + name.length + 4
  const end = head.indexOf('\r\n', from)
  return head.slice(from, end === -1 ? undefined : end)
}
