import type { Refusal } from '../../../platform/http/problem.ts'

/** Smallest chunk that is kept as it came. */
const keptBytesMin = 4_096

/**
 * The octets of a request body, without copies: chunks from Node are kept as
 * they came, because each already has memory of its own. Only small chunks are
 * gathered, so that a body of many costs no more memory than its octets. Copying
 * every body into one buffer doubled the time of an upload
 * (docs/evidence/performance.md).
 */
export class BodyPieces {
  /** Octets so far. */
  length = 0
  readonly #bytesMax: number
  readonly #reserve: (bytes: number) => Refusal | undefined
  readonly #pieces: Buffer[] = []
  /** Gathers small chunks; the last piece. */
  #gathered: Buffer | undefined = undefined
  #gatheredLength = 0

  /**
   * @param bytesMax maximum octets of the body
   * @param reserve asked before memory is taken, and may refuse it
   */
  constructor(bytesMax: number, reserve: (bytes: number) => Refusal | undefined) {
    this.#bytesMax = bytesMax
    this.#reserve = reserve
  }

  /** @returns the refusal if there is no memory for the chunk */
  add(chunk: Buffer): Refusal | undefined {
    const gathered = this.#gathered
    if (gathered !== undefined && chunk.length <= gathered.length - this.#gatheredLength) {
      this.#gather(gathered, chunk)
      return undefined
    }
    const isKept = chunk.length >= keptBytesMin
    const bytes = isKept ? chunk.length : this.#room(chunk)
    const refusal = this.#reserve(bytes)
    if (refusal !== undefined) return refusal
    this.#closeGathered()
    if (isKept) {
      this.#pieces.push(chunk)
      this.length += chunk.length
    } else {
      this.#gathered = Buffer.allocUnsafe(bytes)
      this.#gather(this.#gathered, chunk)
    }
    return undefined
  }

  /** The pieces, in order; nothing can be added afterwards. */
  end(): readonly Buffer[] {
    this.#closeGathered()
    return this.#pieces
  }

  /** Room for this chunk and as many octets as came before it, so that many small chunks need few buffers. */
  #room(chunk: Buffer): number {
    const rest = Math.max(chunk.length, this.#bytesMax - this.length)
    return Math.min(rest, Math.max(keptBytesMin, this.length))
  }

  #gather(into: Buffer, chunk: Buffer): void {
    chunk.copy(into, this.#gatheredLength)
    this.#gatheredLength += chunk.length
    this.length += chunk.length
  }

  #closeGathered(): void {
    if (this.#gathered === undefined) return
    this.#pieces.push(this.#gathered.subarray(0, this.#gatheredLength))
    this.#gathered = undefined
    this.#gatheredLength = 0
  }
}

/** The length of a body; 0 of none. */
export function octetsOf(body: readonly Buffer[] | undefined): number {
  if (body === undefined) return 0
  return body.reduce((sum, piece) => sum + piece.length, 0)
}
