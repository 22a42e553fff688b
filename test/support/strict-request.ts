/** One request as its octets say it (RFC 9112). */
export interface StrictRequest {
  readonly method: string
  readonly target: string
  readonly version: '1.0' | '1.1'
  /** Names in lower case; values of doubled fields in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly body: string
}

/** The octets are no request that every reader would read alike. */
export class NotStrict extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotStrict'
  }
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const requestLine = new RegExp(`^(${token}) ([!-~]+) HTTP/(1\\.[01])$`)
const fieldLine = new RegExp(
  `^(${token}):[ \\t]*((?:[!-~\\x80-\\xff](?:[\\t -~\\x80-\\xff]*[!-~\\x80-\\xff])?)?)[ \\t]*$`,
)
const hostValue = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=%]+|\[[0-9A-Fa-f:.]+\])(?::\d*)?$/
const chunkLine = new RegExp(
  `^([0-9A-Fa-f]{1,8})((?:[ \\t]*;[ \\t]*${token}(?:=(?:${token}|"[^"\\\\\\x00-\\x08\\n-\\x1f\\x7f]*"))?)*)$`,
)

/**
 * Reads the first request of some octets (one character each), as strictly as
 * RFC 9112 allows: what it does not take, some reader may read in another way.
 *
 * It shares no code with what it judges.
 *
 * @returns the request and what follows it; undefined while it is not whole
 * @throws {NotStrict}
 */
export function readStrictRequest(
  octets: string,
): { readonly request: StrictRequest; readonly rest: string } | undefined {
  const end = octets.indexOf('\r\n\r\n')
  const head = end === -1 ? octets : octets.slice(0, end)
  if (/[^\r]\n|^\n|\r[^\n]/.test(head)) throw new NotStrict('a line that does not end in CR LF')
  if (end === -1) return undefined
  const [first = '', ...lines] = head.split('\r\n')
  const [, method = '', target = '', version] = requestLine.exec(first) ?? []
  if (version !== '1.0' && version !== '1.1')
    throw new NotStrict(`no request line: ${shown(first)}`)
  const headers = readFields(lines)
  const hosts = headers.get('host') ?? []
  if (hosts.length !== 1 || !hostValue.test(hosts[0] ?? '')) throw new NotStrict('not one Host')
  const after = octets.slice(end + 4)
  const body = readBody(headers, version, after)
  if (body === undefined) return undefined
  const request: StrictRequest = { method, target, version, headers, body: body.text }
  return { request, rest: after.slice(body.octets) }
}

function readFields(lines: readonly string[]): Map<string, string[]> {
  const fields = new Map<string, string[]>()
  for (const line of lines) {
    const [, name, value = ''] = fieldLine.exec(line) ?? []
    if (name === undefined) throw new NotStrict(`no field line: ${shown(line)}`)
    const folded = name.toLowerCase()
    fields.set(folded, [...(fields.get(folded) ?? []), value])
  }
  return fields
}

/** A body, and how many octets it takes with its framing. */
interface ReadBody {
  readonly text: string
  readonly octets: number
}

/** @returns undefined while it is not whole */
function readBody(
  headers: ReadonlyMap<string, readonly string[]>,
  version: StrictRequest['version'],
  octets: string,
): ReadBody | undefined {
  const lengths = headers.get('content-length')
  const codings = headers.get('transfer-encoding')
  if (codings !== undefined) {
    if (lengths !== undefined) throw new NotStrict('two length mechanisms')
    if (version === '1.0') throw new NotStrict('a transfer coding in HTTP/1.0')
    if (codings.length !== 1 || codings[0]?.toLowerCase() !== 'chunked') {
      throw new NotStrict(`transfer coding: ${shown(codings.join(', '))}`)
    }
    return readChunks(octets)
  }
  if (lengths === undefined) return { text: '', octets: 0 }
  if (lengths.length !== 1 || !/^(?:0|[1-9]\d{0,14})$/.test(lengths[0] ?? '')) {
    throw new NotStrict(`length: ${shown(lengths.join(', '))}`)
  }
  const length = Number(lengths[0])
  return octets.length < length ? undefined : { text: octets.slice(0, length), octets: length }
}

function readChunks(octets: string): ReadBody | undefined {
  const parts: string[] = []
  for (let at = 0; ; ) {
    const lineEnd = octets.indexOf('\n', at)
    if (lineEnd === -1) return undefined
    if (octets[lineEnd - 1] !== '\r') throw new NotStrict('a chunk line that ends in a bare LF')
    const line = octets.slice(at, lineEnd - 1)
    const size = chunkLine.exec(line)?.[1]
    if (size === undefined) throw new NotStrict(`no chunk line: ${shown(line)}`)
    const start = lineEnd + 1
    const end = start + Number.parseInt(size, 16)
    if (end === start) return readTrailer(octets, start, parts.join(''))
    if (octets.length < end + 2) return undefined
    if (octets.slice(end, end + 2) !== '\r\n') throw new NotStrict('a chunk longer than its size')
    parts.push(octets.slice(start, end))
    at = end + 2
  }
}

function readTrailer(octets: string, start: number, text: string): ReadBody | undefined {
  if (octets.startsWith('\r\n', start)) return { text, octets: start + 2 }
  const end = octets.indexOf('\r\n\r\n', start)
  if (end === -1) return undefined
  readFields(octets.slice(start, end).split('\r\n'))
  return { text, octets: end + 4 }
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}
