import type { Socket } from 'node:net'
import type { Refusal } from '../../../platform/http/problem.ts'

/** Chunks of a body that may share a read with the chunk before. Each costs the parser about 1 µs. */
const chunksMax = 2_048
/** Octets of chunk extensions in a body. Node's parser bounds only those of one chunk, at the same number. */
const extensionBytesMax = 16_384
/** Octets that every chunk may take for its size and its line ends. */
const chunkBytes = 16

const tooMuchFraming: Refusal = {
  code: 'FRAMING_INVALID',
  detail: 'The body has too many small chunks, or too many octets of chunk extensions.',
}

/**
 * Bounds what a chunked body costs beside its data. Node's parser reports only
 * the data, so this compares the data with the octets that the connection has
 * read. It cannot split a read: the read that begins the body, at most 64 KiB,
 * counts as data.
 */
export class ChunkFraming {
  readonly #socket: Pick<Socket, 'bytesRead'>
  #chunks = 0
  /** Octets that are not data in the reads before the last. */
  #extensionBytes = 0
  /** Octets of the last read that are not data. */
  #otherBytes = 0
  #bytesRead: number

  constructor(socket: Pick<Socket, 'bytesRead'>) {
    this.#socket = socket
    this.#bytesRead = socket.bytesRead
  }

  /** Counts a piece of data. @returns the refusal once the body has too much beside its data */
  add({ length }: Pick<Buffer, 'length'>): Refusal | undefined {
    const { bytesRead } = this.#socket
    if (bytesRead === this.#bytesRead) this.#chunks += 1
    else {
      // Below 0 if the chunks took less than they may, or data had waited for the checks.
      this.#extensionBytes = Math.max(0, this.#extensionBytes + this.#otherBytes)
      this.#otherBytes = bytesRead - this.#bytesRead
      this.#bytesRead = bytesRead
    }
    this.#otherBytes -= length + chunkBytes
    const isTooMuch = this.#chunks > chunksMax || this.#extensionBytes > extensionBytesMax
    return isTooMuch ? tooMuchFraming : undefined
  }
}
