import { EventEmitter } from 'node:events'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { token } from '../header-values.ts'
import { OctetWriter } from '../octet-writer.ts'

// RFC 9110, 5.5: no control character but the tab.
const invalidInValue = /[^\t\x20-\x7e\x80-\xff]/

const lineEnd = Buffer.from('\r\n')

/** Lengths of the names that mean something here: most names need not be folded. */
const notedLengths: ReadonlySet<number> = new Set(
  ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'].map(
    ({ length }) => length,
  ),
)

/** All responses are built here. */
const writer = new OctetWriter()

/** The current second as the field `Date` says it. */
let date = { second: 0, text: '' }

/** The last status line: most responses have the same. */
let written = { status: 0, line: '' }

function statusLine(status: number): string {
  if (written.status !== status) {
    written = { status, line: `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n` }
  }
  return written.line
}

function dateText(): string {
  const now = Date.now()
  const second = Math.floor(now / 1_000)
  if (date.second !== second) date = { second, text: new Date(now).toUTCString() }
  return date.text
}

/** The connection of a response. */
export interface ResponseOwner {
  readonly socket: Socket
  /** The header lines that say how long it stays open without a call. */
  readonly keepAliveLines: string
  /** The system has taken the whole response. */
  sent(): void
}

/**
 * The response to a plain request: what a gateway uses of Node's
 * `ServerResponse`, with the same octets on the wire and the same events.
 */
export class PlainResponse extends EventEmitter {
  statusCode = 200
  shouldKeepAlive = true
  headersSent = false
  writableFinished = false
  closed = false
  destroyed = false
  readonly #owner: ResponseOwner
  /** Until they are written. */
  #fields: readonly string[] | undefined = undefined
  #hasDate = false
  #isChunked = false
  #isEnded = false

  constructor(owner: ResponseOwner) {
    super()
    this.#owner = owner
  }

  /** Null once the response has ended. */
  get socket(): Socket | null {
    return this.closed ? null : this.#owner.socket
  }

  /** The part of the request that Node's responses have. */
  get req(): { readonly socket: Socket } {
    return this.#owner
  }

  /**
   * @param fields alternating names and values
   * @throws for a field that no message can have, or that only the connection decides
   */
  writeHead(status: number, fields: readonly string[]): this {
    this.statusCode = status
    this.#isChunked = this.#mayHaveBody
    this.#hasDate = false
    for (let at = 0; at < fields.length; at += 2) this.#judge(fields[at], fields[at + 1])
    this.#fields = fields
    this.headersSent = true
    return this
  }

  #judge(name: string | undefined, value: string | undefined): void {
    const isText = typeof name === 'string' && typeof value === 'string'
    if (!isText || !token.test(name) || invalidInValue.test(value)) {
      throw new TypeError(`no response can have this field: ${JSON.stringify(name)}`)
    }
    switch (notedLengths.has(name.length) ? name.toLowerCase() : '') {
      case 'date':
        this.#hasDate = true
        break
      case 'content-length':
        this.#isChunked = false
        break
      case 'connection':
      case 'keep-alive':
      case 'transfer-encoding':
        throw new TypeError(`the connection decides about ${name}`)
      default:
    }
  }

  /** What is written in one turn leaves together. */
  write(octets: Buffer): boolean {
    const { socket } = this.#owner
    if (socket.writableCorked === 0) {
      socket.cork()
      process.nextTick(uncork, socket)
    }
    writer.begin()
    this.#head()
    // An empty chunk would be the last one.
    const isBody = octets.length > 0 && this.#mayHaveBody
    if (isBody && this.#isChunked) writer.text(chunkSize(octets))
    let hasRoom = writer.length === 0 || writer.writeTo(socket)
    if (isBody) hasRoom = socket.write(octets)
    if (isBody && this.#isChunked) hasRoom = socket.write(lineEnd)
    return hasRoom
  }

  /**
   * Has no effect if the response has ended.
   *
   * @param body one character per octet if the encoding is `latin1`; octets are copied
   */
  end(body: string | Buffer = '', encoding: BufferEncoding = 'utf8'): this {
    if (this.#isEnded) return this
    this.#isEnded = true
    writer.begin()
    this.#head()
    if (body.length > 0 && this.#mayHaveBody) {
      if (typeof body !== 'string') this.#chunk(body)
      else if (encoding === 'latin1' && !this.#isChunked) writer.text(body)
      else this.#chunk(Buffer.from(body, encoding))
    }
    if (this.#isChunked) writer.text('0\r\n\r\n')
    writer.writeTo(this.#owner.socket, this.#sent)
    return this
  }

  destroy(): this {
    this.#owner.socket.destroy()
    this.cut()
    return this
  }

  /** The connection has ended. */
  cut(): void {
    this.destroyed = true
    this.#close()
  }

  get #mayHaveBody(): boolean {
    return this.statusCode !== 204 && this.statusCode !== 304
  }

  #head(): void {
    const fields = this.#fields
    if (fields === undefined) {
      if (!this.headersSent) throw new Error('a response begins with its head')
      return
    }
    this.#fields = undefined
    writer.text(statusLine(this.statusCode))
    for (let at = 0; at < fields.length; at += 2)
      writer.field(fields[at] ?? '', fields[at + 1] ?? '')
    if (!this.#hasDate) writer.field('Date', dateText())
    writer.text(this.shouldKeepAlive ? this.#owner.keepAliveLines : 'Connection: close\r\n')
    if (this.#isChunked) writer.field('Transfer-Encoding', 'chunked')
    writer.text('\r\n')
  }

  #chunk(octets: Buffer): void {
    if (this.#isChunked) writer.text(chunkSize(octets))
    writer.octets(octets)
    if (this.#isChunked) writer.text('\r\n')
  }

  readonly #sent = (error?: Error | null): void => {
    // Without the connection, `cut` ends it.
    if (error != null || this.closed) return
    this.writableFinished = true
    this.emit('finish')
    this.#close()
    this.#owner.sent()
  }

  #close(): void {
    if (this.closed) return
    this.closed = true
    this.emit('close')
  }
}

/** RFC 9112, 7.1. */
function chunkSize({ length }: Buffer): string {
  return `${length.toString(16)}\r\n`
}

function uncork(socket: Socket): void {
  socket.uncork()
}
