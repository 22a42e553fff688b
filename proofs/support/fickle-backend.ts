import { createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { resetConnection } from '../../src/platform/http/reset-connection.ts'
import type { Test } from '../../test/support/database.ts'
import { listenOnLoopback } from '../../test/support/loopback.ts'
import { readStrictRequest } from '../../test/support/strict-request.ts'

/** What the backend does with one request; the request says it in its query. */
export interface Conduct {
  /** Octets of the body. */
  readonly length: number
  readonly framing: 'declared' | 'chunked'
  /** Milliseconds before it answers. */
  readonly waits: number
  /** Interim answers before the real one. */
  readonly interim: number
  /** It stops after this many octets of its answer; -1: never. */
  readonly cutAt: number
  readonly cutBy: 'end' | 'reset'
  /** Number of pieces in which the octets are sent. */
  readonly pieces: number
  readonly ending: 'keep' | 'close' | 'unasked' | 'unasked later'
  /** The first chunk is malformed. */
  readonly isGarbage: boolean
}

/** The body of an answer with that id. */
export function bodyOf(id: string, length: number): string {
  return `${id}.`.repeat(Math.ceil(length / 37)).slice(0, length)
}

/** A backend that behaves as requests ask it to. What it sees crossed is in the list. */
export async function startFickleBackend(t: Test): Promise<{ url: string; crossed: string[] }> {
  const crossed: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    let pending = ''
    // Unsolicited data comes before or after an answer, never within one.
    let said = Promise.resolve()
    socket.on('data', (chunk) => {
      pending += chunk.toString('latin1')
      try {
        for (;;) {
          const parsed = readStrictRequest(pending)
          if (parsed === undefined) return
          pending = parsed.rest
          const { target, headers, body } = parsed.request
          const id = headers.get('x-request-id')?.[0] ?? ''
          const [, conduct = ''] = target.split('?c=')
          if (!target.includes(id)) crossed.push(`${id} came with ${target}`)
          if (body !== bodyOf(id, body.length)) crossed.push(`${id} came with another body`)
          const asked: Conduct = JSON.parse(Buffer.from(conduct, 'base64url').toString())
          said = said.then(() => answer(socket, id, asked))
        }
      } catch (error) {
        crossed.push(String(error))
        socket.destroy()
      }
    })
  })
  const port = await listenOnLoopback(server)
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}`, crossed }
}

async function answer(socket: Socket, id: string, conduct: Conduct): Promise<void> {
  const { waits, cutAt, cutBy, pieces, ending } = conduct
  if (waits > 0) await delay(waits)
  const octets = octetsOf(id, conduct)
  const end = cutAt === -1 ? octets.length : Math.min(cutAt, octets.length)
  const size = Math.max(1, Math.ceil(end / pieces))
  for (let at = 0; at < end && socket.writable; at += size) {
    socket.write(octets.slice(at, Math.min(at + size, end)), 'latin1')
    if (pieces > 1) await new Promise(setImmediate)
  }
  if (cutAt !== -1) {
    if (cutBy === 'end') socket.end()
    else resetConnection(socket)
  } else if (ending === 'close') socket.end()
  else if (ending !== 'keep') {
    if (ending === 'unasked later') await delay(1)
    const other = id.replace(/^.{8}/, 'ffffffff')
    socket.write(octetsOf(other, { ...conduct, interim: 0, isGarbage: false }), 'latin1')
  }
}

function octetsOf(id: string, conduct: Conduct): string {
  const { length, framing, interim, ending, isGarbage } = conduct
  const body = bodyOf(id, length)
  const close = ending === 'close' ? 'Connection: close\r\n' : ''
  const head = `${'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(interim)}HTTP/1.1 200 OK\r\n${close}X-Request-ID: ${id}\r\n`
  if (framing === 'declared') return `${head}Content-Length: ${length}\r\n\r\n${body}`
  const first = isGarbage ? 'no chunk' : ''
  const half = Math.ceil(length / 2)
  const chunks = [body.slice(0, half), body.slice(half), '']
  const coded = chunks.filter((chunk, at) => chunk !== '' || at === 2)
  return `${head}Transfer-Encoding: chunked\r\n\r\n${first}${coded
    .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    .join('')}`
}
