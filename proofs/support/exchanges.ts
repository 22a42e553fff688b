import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, openConnection } from '../../test/support/open-connection.ts'
import { type Draw, drawUuid } from '../../test/support/random.ts'
import {
  createStrictReader,
  type StrictAnswer,
  type StrictReader,
} from '../../test/support/strict-answers.ts'
import { bodyOf, type Conduct } from './fickle-backend.ts'

/** One request of a pipeline. */
interface Planned {
  readonly id: string
  readonly conduct: Conduct
  readonly head: string
  readonly body: string
  /** The client sends the body when it was asked for it, not before. */
  readonly isPatient: boolean
  readonly expects: boolean
  readonly isKnown: boolean
}

/** What was wrong; all empty when nothing fell out of step. */
export interface Faults {
  /** Answers that belong to another request, or to none. */
  readonly crossed: string[]
  /** What no server may send: interim octets in bodies, broken framing. */
  readonly broken: string[]
  /** Requests without an answer, and without a reason for it. */
  readonly lost: string[]
  /** Connections on which nothing came to an end. */
  readonly hung: string[]
}

export interface ExchangeOptions {
  readonly url: string
  readonly key: string
  readonly draw: Draw
  readonly faults: Faults
}

const endings = [
  'leave',
  'leave',
  'leave',
  'half-close',
  'garbage',
  'CONNECT',
  'cut',
  'reset',
] as const
type Ending = (typeof endings)[number]

/** Longer than any call of the test takes, and any time-out it meets. */
const hungMs = 15_000

/** Makes one connection with a few pipelines on it and looks at all that comes back. @returns the exchanges */
export async function exchangeAtRandom(options: ExchangeOptions): Promise<number> {
  const { url, draw, faults } = options
  const reader = createStrictReader()
  const connection = openConnection(url)
  const { socket } = connection
  let isClosed = false
  socket.on('error', () => undefined).on('close', () => (isClosed = true))
  socket.on('data', (octets: Buffer) => {
    try {
      reader.read(octets)
    } catch (error) {
      faults.broken.push(String(error))
      socket.destroy()
    }
  })
  const planned: Planned[] = []
  const within = async (isSo: () => boolean): Promise<void> => {
    const deadline = Date.now() + hungMs
    while (!isSo() && !isClosed) {
      if (Date.now() > deadline) {
        faults.hung.push(`${reader.answers.length} of ${planned.length}: ${planned.at(-1)?.id}`)
        socket.destroy()
        return
      }
      await delay(1)
    }
  }
  let ending: Ending = 'leave'
  for (let round = 1 + draw(3); round > 0 && !isClosed; round -= 1) {
    for (let left = 1 + draw(6); left > 0 && !isClosed; left -= 1) {
      const request = plan(options)
      planned.push(request)
      await sendInPieces(socket, request.head, draw)
      const at = planned.length - 1
      if (request.isPatient) {
        await within(() => reader.answers.length > at || asked(reader, at))
        // A client that was refused sends no body; where its next request would begin is then unknown.
        if (reader.answers.length > at) break
      }
      await sendInPieces(socket, request.body, draw)
    }
    if (planned.at(-1)?.isPatient && reader.answers.length === planned.length) break
    if (round === 1) ending = endings[draw(endings.length)] ?? 'leave'
    if (round === 1) await end(connection, ending, draw)
    await within(() => reader.answers.length >= planned.length)
  }
  // Two answers to one request would come one after the other.
  if (draw(20) === 0) await delay(3)
  socket.destroy()
  judge({ planned, reader, ending }, faults)
  return planned.length
}

function asked(reader: StrictReader, at: number): boolean {
  return reader.answers.length === at && reader.interim.length > 0
}

function plan({ draw, key }: ExchangeOptions): Planned {
  const id = drawUuid(draw)
  const isUsual = draw(3) > 0
  const length = [0, 3, 200, 17_000, 70_000][isUsual ? 1 + draw(2) : draw(5)] ?? 0
  const isCut = draw(12) === 0
  const conduct: Conduct = {
    length,
    framing: draw(2) === 0 ? 'declared' : 'chunked',
    waits: draw(3) === 0 ? draw(12) : 0,
    interim: draw(10) === 0 ? 1 : 0,
    cutAt: isCut ? draw(length + 200) : -1,
    cutBy: draw(2) === 0 ? 'end' : 'reset',
    pieces: draw(4) === 0 ? 1 + draw(5) : 1,
    ending: (['close', 'unasked', 'unasked later'] as const)[draw(30)] ?? 'keep',
    isGarbage: draw(30) === 0,
  }
  const query = Buffer.from(JSON.stringify(conduct)).toString('base64url')
  const isKnown = draw(20) > 0
  const fields = `Host: a\r\nX-API-Key: ${isKnown ? key : 'unknown'}\r\nX-Request-ID: ${id}\r\n`
  if (draw(2) === 0) {
    const head = `GET /v1.7.0/accounts/${id}?c=${query} HTTP/1.1\r\n${fields}\r\n`
    return { id, conduct, head, body: '', isPatient: false, expects: false, isKnown }
  }
  const text = bodyOf(id, 1 + draw(draw(10) === 0 ? 40_000 : 300))
  const isChunked = draw(2) === 0
  const expects = draw(3) === 0
  const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${text.length}`
  const expect = expects ? 'Expect: 100-continue\r\n' : ''
  return {
    id,
    conduct,
    isKnown,
    expects,
    head: `POST /v1.7.0/payments/${id}?c=${query} HTTP/1.1\r\n${fields}${framing}\r\n${expect}\r\n`,
    body: isChunked ? `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n` : text,
    isPatient: expects && draw(2) === 0,
  }
}

async function sendInPieces(socket: Socket, text: string, draw: Draw): Promise<void> {
  const octets = Buffer.from(text, 'latin1')
  if (octets.length === 0 || !socket.writable) return
  const at = draw(4) === 0 ? draw(octets.length) : 0
  if (at > 0) {
    socket.write(octets.subarray(0, at))
    await new Promise(setImmediate)
  }
  if (socket.writable) socket.write(octets.subarray(at))
}

/** What a client does after its last request. */
async function end({ socket, reset }: Connection, ending: Ending, draw: Draw): Promise<void> {
  if (ending === 'half-close') socket.end()
  else if (ending === 'garbage') socket.write('GARBAGE\r\n\r\n')
  else if (ending === 'CONNECT') socket.write('CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n')
  else if (ending !== 'leave') {
    await delay(draw(8))
    if (ending === 'cut') socket.destroy()
    else reset()
  }
}

/** Compares what came with what was asked for, in its order. */
function judge(
  {
    planned,
    reader,
    ending,
  }: { planned: readonly Planned[]; reader: StrictReader; ending: Ending },
  { crossed, lost }: Faults,
): void {
  let isLastOne = false
  for (const [at, answer] of reader.answers.entries()) {
    const request = planned[at]
    if (isLastOne) crossed.push(`${request?.id}: an answer behind the last one`)
    if (request === undefined) {
      const isRefusal = answer.status >= 400 && (ending === 'garbage' || ending === 'CONNECT')
      if (!isRefusal) crossed.push(`${answer.status} to no request`)
    } else if (!isAnswerTo(request, answer)) {
      crossed.push(
        `${request.id}: ${answer.status} ${JSON.stringify([...answer.headers])} ${answer.body.slice(0, 200)}`,
      )
    }
    isLastOne = answer.headers.get('connection')?.toLowerCase() === 'close'
  }
  const next = planned[reader.answers.length]
  const hasLeft = ending === 'cut' || ending === 'reset'
  if (next === undefined || hasLeft || isLastOne || mayBreakOff(next)) return
  lost.push(`${next.id}: ${ending} ${JSON.stringify(next.conduct)}`)
}

function isAnswerTo({ id, conduct, expects, isKnown }: Planned, answer: StrictAnswer): boolean {
  const { status, headers, body, interim } = answer
  const isOwn =
    status === 200
      ? isKnown && body === bodyOf(id, conduct.length)
      : status === (isKnown ? 502 : 401) && body.includes(`urn:uuid:${id}`)
  return isOwn && headers.get('x-request-id') === id && interim.length <= (expects ? 1 : 0)
}

/** Whether the answer may end in the middle, and its connection with it. */
function mayBreakOff({ conduct: { cutAt, isGarbage } }: Planned): boolean {
  return cutAt !== -1 || isGarbage
}
