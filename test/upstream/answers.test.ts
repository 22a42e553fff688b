import { request as nodeRequest } from 'node:http'
import { createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { createPool, type Pool } from '../../src/gateway/upstream/pool.ts'
import type { OctetWriter } from '../../src/platform/http/octet-writer.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { until } from '../support/until.ts'
import { poolOptions } from './pool-options.ts'

/** How a client understood what a backend sent. */
type Understood =
  | {
      readonly status: number
      readonly fields: readonly string[]
      readonly body: string
    }
  | 'failed'

interface Message {
  readonly name: string
  readonly octets: string
  /** The backend ends the connection after it. */
  readonly ends?: boolean
}

const head = 'HTTP/1.1 200 OK\r\n'
const long = 'x'.repeat(200_000)
const longBody: Message = {
  name: 'a long body',
  octets: `${head}Content-Length: ${long.length}\r\n\r\n${long}`,
}

const messages: readonly Message[] = [
  { name: 'a declared length', octets: `${head}Content-Length: 5\r\n\r\nhello` },
  { name: 'no body', octets: `${head}Content-Length: 0\r\n\r\n` },
  { name: '204', octets: 'HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n' },
  { name: '304 with a length', octets: 'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n' },
  {
    name: 'chunks',
    octets: `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3;ext=1\r\n, y\r\n0\r\n\r\n`,
  },
  {
    name: 'trailers',
    octets: `${head}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Late: yes\r\n\r\n`,
  },
  { name: 'a body until the end', octets: `${head}X-A: b\r\n\r\nall of it`, ends: true },
  { name: 'an empty value', octets: `${head}X-Empty:\r\nX-Next: 1\r\nContent-Length: 0\r\n\r\n` },
  {
    name: 'doubled fields and octets beyond ASCII',
    octets: `${head}Set-Cookie: a=\xe9\r\nset-cookie: b\r\nContent-Length: 2\r\n\r\n\xd7\x90`,
  },
  {
    name: 'blanks around values',
    octets: `${head}X-A:  b c\t \r\nX-B: \xa0 \r\nTransfer-Encoding: chunked \r\n\r\n1\r\nx\r\n0\r\n\r\n`,
  },
  {
    name: 'empty lines before it',
    octets: `${'\r\n'.repeat(20)}${head}Content-Length: 1\r\n\r\nx`,
  },
  { name: 'no reason phrase', octets: 'HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx' },
  { name: 'HTTP/1.0', octets: 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx' },
  {
    name: 'interim answers',
    octets: `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${head}Content-Length: 1\r\n\r\nx`,
  },
  {
    name: 'an interim answer with a length',
    octets: `HTTP/1.1 110 Wait\r\nContent-Length: 4\r\n\r\n${head}Content-Length: 1\r\n\r\nx`,
  },
  { name: '204 with chunks', octets: 'HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n' },
  { name: 'an empty value at the end', octets: `${head}Content-Length: 1\r\nX-Empty:\r\n\r\nx` },
  longBody,
  { name: 'close', octets: `${head}Connection: close\r\nContent-Length: 1\r\n\r\nx`, ends: true },
  // What is no answer.
  { name: 'a body too short', octets: `${head}Content-Length: 9\r\n\r\nhello`, ends: true },
  {
    name: 'chunks without an end',
    octets: `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`,
    ends: true,
  },
  {
    name: 'an interim answer with chunks',
    octets: `HTTP/1.1 110 Wait\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Late: 1\r\n\r\n${head}Content-Length: 1\r\n\r\nx`,
  },
  { name: 'nothing', octets: '', ends: true },
  { name: 'half a head', octets: `${head}X-A`, ends: true },
  { name: 'two lengths', octets: `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx` },
  { name: 'a length that is no number', octets: `${head}Content-Length: 1x\r\n\r\nx` },
  {
    name: 'a length beside chunks',
    octets: `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  },
  {
    name: 'a size of a chunk that is none',
    octets: `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  },
  { name: 'a NUL in a value', octets: `${head}X-A: a\0b\r\nContent-Length: 0\r\n\r\n` },
  { name: 'a CR in a value', octets: `${head}X-A: a\rb\r\nContent-Length: 0\r\n\r\n` },
  { name: 'a space before the colon', octets: `${head}X-A : b\r\nContent-Length: 0\r\n\r\n` },
  { name: 'a folded line', octets: `${head}X-A: b\r\n c\r\nContent-Length: 0\r\n\r\n` },
  { name: 'another protocol', octets: 'SSH-2.0-OpenSSH_9.2\r\n\r\n' },
  { name: 'a head too large', octets: `${head}${`X-A: ${'y'.repeat(1000)}\r\n`.repeat(20)}\r\n` },
]

const noLength = 'Content-Length: 0\r\n\r\n'

/** Status lines that Node's client takes and RFC 9112 does not have. */
const invalid: readonly Message[] = [
  { name: 'HTTP/2.0', octets: `HTTP/2.0 200 OK\r\n${noLength}` },
  { name: 'HTTP/0.9', octets: `HTTP/0.9 200 OK\r\n${noLength}` },
  { name: 'RTSP', octets: `RTSP/1.0 200 OK\r\n${noLength}` },
  { name: 'RTSP without a reason', octets: `RTSP/1.0 200\r\n${noLength}` },
  { name: 'ICE', octets: `ICE/1.0 200 OK\r\n${noLength}` },
  { name: 'a NUL in the reason', octets: `HTTP/1.1 200 O\0K\r\n${noLength}` },
  { name: 'DEL in the reason', octets: `HTTP/1.1 200 OK\x7f\r\n${noLength}` },
  { name: 'CR CR behind the reason', octets: `HTTP/1.1 200 OK\r\r${noLength}` },
  { name: 'CR CR behind the status', octets: `HTTP/1.1 200\r\r${noLength}` },
  {
    name: 'HTTP/2.0 behind an interim answer',
    octets: `HTTP/1.1 100 \r\n\r\nHTTP/2.0 200 OK\r\n${noLength}`,
  },
]

/** Sends this in answer to any request, in pieces of this many octets. */
async function startBackend(t: Test, message: Message, pieceBytes: number): Promise<number> {
  const octets = Buffer.from(message.octets, 'latin1')
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => void answer(socket))
  })
  async function answer(socket: Socket): Promise<void> {
    for (let at = 0; at < octets.length; at += pieceBytes) {
      await new Promise((resolve) => socket.write(octets.subarray(at, at + pieceBytes), resolve))
      await new Promise(setImmediate)
    }
    if (message.ends === true) socket.end()
  }
  t.teardown(() => server.close())
  return await listenOnLoopback(server)
}

function poolTo(port: number): Pool {
  return createPool(poolOptions({ url: `http://127.0.0.1:${port}`, connectionsMax: 4 }))
}

function byPool(pool: Pool): Promise<Understood> {
  return new Promise((resolve) => {
    let answer = { status: 0, fields: [] as readonly string[] }
    const body: Buffer[] = []
    const request = {
      writeHead: (into: OctetWriter) => into.text('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
      body: undefined,
      isSafe: false,
      use: { connections: 0 },
    }
    pool.dispatch(request, {
      onHead(status, fields) {
        answer = { status, fields }
      },
      onBody: (octets) => body.push(Buffer.from(octets)) > 0,
      onEnd: () => resolve({ ...answer, body: Buffer.concat(body).toString('latin1') }),
      onError: () => resolve('failed'),
    })
  })
}

function byNode(port: number): Promise<Understood> {
  return new Promise((resolve) => {
    const request = nodeRequest({ port, host: '127.0.0.1', agent: false }, (response) => {
      const body: Buffer[] = []
      response.on('data', (chunk: Buffer) => body.push(chunk))
      response.on('error', () => resolve('failed'))
      response.on('end', () => {
        const { statusCode = 0, rawHeaders } = response
        resolve({
          status: statusCode,
          fields: rawHeaders,
          body: Buffer.concat(body).toString('latin1'),
        })
      })
    })
    request.on('error', () => resolve('failed'))
    request.end()
  })
}

t.test("an answer means what Node's own client makes of it, however it is cut", async (t) => {
  for (const message of messages) {
    const pieces = message.octets.length > 30_000 ? [7_000] : [1, 7, 1_000_000]
    for (const pieceBytes of pieces) {
      const port = await startBackend(t, message, pieceBytes)
      const pool = poolTo(port)
      t.same(await byPool(pool), await byNode(port), `${message.name}, ${pieceBytes}`)
      await pool.close()
    }
  }
})

t.test('a status line that is not one of HTTP/1 fails the answer, however it is cut', async (t) => {
  for (const message of invalid) {
    for (const pieceBytes of [1, 7, 1_000_000]) {
      const pool = poolTo(await startBackend(t, message, pieceBytes))
      t.equal(await byPool(pool), 'failed', `${message.name}, ${pieceBytes}`)
      await pool.close()
    }
  }
  const tab = { name: 'a tab in the reason', octets: `HTTP/1.1 200 a\tb \xe9\r\n${noLength}` }
  const pool = poolTo(await startBackend(t, tab, 1))
  t.match(await byPool(pool), { status: 200 }, tab.name)
  await pool.close()
})

t.test('data after an answer, or unsolicited, answers no request', async (t) => {
  let connections = 0
  const closed = new Set<number>()
  let sendUnasked = () => {}
  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1
    const own = connections
    socket.on('error', () => socket.destroy()).on('close', () => closed.add(own))
    socket.on('data', () => {
      const answer = (text: string) => `${head}Content-Length: ${text.length}\r\n\r\n${text}`
      if (own === 1) socket.write(answer('first') + answer('poison'))
      else if (own === 2) {
        socket.write(answer('second'))
        sendUnasked = () => void socket.write(answer('poison'))
      } else socket.write(answer('third'))
    })
  })
  const port = await listenOnLoopback(server)
  t.teardown(() => server.close())
  const pool = poolTo(port)
  t.match(await byPool(pool), { body: 'first' })
  t.match(await byPool(pool), { body: 'second' })
  sendUnasked()
  await until('the pool has given the connection up', () => closed.has(2))
  t.match(await byPool(pool), { body: 'third' })
  t.equal(connections, 3)
  await pool.close()
})

/** In the next turn but one Node has read what the system has for a socket. */
async function moreWouldCome(): Promise<void> {
  for (const _turn of [1, 2]) await new Promise(setImmediate)
}

t.test('a client that takes its time holds the answer back, and nothing is lost', async (t) => {
  const port = await startBackend(t, longBody, 1_000_000)
  const pool = poolTo(port)
  let bytes = 0
  let isFull = false
  await new Promise<void>((resolve, reject) => {
    const exchange = pool.dispatch(
      {
        writeHead: (into: OctetWriter) => into.text('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
        body: undefined,
        isSafe: false,
        use: { connections: 0 },
      },
      {
        onHead: () => undefined,
        onBody(octets) {
          if (isFull) reject(new Error('more came than was wanted'))
          bytes += octets.length
          isFull = true
          void moreWouldCome().then(() => {
            isFull = false
            exchange.resume()
          })
          return false
        },
        onEnd: resolve,
        onError: reject,
      },
    )
  })
  t.equal(bytes, long.length)
  await pool.close()
})
