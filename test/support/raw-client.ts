import { connect } from 'node:net'

/** An answer as its bytes said it. */
export interface RawAnswer {
  readonly status: number
  /** Names in lower case; doubled fields joined with ", ". */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** All bytes, for searching what must not be there. */
  readonly text: string
  /** Whether the server ended the connection by itself. */
  readonly isClosed: boolean
}

export interface RawOptions {
  /** How many final answers the bytes ask for; by default 1; Infinity for all until the server ends the connection. */
  readonly answers?: number
}

/** A server that is not done by then hangs. */
const deadlineMs = 60_000

/**
 * Sends bytes as they are and reads whole answers, by their framing (RFC 9112,
 * section 6.3). If the last one announces the end of the connection, it also
 * waits for that, so that whatever else the server sends is in `text`.
 *
 * @throws when the server neither answers nor ends the connection, with what it sent
 */
export function sendRaw(
  url: string,
  bytes: string | Buffer,
  { answers = 1 }: RawOptions = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const isToHead = bytes.toString('latin1').startsWith('HEAD ')
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    let readTo = 0
    let left = answers
    const deadline = setTimeout(() => {
      socket.destroy()
      const missing = `${left} of ${answers} answers and no end of the connection`
      reject(new Error(`${missing} in ${deadlineMs} ms, but ${JSON.stringify(text)}`))
    }, deadlineMs)
    function finish(isClosed: boolean): void {
      clearTimeout(deadline)
      socket.destroy()
      resolve(parseAnswer(text, isClosed))
    }
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      while (left > 0) {
        const answer = answerAt(text, readTo, isToHead)
        if (answer === undefined) return
        if (!answer.isInterim) left -= 1
        readTo = answer.end
        // Now the server ends the connection, however many answers are missing.
        if (answer.isLast) return
      }
      finish(false)
    })
    socket.on('end', () => finish(true))
    socket.on('error', (error) => {
      if (text !== '') finish(true)
      else {
        clearTimeout(deadline)
        reject(error)
      }
    })
  })
}

interface FramedAnswer {
  /** Offset of what follows it. */
  readonly end: number
  /** Another answer to the same request follows. */
  readonly isInterim: boolean
  /** The server ends the connection after it. */
  readonly isLast: boolean
}

/** @returns undefined as long as it is not complete; one that lasts until the end of the connection never is */
function answerAt(text: string, from: number, isToHead: boolean): FramedAnswer | undefined {
  const bodyAt = text.indexOf('\r\n\r\n', from) + 4
  if (bodyAt < 4) return undefined
  const head = text.slice(from, bodyAt)
  const status = Number(head.split(' ')[1])
  const isInterim = status < 200 && status !== 101
  const isLast = /^connection: *close\r$/im.test(head) || head.startsWith('HTTP/1.0')
  const hasBody = !isToHead && status >= 200 && status !== 204 && status !== 304
  const end = hasBody ? bodyEnd(text, bodyAt, head) : bodyAt
  return end === undefined || end > text.length ? undefined : { end, isInterim, isLast }
}

function bodyEnd(text: string, from: number, head: string): number | undefined {
  const [, length] = /^content-length: *(\d+)\r$/im.exec(head) ?? []
  if (length !== undefined) return from + Number(length)
  if (!/^transfer-encoding: *chunked\r$/im.test(head)) return undefined
  for (let at = from; ; ) {
    const lineEnd = text.indexOf('\r\n', at)
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    // A malformed size never ends; the data is returned when the connection closes.
    if (lineEnd < 0 || Number.isNaN(size)) return undefined
    at = lineEnd + 2 + size + 2
    // The trailer section, which may be empty.
    if (size === 0) {
      const trailersEnd = text.indexOf('\r\n\r\n', lineEnd)
      return trailersEnd < 0 ? undefined : trailersEnd + 4
    }
    if (at > text.length) return undefined
  }
}

/** A request with the usual fields. `extra` are whole field lines without their end. */
export function rawRequest(requestLine: string, extra: readonly string[] = [], body = ''): string {
  return `${requestLine}\r\nHost: 127.0.0.1\r\n${extra.map((line) => `${line}\r\n`).join('')}\r\n${body}`
}

function parseAnswer(text: string, isClosed: boolean): RawAnswer {
  const end = text.indexOf('\r\n\r\n')
  const head = end === -1 ? text : text.slice(0, end)
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    const known = headers.get(name)
    headers.set(name, known === undefined ? value : `${known}, ${value}`)
  }
  return {
    status: Number(statusLine.split(' ')[1] ?? '0'),
    headers,
    body: end === -1 ? '' : text.slice(end + 4),
    text,
    isClosed,
  }
}
