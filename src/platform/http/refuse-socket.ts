import type { Duplex } from 'node:stream'
import { endGently } from './end-gently.ts'
import type { ErrorCode } from './errors.ts'
import { renderProblem } from './problem.ts'

export interface RefuseSocketOptions {
  readonly portalUrl: () => string
  readonly randomUUID: () => string
  readonly onRefused: (code: ErrorCode) => void
}

/**
 * Answers a connection that sent no readable request, with the usual error
 * table and renderer, and closes it: the start of the next request is unknown.
 * Without a code the connection closes silently.
 */
export type RefuseSocket = (code: ErrorCode | undefined, socket: Duplex) => void

export function createRefuseSocket(options: RefuseSocketOptions): RefuseSocket {
  return (code, socket) => {
    if (code === undefined || !socket.writable) {
      socket.destroy()
      return
    }
    options.onRefused(code)
    const context = { requestId: options.randomUUID(), portalUrl: options.portalUrl() }
    const { status, headers, body } = renderProblem({ code }, context)
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(
      `HTTP/1.1 ${status} ${code}\r\n${fields.join('')}date: ${new Date().toUTCString()}\r\nconnection: close\r\n\r\n${body}`,
    )
    endGently(socket)
  }
}
