import type { Socket } from 'node:net'
import { discardRest } from './end-gently.ts'
import type { ErrorCode } from './errors.ts'
import type { OwedResponse } from './owed-response.ts'
import { type ParserError, parserRefusal } from './parser-errors.ts'

/** One request and its response. */
export interface Exchange {
  readonly request: { readonly complete: boolean }
  readonly response: OwedResponse
  /** Undefined unless the response is a refusal whose request need not be read to its end. */
  readonly refusal?: unknown
}

export interface UnreadableOptions {
  /** The newest exchange of a connection; undefined before the first. */
  readonly latest: (socket: Socket) => Exchange | undefined
  readonly refuseSocket: (code: ErrorCode | undefined, socket: Socket) => void
}

/**
 * Ends a connection whose octets Node's parser rejected, without disturbing the
 * response to the previous request: a client would read a second response as
 * the first one's.
 */
export function createUnreadableHandler({
  latest,
  refuseSocket,
}: UnreadableOptions): (error: ParserError, socket: Socket) => void {
  return (error, socket) => {
    discardRest(socket)
    const exchange = latest(socket)
    if (exchange !== undefined && isQueued(exchange)) {
      // Anything sent now would be read as the response to an earlier request; those responses are pending.
      exchange.response.once('socket', () => socket.destroySoon())
      return
    }
    if (exchange === undefined || isOver(exchange) || isBodyBroken(exchange)) {
      refuseSocket(parserRefusal(error), socket)
      return
    }
    const { request, response, refusal } = exchange
    if (refusal !== undefined) {
      // A refusal already being sent still arrives; then the rest of its request is ignored.
      if (response.writableFinished) socket.destroySoon()
      else response.once('finish', () => socket.destroySoon()).end()
    } else if (request.complete) {
      // The malformed octets belong to a further request. The previous one is answered as usual.
      response.shouldKeepAlive = false
      response.once('finish', () => socket.destroySoon())
    } else socket.destroy()
  }
}

/** Whether new data on its connection belongs to another request, with no response pending. */
function isOver({ request, response }: Exchange): boolean {
  return request.complete && response.writableFinished
}

/** Whether the request could not be read to its end while earlier ones wait for their responses. */
function isQueued({ request, response }: Exchange): boolean {
  return !request.complete && !response.headersSent && response.socket === null
}

/** Whether the request itself could not be read to its end, and its response has not begun. */
function isBodyBroken({ request, response }: Exchange): boolean {
  return !request.complete && !response.headersSent
}
