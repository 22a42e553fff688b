import type { Refusal } from '../../../platform/problem.ts'
import type { Roster, RosterMember } from '../../../platform/roster.ts'
import type { EntitledCall } from '../call.ts'
import { bodyBytesMax, bodyTooLarge } from './body-limit.ts'
import type { UploadMemory } from './upload-memory.ts'

/** Time limit for the body after its head. With 10 seconds for the head, a request has 30. */
const uploadMsMax = 20_000
/** Seconds by which an upload may be behind its minimum rate. */
const secondsBehindMax = 10
const firstBytes = 4_096
const nothing = Buffer.alloc(0)
const stopping: Refusal = {
  code: 'OVERLOADED',
  detail: 'This process is stopping, and the body did not arrive in time. Send the call again.',
  headers: { 'retry-after': '1' },
}

/** Receives the body or a refusal; undefined if the client disconnected. */
export type Receive = (outcome: Buffer | Refusal | undefined) => void

/** What the uploads of one gateway share. */
export interface UploadOptions {
  readonly memory: UploadMemory
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
  readonly #options: UploadOptions
  readonly #done: Receive
  readonly #lengthMax: number
  #bytes: Buffer = nothing
  #length = 0
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
    const { request, response, fields } = call
    this.#lengthMax = Number(fields.contentLength ?? bodyBytesMax)
    this.#askedAt = options.monotonic()
    this.#watchedAt = this.#askedAt
    options.underway.add(this)
    call.holds(this.#giveBack)
    request.on('data', this.#take).on('end', this.#complete)
    // RFC 9110, 10.1.1: an HTTP/1.0 client does not understand interim responses.
    if (fields.expect === undefined || request.httpVersion !== '1.1') return
    if (response.socket !== null) response.writeContinue()
    else {
      // In a pipeline, 100 Continue would be written into the response to an earlier request.
      this.#isAsked = false
      response.once('socket', this.#ask)
    }
  }

  /** Refuses the upload because the process stops: the call could outlast it. */
  stop(): void {
    // What the client still sends is no call that the gateway could answer.
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
    if (this.place !== -1 && this.#length === 0) this.#call.response.writeContinue()
  }

  readonly #take = (chunk: Buffer): void => {
    const length = this.#length + chunk.length
    const refusal = length > bodyBytesMax ? bodyTooLarge : this.#grow(length)
    if (refusal !== undefined) {
      this.#end(refusal)
      return
    }
    chunk.copy(this.#bytes, this.#length)
    this.#length = length
    this.#recent += chunk.length
  }

  /** Reserves room for this number of octets: one buffer, however small the chunks are. */
  #grow(length: number): Refusal | undefined {
    const before = this.#bytes.length
    if (length <= before) return undefined
    const after = Math.min(this.#lengthMax, Math.max(length, 2 * before, firstBytes))
    const refusal = this.#options.memory.take(this.#call.caller, after - before)
    if (refusal !== undefined) return refusal
    const grown = Buffer.allocUnsafe(after)
    this.#bytes.copy(grown)
    this.#bytes = grown
    return undefined
  }

  readonly #complete = (): void => {
    this.#end(this.#bytes.subarray(0, this.#length))
  }

  /** Has no effect if the upload has ended. */
  #end(outcome: Buffer | Refusal | undefined): void {
    if (this.place === -1) return
    this.#options.underway.delete(this)
    // Discards the rest of the body.
    this.#call.request.off('data', this.#take).off('end', this.#complete)
    this.#done(outcome)
  }

  readonly #giveBack = (): void => {
    this.#options.memory.give(this.#call.caller, this.#bytes.length)
    this.#bytes = nothing
    this.#end(undefined)
  }
}
