/** A final answer, as its octets said it. */
export interface StrictAnswer {
  readonly status: number
  /** Names in lower case; none is doubled. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** Interim answers that came before it. */
  readonly interim: readonly number[]
}

/** Reads answers off a connection, one after the other. */
export interface StrictReader {
  /** @throws on anything that RFC 9112 does not allow a server to send */
  read(octets: Buffer): void
  readonly answers: readonly StrictAnswer[]
  /** Interim answers for the answer that comes next. */
  readonly interim: readonly number[]
  /** Whether what came last is not a whole message. */
  readonly isWithin: boolean
}

/**
 * Creates our own reader: what it is to judge must not be read by the parser under test.
 *
 * @param isToHead whether the answer with this index is to a HEAD request: it has no body, whatever its fields say
 */
export function createStrictReader(
  isToHead: (index: number) => boolean = () => false,
): StrictReader {
  const answers: StrictAnswer[] = []
  let interim: number[] = []
  let pending = ''

  /** @returns whether a whole message was there */
  function take(): boolean {
    const end = pending.indexOf('\r\n\r\n')
    if (end === -1) return false
    const [statusLine = '', ...lines] = pending.slice(0, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [ -~]*$/.exec(statusLine)?.[1] ?? 0)
    if (status === 0) throw new Error(`no status line: ${JSON.stringify(statusLine.slice(0, 80))}`)
    const headers = readHeaders(lines)
    const rest = pending.slice(end + 4)
    if (status < 200) {
      if (status !== 100 || headers.size > 0) throw new Error(`interim answer: ${statusLine}`)
      interim.push(status)
      pending = rest
      return true
    }
    const body = isBodyless(status, headers) ? noBody : readBody(headers, rest)
    if (body === undefined) return false
    answers.push({ status, headers, body: body.text, interim })
    interim = []
    pending = rest.slice(body.octets)
    return true
  }

  /** RFC 9112, 6.3, and RFC 9110, 8.6: a 204 declares no body either. */
  function isBodyless(status: number, headers: ReadonlyMap<string, string>): boolean {
    if (status === 204 && (headers.has('content-length') || headers.has('transfer-encoding'))) {
      throw new Error('a 204 that declares a body')
    }
    return status === 204 || status === 304 || isToHead(answers.length)
  }

  return {
    answers,
    get interim() {
      return interim
    },
    get isWithin() {
      return pending !== ''
    },
    read(octets) {
      pending += octets.toString('latin1')
      while (take());
    },
  }
}

const noBody = { text: '', octets: 0 }

function readHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([!-~](?:[ -~]*[!-~])?|)$/.exec(line)
    if (field === null) throw new Error(`no field line: ${JSON.stringify(line.slice(0, 80))}`)
    const name = (field[1] ?? '').toLowerCase()
    if (headers.has(name)) throw new Error(`doubled field: ${name}`)
    headers.set(name, field[2] ?? '')
  }
  return headers
}

/** The body and the octets it takes; undefined while it is not all there. */
function readBody(
  headers: ReadonlyMap<string, string>,
  octets: string,
): { text: string; octets: number } | undefined {
  const coding = headers.get('transfer-encoding')
  const length = headers.get('content-length')
  if (coding === undefined && length !== undefined && /^\d+$/.test(length)) {
    const end = Number(length)
    return octets.length < end ? undefined : { text: octets.slice(0, end), octets: end }
  }
  if (coding !== 'chunked' || length !== undefined) throw new Error('no framing, or two')
  let text = ''
  for (let at = 0; ; ) {
    const lineEnd = octets.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const line = octets.slice(at, lineEnd)
    if (!/^[0-9a-f]{1,6}$/.test(line))
      throw new Error(`no chunk: ${JSON.stringify(line.slice(0, 80))}`)
    const start = lineEnd + 2
    const end = start + Number.parseInt(line, 16)
    if (octets.length < end + 2) return undefined
    if (octets.slice(end, end + 2) !== '\r\n') throw new Error('a chunk without its end')
    if (end === start) return { text, octets: end + 2 }
    text += octets.slice(start, end)
    at = end + 2
  }
}
