import { createServer, type Socket } from 'node:net'
import type { Test } from 'tap'
import { listenOnLoopback } from './loopback.ts'

/** One request as its bytes said it, read by a strict parser of our own (not the one under test). */
export interface RecordedRequest {
  readonly method: string
  readonly target: string
  /** Names in lower case; values of doubled fields in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly body: string
  /** Which connection it came on, counted from 0. */
  readonly connection: number
}

/** A TCP server that records what reaches it and answers as it is told. */
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
        const parsed = parseRequest(pending, connection)
        if (parsed === undefined) return
        pending = parsed.rest
        requests.push(parsed.request)
        backend.answer(parsed.request, socket)
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

/** Parses one request strictly; undefined while incomplete. Throws on anything a strict parser would not accept. */
export function parseRequest(
  bytes: string,
  connection: number,
): { request: RecordedRequest; rest: string } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [requestLine = '', ...lines] = bytes.slice(0, end).split('\r\n')
  const match = /^([A-Z]+) (\S+) HTTP\/1\.1$/.exec(requestLine)
  if (match === null) throw new Error(`bad request line: ${requestLine}`)
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line)
    if (field === null) throw new Error(`bad field line: ${line}`)
    const name = (field[1] ?? '').toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), field[2] ?? ''])
  }
  const framed = headers.has('content-length') && headers.has('transfer-encoding')
  if (framed) throw new Error('two length mechanisms')
  const after = bytes.slice(end + 4)
  const body = readBody(headers, after)
  if (body === undefined) return undefined
  const request = {
    method: match[1] ?? '',
    target: match[2] ?? '',
    headers,
    body: body.text,
    connection,
  }
  return { request, rest: after.slice(body.length) }
}

function readBody(
  headers: ReadonlyMap<string, readonly string[]>,
  bytes: string,
): { text: string; length: number } | undefined {
  if (headers.has('transfer-encoding')) return readChunks(bytes)
  const length = Number(headers.get('content-length')?.[0] ?? '0')
  return bytes.length < length ? undefined : { text: bytes.slice(0, length), length }
}

function readChunks(bytes: string): { text: string; length: number } | undefined {
  let at = 0
  let text = ''
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(bytes.slice(at, lineEnd), 16)
    const start = lineEnd + 2
    if (bytes.length < start + size + 2) return undefined
    text += bytes.slice(start, start + size)
    at = start + size + 2
    if (size === 0) return { text, length: at }
  }
}
