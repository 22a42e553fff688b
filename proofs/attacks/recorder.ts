import { createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { resetConnection } from '../../src/platform/http/reset-connection.ts'
import type { Test } from '../../test/support/database.ts'
import { listenOnLoopback } from '../../test/support/loopback.ts'
import {
  NotStrict,
  readStrictRequest,
  type StrictRequest,
} from '../../test/support/strict-request.ts'
import { type HostileAnswer, hostileAnswers } from './corpus/answers.ts'
import { markPattern, type Sender } from './message.ts'

/** Where octets at the backend come from, as far as their mark says. */
export interface Origin {
  readonly sender: Sender | undefined
  /** Number of the input. */
  readonly number: number | undefined
}

/** A request that reached the backend whole. */
export interface Seen extends Origin {
  readonly request: StrictRequest
  /** Number of the application, from the identity in the request; undefined without one. */
  readonly application: string | undefined
}

/** Octets that two readers could read differently, or that end within a request. */
export interface Stray extends Origin {
  readonly why: string
  readonly isWhole: boolean
}

/** A backend that answers whatever arrives, and records it. */
export interface Recorder {
  readonly url: string
  /** In the order of arrival. */
  readonly seen: readonly Seen[]
  readonly strays: readonly Stray[]
  /** Connections that carried another request although an answer had spoiled them. */
  readonly reused: readonly Origin[]
  /** Clears the records. */
  clear(): void
}

/**
 * Starts a recorder on a free port, until the test ends.
 *
 * @param answers that requests may ask for, by name
 */
export async function startRecorder(
  t: Test,
  answers: ReadonlyMap<string, HostileAnswer> = hostileAnswers,
): Promise<Recorder> {
  const seen: Seen[] = []
  const strays: Stray[] = []
  const reused: Origin[] = []
  const sockets = new Set<Socket>()

  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    let pending = ''
    let isSpoiled = false
    let answered = Promise.resolve()
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      if (pending !== '')
        strays.push({ ...originOf(pending), why: 'half a request', isWhole: false })
    })
    socket.on('data', (octets) => {
      pending += octets.toString('latin1')
      try {
        for (;;) {
          const read = readStrictRequest(pending)
          if (read === undefined) return
          pending = read.rest
          const origin = originOf(read.request.headers.get('user-agent')?.[0] ?? '')
          seen.push({ ...origin, ...read, application: applicationIn(read.request) })
          if (isSpoiled) reused.push(origin)
          const answer = answers.get(answerNameIn(read.request))
          isSpoiled ||= answer !== undefined && answer.isReusable !== true
          answered = answered.then(() => respond(socket, read.request, answer))
        }
      } catch (error) {
        if (!(error instanceof NotStrict)) throw error
        strays.push({ ...originOf(pending), why: error.message, isWhole: true })
        pending = ''
        // A backend that is less strict would answer, so this one does, too.
        socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}')
      }
    })
  })
  const port = await listenOnLoopback(server)
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    strays,
    reused,
    clear() {
      for (const list of [seen, strays, reused]) list.length = 0
    },
  }
}

function originOf(text: string): Origin {
  const [, sender, number] = markPattern.exec(text) ?? []
  // The pattern has no other words.
  return sender === undefined
    ? { sender: undefined, number: undefined }
    : { sender: sender as Sender, number: Number(number) }
}

/** The application that the gateway's identity names. Its signature is not verified: other tests do that. */
function applicationIn({ headers }: StrictRequest): string | undefined {
  const [identity = ''] = headers.get('gateway-identity') ?? []
  try {
    return JSON.parse(Buffer.from(identity.split('.')[1] ?? '', 'base64url').toString()).sub
  } catch {
    return undefined
  }
}

function answerNameIn({ target }: StrictRequest): string {
  return /[?&]answer=([a-z-]+)/.exec(target)?.[1] ?? ''
}

async function respond(
  socket: Socket,
  { headers, method }: StrictRequest,
  answer: HostileAnswer | undefined,
): Promise<void> {
  const [mark = ''] = headers.get('user-agent') ?? []
  const body = JSON.stringify({ mark })
  const octets =
    answer?.octets ??
    'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {bodyLength}\r\n\r\n{body}'
  if (answer?.waits !== undefined) await delay(answer.waits)
  const text = octets
    .replaceAll('{body}', method === 'HEAD' ? '' : body)
    .replaceAll('{mark}', mark)
    .replaceAll('{bodyLength}', String(body.length))
    .replaceAll('{bodyHex}', body.length.toString(16))
  for (const piece of answer?.octetMs === undefined ? [text] : text) {
    if (!socket.writable) return
    socket.write(piece, 'latin1')
    if (answer?.octetMs !== undefined) await delay(answer.octetMs)
  }
  if (answer?.ending === 'end') socket.end()
  if (answer?.ending === 'reset') setImmediate(() => resetConnection(socket))
}
