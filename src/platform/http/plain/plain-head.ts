import type { RecurringNames } from '../recurring-names.ts'

/** A request without a body, whose header block leaves nothing to decide. */
export interface PlainHead {
  /** The request target, in origin form. */
  readonly target: string
  /** Alternating names and values. */
  readonly rawHeaders: readonly string[]
}

// RFC 9112, 3 and 5, and less: only GET, one space around the value, only printable ASCII, nothing folded.
const requestLine = /GET \/[A-Za-z0-9\-._~!$&'()*+,;=:@/?%]* HTTP\/1\.1\r\n/y
const beforeTarget = 'GET '.length
const afterTarget = ' HTTP/1.1\r\n'.length
const fieldLines =
  /(?:[A-Za-z0-9!#$%&'*+.^_`|~-]+: [\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?\r\n)+\r\n$/y

/** Fields that decide where a message ends or what its connection becomes. Their lengths differ. */
const deciding = [
  'expect',
  'upgrade',
  'connection',
  'content-length',
  'proxy-connection',
  'transfer-encoding',
]
const decidingByLength: ReadonlyMap<number, string> = new Map(
  deciding.map((name) => [name.length, name]),
)

/**
 * Reads a request that is whole, alone in its text and plain. Undefined for
 * everything else, malformed or not: Node's parser judges it. So this reads less
 * than HTTP allows, and nothing that another reader could take otherwise.
 *
 * @param text one character per octet
 * @param names of the last request on the connection
 */
export function readPlainHead(text: string, names: RecurringNames): PlainHead | undefined {
  requestLine.lastIndex = 0
  if (!requestLine.test(text)) return undefined
  const { lastIndex: lineEnd } = requestLine
  fieldLines.lastIndex = lineEnd
  if (!fieldLines.test(text)) return undefined
  const rawHeaders: string[] = []
  names.begin()
  // The last line is empty.
  for (let at = lineEnd; at < text.length - 2; ) {
    const colon = text.indexOf(':', at)
    const end = text.indexOf('\r', colon)
    const name = names.take(text, at, colon)
    const value = text.slice(colon + 2, end)
    if (isDeciding(name) && !isKeptAlive(name, value)) return undefined
    rawHeaders.push(name, value)
    at = end + 2
  }
  return { target: text.slice(beforeTarget, lineEnd - afterTarget), rawHeaders }
}

function isDeciding(name: string): boolean {
  const deciding = decidingByLength.get(name.length)
  return deciding !== undefined && deciding === name.toLowerCase()
}

/** Says what holds anyway (RFC 9112, 9.3). */
function isKeptAlive(name: string, value: string): boolean {
  return name.toLowerCase() === 'connection' && value.toLowerCase() === 'keep-alive'
}
