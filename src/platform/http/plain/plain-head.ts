/** A request without a body, whose header block leaves nothing to decide. */
export interface PlainHead {
  /** The request target, in origin form. */
  readonly target: string
  /** Alternating names and values. */
  readonly rawHeaders: readonly string[]
}

// RFC 9112, 3 and 5, and less: only GET, one space around the value, only printable ASCII, nothing folded.
const requestLine = /^GET (\/[A-Za-z0-9\-._~!$&'()*+,;=:@/?%]*) HTTP\/1\.1\r\n/
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
 */
export function readPlainHead(text: string): PlainHead | undefined {
  const [line, target = ''] = requestLine.exec(text) ?? []
  if (line === undefined) return undefined
  fieldLines.lastIndex = line.length
  if (!fieldLines.test(text)) return undefined
  const rawHeaders: string[] = []
  // The last line is empty.
  for (let at = line.length; at < text.length - 2; ) {
    const colon = text.indexOf(':', at)
    const end = text.indexOf('\r', colon)
    const name = text.slice(at, colon)
    const value = text.slice(colon + 2, end)
    if (isDeciding(name) && !isKeptAlive(name, value)) return undefined
    rawHeaders.push(name, value)
    at = end + 2
  }
  return { target, rawHeaders }
}

function isDeciding(name: string): boolean {
  const deciding = decidingByLength.get(name.length)
  return deciding !== undefined && deciding === name.toLowerCase()
}

/** Says what holds anyway (RFC 9112, 9.3). */
function isKeptAlive(name: string, value: string): boolean {
  return name.toLowerCase() === 'connection' && value.toLowerCase() === 'keep-alive'
}
