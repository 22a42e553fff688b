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

/**
 * Sends bytes as they are and reads until the connection ends or nothing has
 * come for `quietMs` after an answer began.
 */
export function sendRaw(url: string, bytes: string | Buffer, quietMs = 150): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    let isClosed = false
    let timer = setTimeout(finish, 10_000)
    let last: NodeJS.Immediate | undefined
    function finish(): void {
      clearTimeout(timer)
      clearImmediate(last)
      socket.destroy()
      resolve(parseAnswer(text, isClosed))
    }
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      clearTimeout(timer)
      clearImmediate(last)
      // What came while this process stood still is read after its timers, and before this.
      timer = setTimeout(() => {
        last = setImmediate(finish)
      }, quietMs)
    })
    socket.on('end', () => {
      isClosed = true
      finish()
    })
    socket.on('error', (error) => {
      if (text === '') {
        clearTimeout(timer)
        reject(error)
      } else {
        isClosed = true
        finish()
      }
    })
  })
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
