// A program: calls a target at a constant rate, whether or not earlier calls were answered, and prints how long each took.
// Arguments: URL, file of requests (`workload.ts`), index of the first, calls a second, seconds, and seconds before them
// that do not count. A process of its own, with few objects a call and room for all of them, because a collection of the
// load would be in the tail that it measures.
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

const [url = '', list = '', begin = '0', rate = '0', seconds = '0', warm = '0'] =
  process.argv.slice(2)
const { hostname, port } = new URL(url)
const unmeasured = Number(rate) * Number(warm)
const total = unmeasured + Number(rate) * Number(seconds)
/** After which a call gets no answer any more. */
const patienceMs = 10_000
const requests = readRequests(readFileSync(list), Number(begin), total)
/** In the order of the calls. */
const milliseconds = new Float64Array(total)
const idle: Connection[] = []
const open = new Set<Connection>()
let made = 0
let answered = 0

class Connection {
  readonly #socket: Socket
  readonly #buffer = Buffer.allocUnsafeSlow(16_384)
  #call = 0
  #beganAt = 0
  /** Octets of the answer that are still missing; undefined until its head has come; 0 between calls. */
  #missing: number | undefined = 0
  #isLast = false

  constructor() {
    const onread = { buffer: this.#buffer, callback: (length: number) => this.#read(length) }
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true, onread })
    this.#socket.on('error', (error) => fail(error.message))
    this.#socket.on('close', () => {
      const at = idle.indexOf(this)
      if (at !== -1) idle.splice(at, 1)
      else if (this.#missing !== 0) fail('closed a connection before its answer')
      open.delete(this)
    })
  }

  call(call: number, at: number): void {
    this.#call = call
    this.#beganAt = at
    this.#missing = undefined
    this.#socket.write(requests[call] ?? Buffer.alloc(0))
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(length: number): boolean {
    this.#missing = (this.#missing ?? this.#lengthOf(length)) - length
    if (this.#missing < 0) fail('sent more than an answer')
    if (this.#missing > 0) return true
    milliseconds[this.#call] = performance.now() - this.#beganAt
    answered += 1
    if (!this.#isLast) idle.push(this)
    if (answered === total) end()
    return true
  }

  /** Octets of the answer; its head must be here as a whole. */
  #lengthOf(length: number): number {
    const text = this.#buffer.toString('latin1', 0, length)
    const headEnd = text.indexOf('\r\n\r\n')
    const body = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
    if (headEnd === -1 || !text.startsWith('200', 9) || body === undefined) {
      fail(`did not send a whole head of 200 with a length, but: ${text}`)
    }
    this.#isLast = /\r\nconnection: *close/i.test(text)
    return headEnd + 4 + Number(body)
  }
}

function readRequests(file: Buffer, first: number, count: number): Buffer[] {
  const all: Buffer[] = []
  for (let at = 0; at < file.length; ) {
    const lineEnd = file.indexOf('\n', at)
    const length = Number(file.toString('latin1', at, lineEnd))
    at = lineEnd + 1 + length
    all.push(file.subarray(lineEnd + 1, at))
  }
  return Array.from({ length: count }, (_, at) => all[(first + at) % all.length] ?? Buffer.alloc(0))
}

function connection(): Connection {
  const known = idle.pop()
  if (known !== undefined) return known
  const opened = new Connection()
  open.add(opened)
  return opened
}

function fail(what: string): never {
  process.stderr.write(`${url}: ${what}\n`)
  process.exit(1)
}

function end(): void {
  clearTimeout(patience)
  process.stdout.write(JSON.stringify([...milliseconds.subarray(unmeasured)]))
  for (const each of open) each.close()
}

// What reading the requests left over.
globalThis.gc?.()
const beganAt = performance.now()
const patience = setTimeout(
  () => fail('left calls without an answer'),
  (total / Number(rate)) * 1_000 + patienceMs,
)
const timer = setInterval(() => {
  // A call takes from the turn of the event loop in which it is due until its answer is complete.
  const now = performance.now()
  const due = Math.min(total, Math.floor(((now - beganAt) * Number(rate)) / 1_000))
  for (; made < due; made += 1) connection().call(made, now)
  if (made === total) clearInterval(timer)
}, 1)
