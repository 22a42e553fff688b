import { type Llhttp, loadLlhttp, responseType } from './llhttp.ts'
import { UpstreamError } from './upstream-error.ts'

/** Is told of an answer while it is read. */
export interface AnswerReader {
  /**
   * The header block of an answer has come; interim ones (1xx) come before the real one.
   *
   * @param fields name and value alternating, one character for each octet
   */
  onHead(status: number, fields: readonly string[]): void
  /** @param octets valid until this returns */
  onBody(octets: Buffer): void
}

/** Reads what comes on one connection, one answer after the other. */
export interface AnswerParser {
  /** A request is on its way: the next message is its answer. */
  expect(): void
  /**
   * Reads the octets that came and tells its reader.
   *
   * @throws {UpstreamError} ANSWER_INVALID; the connection is of no use any more
   */
  read(octets: Buffer): void
  /** The connection ended: completes an answer that lasts until then. @throws {UpstreamError} ANSWER_CUT */
  finish(): void
  /** Whether the answer that was expected has come to its end. */
  readonly isComplete: boolean
  /** Whether another request can follow on the connection; known when complete. */
  readonly keepsAlive: boolean
  /** Once, when nothing is being read. */
  free(): void
}

/** Octets a header block may have, as with Node's own client. */
const headBytesMax = 16_384

/** As much is read at once, and parsed in one go. */
export const readBytesMax = 65_536

/** What a callback answers the parser. */
const stop = -1
const noBodyFollows = 1

/** One at a time: reading is synchronous. */
let running: Parser | undefined

/** The parser's memory for what is read; made with the first pool. */
let loaded: { readonly llhttp: Llhttp; readonly area: number; view: Uint8Array } | undefined

function load() {
  if (loaded !== undefined) return loaded
  const llhttp = loadLlhttp({
    messageBegan: () => running?.messageBegan() ?? stop,
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

/** Compiles the parser: with the first call, what is wrong with it would end the process. */
export function prepareAnswerParser(): void {
  load()
}

/** Creates the parser of a connection. */
export function createAnswerParser(reader: AnswerReader): AnswerParser {
  return new Parser(reader)
}

/**
 * States: idle ── expect ──▶ expected ── final head ──▶ body ── end ──▶ complete (idle again).
 * A message that begins in any other state than expected belongs to no request.
 */
class Parser implements AnswerParser {
  readonly #reader: AnswerReader
  readonly #shared = load()
  readonly #pointer: number
  #state: 'expected' | 'body' | 'complete' = 'complete'
  #keepsAlive = false
  #chunk: Buffer = Buffer.alloc(0)
  #status = 0
  /** Names and values as they lie in the chunk: offset, length and 1 for a part of a name. */
  #spans: number[] = []
  #fields: string[] = []
  #isValueLast = true
  #headBytes = 0

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
  }

  read(octets: Buffer): void {
    const { llhttp, area } = this.#shared
    // The memory has grown, and is another one.
    if (this.#shared.view.length === 0) {
      this.#shared.view = new Uint8Array(llhttp.memory.buffer, area, readBytesMax)
    }
    this.#shared.view.set(octets)
    this.#chunk = octets
    running = this
    let fault: number
    try {
      fault = llhttp.llhttp_execute(this.#pointer, area, octets.length)
    } finally {
      running = undefined
    }
    if (fault !== 0) throw new UpstreamError('ANSWER_INVALID', this.#reason())
    this.#keepSpans()
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

  /** What llhttp says is wrong, a text in its memory. */
  #reason(): string {
    const { llhttp } = this.#shared
    const at = llhttp.llhttp_get_error_reason(this.#pointer)
    const text = Buffer.from(llhttp.memory.buffer, at)
    return at === 0 ? 'no answer' : text.toString('latin1', 0, text.indexOf(0))
  }

  messageBegan(): number {
    if (this.#state !== 'expected') return stop
    this.#spans = []
    this.#fields = []
    this.#isValueLast = true
    this.#headBytes = 0
    return 0
  }

  field(at: number, length: number, isName: boolean): number {
    // Behind a chunked body: nothing of it is passed on.
    if (this.#state !== 'expected') return 0
    this.#headBytes += length
    if (this.#headBytes > headBytesMax) return stop
    this.#spans.push(at - this.#shared.area, length, isName ? 1 : 0)
    return 0
  }

  headEnded(status: number, isUpgrade: boolean, keepsAlive: boolean): number {
    if (isUpgrade || status === 101 || status < 100) return stop
    this.#keepSpans()
    trimValues(this.#fields)
    if (status >= 200) {
      this.#state = 'body'
      this.#keepsAlive = keepsAlive
    }
    this.#status = status
    this.#reader.onHead(status, this.#fields)
    // RFC 9112, 6.3: an interim answer has none, whatever it declares.
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

  /** Makes strings of what is known of the header block, before the chunk it lies in is gone: one for all, cut into pieces. */
  #keepSpans(): void {
    const spans = this.#spans
    if (spans.length === 0) return
    const first = spans[0] ?? 0
    const text = this.#chunk.toString('latin1', first, (spans.at(-3) ?? 0) + (spans.at(-2) ?? 0))
    for (let at = 0; at < spans.length; at += 3) {
      const start = (spans[at] ?? 0) - first
      this.#addPart(text.substring(start, start + (spans[at + 1] ?? 0)), spans[at + 2] === 1)
    }
    this.#spans = []
  }

  /** A name or value can come in parts, when a chunk ends in it. */
  #addPart(part: string, isName: boolean): void {
    if (isName === this.#isValueLast) this.#fields.push(part)
    else this.#fields[this.#fields.length - 1] += part
    this.#isValueLast = !isName
  }
}

/** RFC 9112, 5: blanks behind a value are no part of it. The parser leaves them, for they could come in parts. */
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
