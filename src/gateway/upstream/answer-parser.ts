import { RecurringNames } from '../../platform/http/recurring-names.ts'
import { type Llhttp, loadLlhttp, responseType } from './llhttp.ts'
import { UpstreamError } from './upstream-error.ts'

/** Receives the parts of a response as the parser reads them. */
export interface AnswerReader {
  /**
   * Called for each header block; interim responses (1xx) come before the final
   * one.
   *
   * @param fields alternating names and values, one character per octet
   */
  onHead(status: number, fields: readonly string[]): void
  /** @param octets valid until this returns */
  onBody(octets: Buffer): void
}

/** Reads the responses on one connection, one after the other. */
export interface AnswerParser {
  /** Call when a request is sent: the next message is its response. */
  expect(): void
  /**
   * Parses received octets and calls the reader.
   *
   * @throws {UpstreamError} ANSWER_INVALID; the connection can no longer be
   * used
   */
  read(octets: Buffer): void
  /** Call when the connection ends: completes a response that lasts until then. @throws {UpstreamError} ANSWER_CUT */
  finish(): void
  /** Whether the expected response is complete. */
  readonly isComplete: boolean
  /** Whether another request can follow on the connection. Meaningful once the response is complete. */
  readonly keepsAlive: boolean
  /** Frees the parser's memory. Call once, never during a read. */
  free(): void
}

/** Maximum octets of a header block, as in Node's own client. */
const headBytesMax = 16_384

/** Maximum octets of one read, parsed in one go. */
export const readBytesMax = 65_536

/** The first characters of every response. */
const protocol = 'HTTP/'
const cr = 0x0d
const lf = 0x0a

/** Return value with which a callback stops the parser. */
const stop = -1
const noBodyFollows = 1

/** The parser that runs now. One at a time is enough, because reading is synchronous. */
let running: Parser | undefined
/**
 * Positions of the names and values of which it has made no texts yet: offset in the chunk, length, and 1 for part of a
 * name. The first {@link spansLength} are valid; the rest is room for later heads. A list for each head took 1.1 KB.
 */
const spans: number[] = []
let spansLength = 0

/** The parser's memory for input, allocated with the first pool. */
let loaded: { readonly llhttp: Llhttp; readonly area: number; view: Uint8Array } | undefined

function load() {
  if (loaded !== undefined) return loaded
  const llhttp = loadLlhttp({
    messageBegan: () => running?.messageBegan() ?? stop,
    reason: (at, length) => running?.reason(at, length) ?? stop,
    fieldName: (at, length) => running?.field(at, length, true) ?? stop,
    fieldValue: (at, length) => running?.field(at, length, false) ?? stop,
    headEnded: (status, isUpgrade, keepsAlive) =>
      running?.headEnded(status, isUpgrade, keepsAlive) ?? stop,
    body: (at, length) => running?.body(at, length) ?? stop,
    messageEnded: () => running?.messageEnded() ?? stop,
  })
  const area = llhttp.malloc(readBytesMax)
  loaded = { llhttp, area, view: new Uint8Array(llhttp.memory.buffer, area, readBytesMax) }
  return loaded
}

/** Compiles the parser at startup, so that a failure does not wait for the first call. */
export function prepareAnswerParser(): void {
  load()
}

/** Creates the parser for one connection. */
export function createAnswerParser(reader: AnswerReader): AnswerParser {
  return new Parser(reader)
}

/**
 * States: complete ── expect ──▶ expected ── final head ──▶ body ── end ──▶
 * complete. A message that begins in a state other than expected answers no
 * request.
 */
class Parser implements AnswerParser {
  readonly #reader: AnswerReader
  readonly #shared = load()
  readonly #pointer: number
  #state: 'expected' | 'body' | 'complete' = 'complete'
  #keepsAlive = false
  #chunk: Buffer = Buffer.alloc(0)
  #status = 0
  readonly #names = new RecurringNames()
  #fields: string[] = []
  #isValueLast = true
  #headBytes = 0
  /** The first octets since the parser began to expect a response, up to the length of `protocol`. */
  #lead = ''
  /** The last octet of the previous chunk. */
  #lastOctet = 0

  constructor(reader: AnswerReader) {
    this.#reader = reader
    this.#pointer = this.#shared.llhttp.llhttp_alloc(responseType)
  }

  get isComplete(): boolean {
    return this.#state === 'complete'
  }

  get keepsAlive(): boolean {
    return this.#keepsAlive
  }

  expect(): void {
    this.#state = 'expected'
    this.#keepsAlive = false
    this.#lead = ''
  }

  read(octets: Buffer): void {
    const { llhttp, area } = this.#shared
    // When the memory has grown, its old view is detached.
    if (this.#shared.view.length === 0) {
      this.#shared.view = new Uint8Array(llhttp.memory.buffer, area, readBytesMax)
    }
    this.#shared.view.set(octets)
    this.#chunk = octets
    if (this.#lead.length < protocol.length) this.#readLead(octets)
    running = this
    spansLength = 0
    let fault: number
    try {
      fault = llhttp.llhttp_execute(this.#pointer, area, octets.length)
    } finally {
      running = undefined
    }
    if (fault !== 0) throw new UpstreamError('ANSWER_INVALID', this.#reason())
    this.#keepSpans()
    this.#lastOctet = octets.at(-1) ?? this.#lastOctet
  }

  finish(): void {
    running = this
    let fault: number
    try {
      fault = this.#shared.llhttp.llhttp_finish(this.#pointer)
    } finally {
      running = undefined
    }
    if (fault !== 0 || !this.isComplete) {
      throw new UpstreamError('ANSWER_CUT', 'the connection ended before the answer did')
    }
  }

  free(): void {
    this.#shared.llhttp.llhttp_free(this.#pointer)
  }

  /** The error llhttp reports, a text in its memory. */
  #reason(): string {
    const { llhttp } = this.#shared
    const at = llhttp.llhttp_get_error_reason(this.#pointer)
    const text = Buffer.from(llhttp.memory.buffer, at)
    return at === 0 ? 'no answer' : text.toString('latin1', 0, text.indexOf(0))
  }

  messageBegan(): number {
    if (this.#state !== 'expected') return stop
    this.#fields = []
    this.#names.begin()
    this.#isValueLast = true
    this.#headBytes = 0
    return 0
  }

  reason(at: number, length: number): number {
    const start = at - this.#shared.area
    return hasControl(this.#chunk, start, start + length) ? stop : 0
  }

  field(at: number, length: number, isName: boolean): number {
    // Trailer fields after a chunked body; the gateway drops them.
    if (this.#state !== 'expected') return 0
    // llhttp accepts any octet in place of the LF after the status line.
    if (this.#headBytes === 0 && this.#octetBefore(at - this.#shared.area) !== lf) return stop
    this.#headBytes += length
    if (this.#headBytes > headBytesMax) return stop
    spans[spansLength] = at - this.#shared.area
    spans[spansLength + 1] = length
    spans[spansLength + 2] = isName ? 1 : 0
    spansLength += 3
    return 0
  }

  headEnded(status: number, isUpgrade: boolean, keepsAlive: boolean): number {
    if (isUpgrade || status === 101 || status < 100 || !this.#isHttp1()) return stop
    this.#keepSpans()
    trimValues(this.#fields)
    if (status >= 200) {
      this.#state = 'body'
      this.#keepsAlive = keepsAlive
    }
    this.#status = status
    this.#reader.onHead(status, this.#fields)
    // RFC 9112, 6.3: an interim response has no body, whatever it declares.
    return status < 200 ? noBodyFollows : 0
  }

  body(at: number, length: number): number {
    const start = at - this.#shared.area
    this.#reader.onBody(this.#chunk.subarray(start, start + length))
    return 0
  }

  messageEnded(): number {
    if (this.#status >= 200) this.#state = 'complete'
    return 0
  }

  /** llhttp also accepts RTSP and ICE. @throws {UpstreamError} */
  #readLead(octets: Buffer): void {
    let start = 0
    // RFC 9112, 2.2: empty lines before a message are skipped.
    while (this.#lead === '' && (octets[start] === cr || octets[start] === lf)) start += 1
    const room = protocol.length - this.#lead.length
    this.#lead += octets.toString('latin1', start, start + room)
    if (!protocol.startsWith(this.#lead)) {
      throw new UpstreamError('ANSWER_INVALID', 'the answer is not one of HTTP')
    }
  }

  /** llhttp also accepts HTTP versions 0.9 and 2.0. */
  #isHttp1(): boolean {
    const { llhttp } = this.#shared
    const minor = llhttp.llhttp_get_http_minor(this.#pointer)
    return llhttp.llhttp_get_http_major(this.#pointer) === 1 && (minor === 0 || minor === 1)
  }

  #octetBefore(at: number): number | undefined {
    return at === 0 ? this.#lastOctet : this.#chunk[at - 1]
  }

  /** Turns the recorded spans into strings before their chunk is reused. One decoded string is cut into pieces. */
  #keepSpans(): void {
    if (spansLength === 0) return
    const first = spans[0] ?? 0
    const last = spansLength - 3
    const text = this.#chunk.toString('latin1', first, (spans[last] ?? 0) + (spans[last + 1] ?? 0))
    for (let at = 0; at < spansLength; at += 3) {
      const start = (spans[at] ?? 0) - first
      const end = start + (spans[at + 1] ?? 0)
      const isName = spans[at + 2] === 1
      this.#addPart(isName ? this.#names.take(text, start, end) : text.slice(start, end), isName)
    }
    spansLength = 0
  }

  /** A name or value arrives in parts when a chunk ends inside it. */
  #addPart(part: string, isName: boolean): void {
    if (isName === this.#isValueLast) this.#fields.push(part)
    else this.#fields[this.#fields.length - 1] += part
    this.#isValueLast = !isName
  }
}

/**
 * Removes trailing whitespace, which is not part of a value (RFC 9112, 5).
 * llhttp keeps it, because a value can arrive in parts.
 */
function trimValues(fields: string[]): void {
  for (let at = 1; at < fields.length; at += 2) {
    const value = fields[at] ?? ''
    let end = value.length
    while (isBlank(value.charCodeAt(end - 1))) end -= 1
    if (end < value.length) fields[at] = value.slice(0, end)
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** RFC 9112, 4: a reason phrase contains no control characters except HTAB. */
function hasControl(octets: Buffer, begin: number, end: number): boolean {
  for (let at = begin; at < end; at += 1) {
    const octet = octets[at] ?? 0
    if ((octet < 0x20 && octet !== 0x09) || octet === 0x7f) return true
  }
  return false
}
