import type { Refusal } from '../../../platform/http/problem.ts'
import type { Roster, RosterMember } from '../../../platform/roster.ts'
import { type CallResponse, type EntitledCall, madeByNode } from '../call.ts'
import { bodyTooLarge } from './body-limit.ts'
import { BodyPieces } from './body-pieces.ts'
import type { CallRequest } from './call-request.ts'
import { ChunkFraming } from './chunk-framing.ts'
import type { UploadMemory } from './upload-memory.ts'

/** Time limit for the body after its head. With 10 seconds for the head, a request has 30. */
const uploadMsMax = 20_000
/** Seconds by which an upload may be behind its minimum rate. */
const secondsBehindMax = 10
const stopping: Refusal = {
  code: 'OVERLOADED',
  detail: 'This process is stopping, and the body did not arrive in time. Send the call again.',
  headers: { 'retry-after': '1' },
}

/** Receives the pieces of the body or a refusal; undefined if the client disconnected. */
export type Receive = (outcome: readonly Buffer[] | Refusal | undefined) => void

/** What the uploads of one gateway share. */
export interface UploadOptions {
  readonly memory: UploadMemory
  /** Maximum octets of a body; also for one without a declared length. */
  readonly bodyBytesMax: number
  /** Minimum octets per second of an upload; it ends when it is {@link secondsBehindMax} behind. 0 for no minimum. */
  readonly bytesPerSecondMin: number
  readonly underway: Roster<Upload>
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}

/**
 * Receives the whole body of one call, unchanged. States: asked for (at once,
 * or when 100 Continue was sent) → ended, with the body or a refusal. Memory is
 * reserved for octets that arrived, never for octets that were announced.
 */
export class Upload implements RosterMember {
  place = -1
  readonly #call: EntitledCall
  readonly #request: CallRequest
  readonly #response: CallResponse
  readonly #options: UploadOptions
  readonly #done: Receive
  readonly #body: BodyPieces
  /** Undefined for a body with a declared length. */
  readonly #framing: ChunkFraming | undefined
  /** Octets of memory that are reserved for the body. */
  #reserved = 0
  #isAsked = true
  #askedAt: number
  /** Time of the last {@link watch}, and the octets since then. */
  #watchedAt: number
  #recent = 0
  /** Octets that are due. Never negative: a first burst does not pay for a silence after it. */
  #due = 0

  constructor(call: EntitledCall, options: UploadOptions, done: Receive) {
    this.#call = call
    this.#options = options
    this.#done = done
    const { request, response } = madeByNode(call)
    this.#request = request
    this.#response = response
    const { fields } = call
    this.#body = new BodyPieces(Number(fields.contentLength ?? options.bodyBytesMax), this.#reserve)
    this.#framing =
      fields.transferEncoding === undefined ? undefined : new ChunkFraming(request.socket)
    this.#askedAt = options.monotonic()
    this.#watchedAt = this.#askedAt
    options.underway.add(this)
    call.atEnd(this.#giveBack)
    request.on('data', this.#take).on('end', this.#complete)
    // From the first chunk on, not from the next turn: a read may hold thousands.
    request.read(0)
    // RFC 9110, 10.1.1: an HTTP/1.0 client does not understand interim responses.
    if (fields.expect === undefined || request.httpVersion !== '1.1') return
    if (response.socket !== null) this.#continue()
    else {
      // In a pipeline, 100 Continue would be written into the response to an earlier request.
      this.#isAsked = false
      response.once('socket', this.#ask)
    }
  }

  /** Refuses the upload because the process stops: the call could outlast it. */
  stop(): void {
    // The gateway could not answer what the client still sends.
    this.#call.response.shouldKeepAlive = false
    this.#end(stopping)
  }

  /** Ends the upload if it is too slow. Called several times a second. */
  watch(at: number): void {
    const { bytesPerSecondMin } = this.#options
    const seconds = (at - this.#watchedAt) / 1_000
    this.#watchedAt = at
    // Node pauses reading while the client has earlier responses to take.
    if (!this.#isAsked || this.#call.request.socket.isPaused()) return
    this.#due = Math.max(0, this.#due + seconds * bytesPerSecondMin - this.#recent)
    this.#recent = 0
    const isSlow = this.#due > secondsBehindMax * bytesPerSecondMin
    if (isSlow || at - this.#askedAt >= uploadMsMax) this.#end({ code: 'REQUEST_TIMEOUT' })
  }

  readonly #ask = (): void => {
    this.#isAsked = true
    this.#askedAt = this.#options.monotonic()
    // A client may send its body without waiting, so it may have arrived by now.
    if (this.place !== -1 && this.#body.length === 0) this.#continue()
  }

  #continue(): void {
    this.#call.wasBodyAskedFor = true
    this.#response.writeContinue()
  }

  readonly #take = (chunk: Buffer): void => {
    const { bodyBytesMax } = this.#options
    const isTooLarge = this.#body.length + chunk.length > bodyBytesMax
    const refusal = isTooLarge
      ? bodyTooLarge(bodyBytesMax)
      : (this.#framing?.add(chunk) ?? this.#body.add(chunk))
    if (refusal === undefined) this.#recent += chunk.length
    else this.#end(refusal)
  }

  readonly #reserve = (octets: number): Refusal | undefined => {
    const refusal = this.#options.memory.take(this.#call.caller, octets)
    if (refusal === undefined) this.#reserved += octets
    return refusal
  }

  readonly #complete = (): void => {
    this.#end(this.#body.end())
  }

  /** Has no effect if the upload has ended. */
  #end(outcome: readonly Buffer[] | Refusal | undefined): void {
    if (this.place === -1) return
    this.#options.underway.delete(this)
    this.#request.off('data', this.#take).off('end', this.#complete)
    this.#request.discard()
    this.#done(outcome)
  }

  readonly #giveBack = (): void => {
    this.#options.memory.give(this.#call.caller, this.#reserved)
    this.#reserved = 0
    this.#end(undefined)
  }
}
