import type { Socket } from 'node:net'
import type { ErrorCode } from '../../platform/errors.ts'
import { renderProblem } from '../../platform/problem.ts'

/** What Node's HTTP parser reports about a connection it gave up. */
export interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: unknown
}

export interface ParserErrorOptions {
  readonly portalUrl: () => string
  readonly randomUUID: () => string
  readonly onRefused: (code: ErrorCode) => void
}

/**
 * Answers what never became a request: bytes Node's parser refused. The same
 * table and renderer as everywhere, then the connection ends, because where the
 * next request would begin is unknown.
 */
export function createParserErrorHandler(
  options: ParserErrorOptions,
): (error: ParserError, socket: Socket) => void {
  return (error, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const code = refusalCode(error)
    options.onRefused(code)
    const context = { requestId: options.randomUUID(), portalUrl: options.portalUrl() }
    const { status, headers, body } = renderProblem({ code }, context)
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(
      `HTTP/1.1 ${status} ${code}\r\n${fields.join('')}date: ${new Date().toUTCString()}\r\nconnection: close\r\n\r\n${body}`,
    )
  }
}

function refusalCode(error: ParserError): ErrorCode {
  switch (error.code) {
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
