import { createServer, type Socket } from 'node:net'
import type { Test } from './database.ts'
import { listenOnLoopback } from './loopback.ts'
import { readStrictRequest, type StrictRequest } from './strict-request.ts'

/** One request as its bytes said it, read by our own strict parser (not the one under test). */
export interface RecordedRequest extends StrictRequest {
  /** Which connection it came on, counted from 0. */
  readonly connection: number
}

/** A TCP server that records what reaches it and answers as the test specifies. */
export interface RawBackend {
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  /** Sends these bytes instead of the default answer; called for every complete request. */
  answer: (request: RecordedRequest, socket: Socket) => void
}

/** The default answer: 200 with a small JSON body. */
export function answerOk(_request: RecordedRequest, socket: Socket): void {
  const body = '{"ok":true}'
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
}

/** Starts a recording backend on a free port; closed with the test. */
export async function startRawBackend(t: Test): Promise<RawBackend> {
  const requests: RecordedRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const backend = { url: '', requests, answer: answerOk as RawBackend['answer'] }

  const server = createServer((socket) => {
    const connection = connections
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    let pending = ''
    socket.on('data', (chunk) => {
      pending += chunk.toString('latin1')
      for (;;) {
        const read = readStrictRequest(pending)
        if (read === undefined) return
        pending = read.rest
        const request = { ...read.request, connection }
        requests.push(request)
        backend.answer(request, socket)
      }
    })
  })
  const port = await listenOnLoopback(server)
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  backend.url = `http://127.0.0.1:${port}`
  return backend
}
