import type { Socket } from 'node:net'
import { isEncrypted } from './http-server.ts'

/** Octets for which there is room at first. Header blocks of ordinary messages take a tenth. */
const roomMin = 16_384
/** Length from which Node's own copy of a text is faster than a loop. */
const longMin = 24

// V8 has a dozen kinds of text, and looks a method up anew where it meets more than four: for each character of a head,
// that was 5 % of a call.
const { charCodeAt } = String.prototype

const colon = 0x3a
const space = 0x20
const cr = 0x0d
const lf = 0x0a

/**
 * Builds a message for a socket from parts. Parts that are added up as text cost
 * V8 an object each, and then two copies: into one text, and to the system.
 * Here each is copied once, into memory that the next message uses again.
 */
export class OctetWriter {
  #buffer = Buffer.allocUnsafeSlow(roomMin)
  #length = 0

  /** Begins a message, even if the last one was not sent because something threw. */
  begin(): void {
    this.#length = 0
  }

  /** @param part one octet per character */
  text(part: string): void {
    const { length } = part
    const begin = this.#length
    const end = begin + length
    if (end > this.#buffer.length) this.#grow(end)
    const buffer = this.#buffer
    if (length >= longMin) buffer.write(part, begin, 'latin1')
    else for (let at = 0; at < length; at += 1) buffer[begin + at] = charCodeAt.call(part, at)
    this.#length = end
  }

  /** A header field. */
  field(name: string, value: string): void {
    this.text(name)
    this.#two(colon, space)
    this.text(value)
    this.#two(cr, lf)
  }

  #two(first: number, second: number): void {
    const begin = this.#length
    if (begin + 2 > this.#buffer.length) this.#grow(begin + 2)
    this.#buffer[begin] = first
    this.#buffer[begin + 1] = second
    this.#length = begin + 2
  }

  octets(piece: Buffer): void {
    const end = this.#length + piece.length
    if (end > this.#buffer.length) this.#grow(end)
    piece.copy(this.#buffer, this.#length)
    this.#length = end
  }

  /** Octets of the message so far. */
  get length(): number {
    return this.#length
  }

  /**
   * Sends the message.
   *
   * @param taken called when the system has taken it
   * @returns whether the socket has room for more
   */
  writeTo(socket: Socket, taken?: (error?: Error | null) => void): boolean {
    const message = this.#buffer.subarray(0, this.#length)
    // Such a socket keeps what it gets for a while: TLS until it is encrypted.
    if (isEncrypted(socket) || socket.writableCorked > 0 || socket.writableLength > 0) {
      return socket.write(Buffer.from(message), taken)
    }
    const mayGoOn = socket.write(message, taken)
    // The system did not take it at once, so the socket still needs the memory.
    if (socket.writableLength > 0) this.#buffer = Buffer.allocUnsafeSlow(roomMin)
    return mayGoOn
  }

  #grow(octets: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(octets, 2 * this.#buffer.length))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}
