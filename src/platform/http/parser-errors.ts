import type { ErrorCode } from './errors.ts'

/** What Node's HTTP parser reports about a connection it rejected. */
export interface ParserError extends Error {
  readonly code?: string
  /** The octets it read last; the request may have begun before these. */
  readonly rawPacket?: unknown
  /** Position of the error in those octets. */
  readonly bytesParsed?: number
}

/** The refusal for octets that Node's parser rejected; undefined when the client has disconnected. */
export function parserRefusal(error: ParserError): ErrorCode | undefined {
  switch (error.code) {
    case 'ECONNRESET':
      return undefined
    case 'HPE_HEADER_OVERFLOW':
      return isTargetTooLong(error.rawPacket) ? 'TARGET_TOO_LONG' : 'HEADERS_TOO_LARGE'
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'REQUEST_TIMEOUT'
    case 'HPE_INVALID_METHOD':
    case 'HPE_INVALID_CONSTANT':
      return isForeignMethod(error) ? 'NOT_IMPLEMENTED' : 'FRAMING_INVALID'
    case 'HPE_INVALID_VERSION':
      return isForeignVersion(error) ? 'HTTP_VERSION' : 'FRAMING_INVALID'
    case 'HPE_PAUSED_H2_UPGRADE':
      return 'HTTP_VERSION'
    case 'HPE_INVALID_URL':
      return 'TARGET_INVALID'
    case 'HPE_INVALID_HEADER_TOKEN':
      return 'HEADERS_INVALID'
    default:
      return 'FRAMING_INVALID'
  }
}

/** An overflow within the request line comes from the target, even in a packet that holds only the end of that line. */
function isTargetTooLong(rawPacket: unknown): boolean {
  if (!Buffer.isBuffer(rawPacket)) return false
  const [line = '', rest] = rawPacket.toString('latin1', 0, 8192).split('\n', 2)
  return rest === undefined || /^\S* HTTP\/\d\.\d\r$/.test(line)
}

// RFC 9112, 3, with a token as method (RFC 9110, 5.6.2). No registered method has even half of 64 characters.
const requestLine = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64} [!-~]+ HTTP\/\d\.\d\r$/

/**
 * Whether a well-formed request line has a method that the parser does not
 * know. A line that began in an earlier packet counts as malformed.
 */
function isForeignMethod({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (!Buffer.isBuffer(rawPacket)) return false
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1
  const end = rawPacket.indexOf('\n', start)
  return end !== -1 && requestLine.test(rawPacket.toString('latin1', start, end))
}

/** Whether a request line ends in a well-formed version whose major number is not 1; the parser stops after it. */
function isForeignVersion({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (!Buffer.isBuffer(rawPacket) || bytesParsed < 9) return false
  return /^ HTTP\/[02-9]\.\d\r\n$/.test(
    rawPacket.toString('latin1', bytesParsed - 9, bytesParsed + 2),
  )
}
