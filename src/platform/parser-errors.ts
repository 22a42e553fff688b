import type { ErrorCode } from './errors.ts'

/** What Node's HTTP parser reports about a connection it gave up. */
export interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: unknown
}

/** The refusal for bytes that Node's parser did not accept; undefined when nobody is there to read one. */
export function parserRefusal(error: ParserError): ErrorCode | undefined {
  switch (error.code) {
    case 'ECONNRESET':
      return undefined
    case 'HPE_HEADER_OVERFLOW':
      return isTargetTooLong(error.rawPacket) ? 'TARGET_TOO_LONG' : 'HEADERS_TOO_LARGE'
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'REQUEST_TIMEOUT'
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 'BODY_TOO_LARGE'
    case 'HPE_INVALID_METHOD':
      return 'NOT_IMPLEMENTED'
    case 'HPE_INVALID_VERSION':
      return 'HTTP_VERSION'
    case 'HPE_INVALID_URL':
      return 'TARGET_INVALID'
    case 'HPE_INVALID_HEADER_TOKEN':
      return 'HEADERS_INVALID'
    default:
      return 'FRAMING_INVALID'
  }
}

/** An overflow within the request line is the target's fault. */
function isTargetTooLong(rawPacket: unknown): boolean {
  return Buffer.isBuffer(rawPacket) && !rawPacket.subarray(0, 8192).includes('\n')
}
