import type { Socket } from 'node:net'

/** Octets for which there is room at first. Header blocks of ordinary messages take a tenth. */
const roomMin = 16_384
/** Length from which Node's own copy of a text is faster than a loop. */
const longMin = 24

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
    else for (let at = 0; at < length; at += 1) buffer[begin + at] = part.charCodeAt(at)
    this.#length = end
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
   * Sends the message on a socket without TLS: that would keep it until it has encrypted it.
   *
   * @param taken called when the system has taken it
   * @returns whether the socket has room for more
   */
  writeTo(socket: Socket, taken?: (error?: Error | null) => void): boolean {
    const mayGoOn = socket.write(this.#buffer.subarray(0, this.#length), taken)
    // The system did not take it at once, so the socket still needs the memory.
    if (socket.writableLength > 0) this.#buffer = Buffer.allocUnsafeSlow(roomMin)
    return mayGoOn
  }

  /** The message, in memory of its own. */
  take(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#length))
  }

  #grow(octets: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(octets, 2 * this.#buffer.length))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}
